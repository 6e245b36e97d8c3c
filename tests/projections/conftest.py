"""A store with a past: two generations of every projection on disk, and a tail beyond them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("child.py")
sys.path.insert(0, str(CHILD.parent))


@pytest.fixture
def in_child():
    """`in_child(task, *arguments)` runs a task of child.py in a process of its own; the lines it printed."""

    def run(task, *arguments, **how):
        command = [sys.executable, CHILD, task, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy(), **how)
        assert done.returncode >= 0, f"killed by signal {-done.returncode}"
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """A folder with `today`, `yesterday` (its past), `forked` (another future of that) and `stranger`."""
    folder = tmp_path_factory.mktemp("told")
    subprocess.run([sys.executable, CHILD, "tell", folder], check=True)
    return folder
