"""A store without an embedder unless asked, with a clock that stands still."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory

NOW = 1_750_000_000_000_000_000


@pytest.fixture
def open_memory(tmp_path):
    opened = []

    def open_(name="store", **options):
        opened.append(Memory(tmp_path / name, **{"embedder": "none", "clock": lambda: NOW, **options}))
        return opened[-1]

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory):
    return open_memory()
