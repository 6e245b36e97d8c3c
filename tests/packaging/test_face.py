import ast
import inspect
import subprocess
import sys

import helixlog
import pytest
from helixlog import errors

HEAVY = ("click", "hnswlib", "lmdb", "msgspec", "numpy", "rich", "tantivy")


def test_what_a_type_checker_sees_is_what_can_be_imported(root):
    tree = ast.parse((root / "__init__.py").read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = [alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted([*imported, "__version__"]) == sorted(helixlog.__all__)


@pytest.mark.parametrize("name", helixlog.__all__)
def test_every_public_name_is_there(name):
    assert getattr(helixlog, name) is not None
    assert name in dir(helixlog)


def test_every_error_can_be_caught_by_name():
    tree = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}
    assert tree <= set(helixlog.__all__)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="helixlog"):
        _ = helixlog.nothing_of_that_name


def test_importing_it_imports_nothing_heavy():
    code = f"import sys, helixlog; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
