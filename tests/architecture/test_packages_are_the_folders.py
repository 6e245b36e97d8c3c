"""The packages that are shipped are the folders with Python files, without tests, tools and docs."""

from __future__ import annotations

import tomllib

import pytest


@pytest.fixture(scope="session")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_list_of_packages_is_that_of_the_folders(project, modules):
    folders = {module.path.parent.relative_to(modules[""].path.parent) for module in modules.values()}
    named = {".".join(("helixlog", *folder.parts)) for folder in folders}
    listed = project["tool"]["setuptools"]["packages"]
    assert set(listed) == named
    assert listed == sorted(listed)


def test_every_package_has_an_init(modules):
    assert [m.name for m in modules.values() if not (m.path.parent / "__init__.py").exists()] == []


def test_files_that_are_no_python_are_named_as_package_data(project, root):
    data = project["tool"]["setuptools"]["package-data"]
    assert (root / "py.typed").exists()
    assert "py.typed" in data["helixlog"]
    weights = {path.name for path in (root / "embedding" / "weights").iterdir()}
    assert {"vocab.txt", "static.safetensors", "minilm.safetensors"} <= weights
    assert data["helixlog.embedding"] == ["weights/*"]


def test_dependencies_are_those_that_are_imported(project, modules):
    import ast
    import sys

    needed = {line.split(">")[0] for line in project["project"]["dependencies"]}
    extras = {line.split(">")[0] for group in project["project"]["optional-dependencies"].values() for line in group}
    imported = set()
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                imported.add(node.module.partition(".")[0])
    foreign = imported - set(sys.stdlib_module_names)
    assert needed <= foreign
    assert foreign <= needed | extras
