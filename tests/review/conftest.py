"""A store without an embedder unless asked, with a clock that stands still."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import Constants
from helixlog.eventlog import events as ev
from helixlog.projections.beliefs import Beliefs
from helixlog.projections.ledger.membership import NO_PAIRS

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


class Unasked:
    """No pair is measured here."""

    def complete(self, *_):
        return NO_PAIRS, 0

    def compare(self, *_):
        return 1

    def mark(self, *_):
        return None


@pytest.fixture
def folded():
    """The beliefs of (own id, event) pairs after a genesis, one nanosecond apart."""

    def fold(events):
        constants = Constants.seed()
        genesis = ev.StoreCreated(store_id="s", tenant="s", format=1, constants=constants.as_dict())
        beliefs = Beliefs(constants, Unasked())
        log = [(None, genesis), *events]
        beliefs.apply(
            [ev.Recorded(seq=n, recorded_at=n, clock=n, id=one, event=event) for n, (one, event) in enumerate(log, 1)]
        )
        return beliefs

    return fold
