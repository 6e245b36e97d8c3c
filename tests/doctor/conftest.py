"""A store with a clock of its own, and processes beside it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY

BEGIN = 1_750_000_000_000_000_000


class Clock:
    """A clock in days after the beginning."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        self.now += 1_000
        return self.now

    def at(self, days: float) -> None:
        self.now = BEGIN + round(days * DAY)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "store", embedder="static", clock=clock) as opened:
        yield opened


HOLDING = """
import sys, time
import lmdb
environment = lmdb.open(sys.argv[1], readonly=True, create=False)
transaction = environment.begin()
print("reading", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def reading(tmp_path):
    """`reading()`: a process that has begun to read the store's log, and goes on until it is told or killed."""
    started = []

    def begin():
        command = [sys.executable, "-c", HOLDING, tmp_path / "store" / "log" / "g1"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "reading\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
