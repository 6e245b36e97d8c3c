"""The version of Helixlog."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path


def version() -> str:
    """As installed; as `pyproject.toml` says in a checkout that is not."""
    try:
        return installed("helixlog")
    except PackageNotFoundError:
        import tomllib

        project = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
