"""A store with a clock that is told what time it is, and what it means to be refused."""

from __future__ import annotations

import contextlib

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY
from helixlog.embedding import load
from helixlog.errors import HelixlogError

BEGIN = 1_750_000_000_000_000_000


class Clock:
    """A clock in days after the beginning; it stands still until it is moved."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        return self.now

    def at(self, days: float) -> int:
        self.now = BEGIN + round(days * DAY)
        return self.now


@pytest.fixture(scope="session")
def static():
    return load("static")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_memory(tmp_path, static, clock):
    """`open_memory(name)` opens a store of the test; the same name is the same store."""
    with contextlib.ExitStack() as opened:

        def open_(name="store", **options):
            chosen = {"embedder": static, "clock": clock, **options}
            return opened.enter_context(Memory(tmp_path / name, **chosen))

        yield open_


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def refused(memory):
    """`with refused(Error):` holds when the block is refused with a remedy and appends nothing."""

    @contextlib.contextmanager
    def refused_(error: type[HelixlogError], words: str | None = None):
        head = memory.eventlog.head
        with pytest.raises(error, match=words) as caught:
            yield caught
        assert type(caught.value) is error
        assert caught.value.remedy
        assert memory.eventlog.head == head

    return refused_


@pytest.fixture
def shown(memory):
    """`shown(query)`: the texts a recall shows, best first; nothing is recorded."""
    return lambda query, **options: [
        result.text for result in memory.recall(query, record=False, hops=0, **options).results
    ]


@pytest.fixture
def state(memory):
    """`state(id)`: the state of a memory now."""
    return lambda one: memory.get(one).state
