"""The crash harness, a process to fork children from, and a store to copy."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from crash.kills import template  # noqa: E402 - found only now
from crash.nursery import Nursery  # noqa: E402 - found only now
from crash.tally import memory  # noqa: E402 - found only now
from crash.workloads import fresh  # noqa: E402 - found only now


@pytest.fixture(scope="session")
def nursery():
    with Nursery() as started:
        yield started


@pytest.fixture(scope="session")
def place():
    """A folder for all of it, in memory if possible."""
    with tempfile.TemporaryDirectory(prefix="helixlog-crash-", dir=memory(), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def scratch(place):
    """An empty folder of the test's own."""
    folder = Path(tempfile.mkdtemp(dir=place))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def base(nursery, place):
    """A store with some of everything, a published generation and a short tail; to be copied."""
    return template(nursery, place)


@pytest.fixture
def copied(base, scratch):
    """`copied(name)`: the folder of a copy of the store, alone on a disk of its own."""
    return lambda name="disk": fresh(base, scratch / name)
