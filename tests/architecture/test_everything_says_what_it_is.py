"""Every module, and every public class, function and method, has a docstring that ends in a full stop."""

from __future__ import annotations

import ast

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public(tree):
    """Definitions that others may use, at the top or in a public class."""
    for node in tree.body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def test_every_module_says_what_it_is(modules):
    assert [name for name, module in modules.items() if not ast.get_docstring(module.tree)] == []


def test_every_public_name_says_what_it_does(modules):
    silent = [
        f"{name}.{node.name}"
        for name, module in modules.items()
        for node in public(module.tree)
        if not ast.get_docstring(node) and not _overload(node)
    ]
    assert silent == []


def _overload(node):
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in getattr(node, "decorator_list", ()))


def test_no_file_is_a_facade_of_thousands_of_lines(modules):
    long = {name: len(module.path.read_text(encoding="utf-8").splitlines()) for name, module in modules.items()}
    assert {name for name, lines in long.items() if lines > 650} == set()
