"""The checkout, and what is built from it."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_SHIPPED = {"build", "dist", "docs", "tests", "tools"}


def sources(root=ROOT):
    """Python files of the package, relative to the root."""
    folders = [path for path in root.iterdir() if path.is_dir() and path.name.isidentifier()]
    inner = [path for folder in folders if folder.name not in NOT_SHIPPED for path in folder.rglob("*.py")]
    return {path.relative_to(root) for path in [*root.glob("*.py"), *inner]}


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="session")
def modules():
    return sources()


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    """A copy of the checkout without anything that was made in it."""
    copy = tmp_path_factory.mktemp("copy") / "checkout"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "*.so")
    )
    return copy


@pytest.fixture(scope="session")
def built(copy, tmp_path_factory):
    """`built("wheel")` and `built("sdist")` are archives made of a copy of the checkout, without a network."""
    made = {}

    def build(kind, source=copy):
        if (kind, source) not in made:
            out = tmp_path_factory.mktemp("built")
            command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(out), str(source)]
            done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "would be ignored" not in done.stdout + done.stderr
            made[kind, source] = next(out.glob("*.whl" if kind == "wheel" else "*.tar.gz"))
        return made[kind, source]

    return build
