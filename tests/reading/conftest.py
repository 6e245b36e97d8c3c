"""Small stores with a clock of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY

BEGIN = 1_750_000_000_000_000_000


class Clock:
    """Time that passes when it is told to, and a millisecond each time it is asked for."""

    def __init__(self) -> None:
        self.time = BEGIN

    def __call__(self) -> int:
        self.time += 1_000_000
        return self.time

    def days(self, days: float) -> None:
        self.time += int(days * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock):
    """A store with the static embedder."""
    with Memory(tmp_path / "store", embedder="static", clock=clock) as opened:
        yield opened


@pytest.fixture
def plain(tmp_path: Path, clock: Clock):
    """A store without an embedder: quicker, and nothing is merged by cosine."""
    with Memory(tmp_path / "plain", embedder="none", clock=clock) as opened:
        yield opened
