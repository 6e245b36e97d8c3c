"""Verbs are attached by name and imported late; what type checkers are told is what is attached."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module

from helixlog.commands import memory


def declared() -> dict[str, str]:
    """The verbs that the class names for type checkers: name to `module:function`."""
    tree = ast.parse(inspect.getsource(memory))
    (cls,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Memory"]
    (block,) = [node for node in cls.body if isinstance(node, ast.If)]
    return {
        line.targets[0].id: f"{line.value.value.id.removeprefix('_')}:{line.value.attr}"
        for line in block.body
        if isinstance(line, ast.Assign)
    }


def test_type_checkers_see_the_verbs_that_are_attached():
    assert declared() == memory.VERBS


def test_a_verb_is_the_function_of_its_module():
    for name, place in memory.VERBS.items():
        module, _, function = place.partition(":")
        assert getattr(memory.Memory, name) is getattr(import_module(f"helixlog.commands.{module}"), function), name


def test_asking_for_one_verb_imports_no_other():
    code = (
        "import sys; from helixlog.commands.memory import Memory; Memory.recall;"
        "print('helixlog.commands.importing' in sys.modules, 'helixlog.commands.recall' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "True"]
