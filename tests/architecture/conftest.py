"""The modules of the package as source: where they are, what they import, what they say."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
APART = {"tests", "tools", "docs", "build", "dist"}


class Module(NamedTuple):
    """`name` is dotted, without the package's own; `tree` its syntax; `imports` (ours, at import time or later)."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        """The folder under the root, or the module's own name at the root."""
        return self.name.partition(".")[0]

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


def sources() -> dict[str, Module]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if parts[0] in APART or parts[0].startswith("."):
            continue
        name = ".".join(parts).removesuffix(".py").removesuffix("__init__").strip(".")
        found[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return found


MODULES = sources()


def typing_only(tree: ast.AST) -> set[ast.AST]:
    """Nodes that only a type checker sees."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    return {inner for block in blocks for statement in block.body for inner in ast.walk(statement)}


def ours(module: Module, *, lazy: bool = True, types: bool = True) -> set[str]:
    """Names of our modules that a module imports.

    Args:
        module: Which.
        lazy: Also those imported inside functions.
        types: Also those that only a type checker sees.
    """
    hidden = set() if types else typing_only(module.tree)
    if not lazy:
        functions = [n for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        hidden |= {inner for function in functions for inner in ast.walk(function)}
    found = set()
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ImportFrom) or not node.level or node in hidden:
            continue
        parts = module.package.split(".") if module.package else []
        base = parts[: len(parts) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            deeper = ".".join([*base, alias.name])
            found.add(deeper if deeper in MODULES else ".".join(base))
    return found - {module.name}


@pytest.fixture(scope="session")
def modules():
    """Every module of the package by its dotted name; the root package is ''."""
    return MODULES


@pytest.fixture(scope="session")
def imports_of():
    """`imports_of(module, lazy=True, types=True)`: names of our modules that it imports."""
    return ours


@pytest.fixture(scope="session")
def root():
    """The folder of the package, which is that of the repository."""
    return ROOT
