"""A store with a clock that is told what day it is, and its backup."""

from __future__ import annotations

import pytest
from helixlog.commands.copying import restore_backup
from helixlog.commands.memory import Memory
from helixlog.constants import DAY

BEGIN = 1_767_225_600_000_000_000
"""2026-01-01, UTC."""


class Days:
    """A clock that stands at noon of a day of January 2026."""

    def __init__(self) -> None:
        self.day = 1

    def __call__(self) -> int:
        return BEGIN + (self.day - 1) * DAY + DAY // 2


@pytest.fixture
def days():
    return Days()


@pytest.fixture
def opened(days):
    """`opened(folder)`: a store with the clock of this test."""
    stores = []

    def open_(folder, **options):
        stores.append(Memory(folder, embedder="static", clock=days, **options))
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


@pytest.fixture
def memory(tmp_path, opened):
    return opened(tmp_path / "store")


@pytest.fixture
def restored(tmp_path, days, opened):
    """`restored(as_of)`: a new store of the backup, opened."""

    def restore(as_of=None, *, backup="backup"):
        into = tmp_path / f"restored-{len(list(tmp_path.iterdir()))}"
        restore_backup(tmp_path / backup, into, as_of=as_of, clock=days)
        return opened(into, create=False)

    return restore
