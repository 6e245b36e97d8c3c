"""What held at a moment: chains without a fork are worked out together, and as one by one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helixlog.eventlog import events as ev
from helixlog.projections.columns import NONE
from helixlog.projections.ledger.memories import Memories
from helixlog.recall import visibility
from helixlog.recall.visibility import FOREVER, valid


def told(rng, count):
    """Texts, some with an interval; chains, forks, restorations, and unions that may close circles."""
    for n in range(count):
        begin, length = rng.choice((None, rng.randrange(99))), rng.choice((None, None, rng.randrange(50)))
        stop = None if length is None else (begin or 0) + length
        yield f"id{n}", ev.MemoryStored(text=f"text {n}", valid_from=begin, valid_to=stop)
    for _ in range(count):
        one, other = (f"id{rng.randrange(count)}" for _ in range(2))
        kind = rng.random()
        if kind < 0.8:
            yield None, ev.MemorySuperseded(old=one, new=other)
        elif kind < 0.9:
            yield None, ev.MembershipOverruled(verdict="same", first=one, second=other)
        else:
            yield None, ev.MemoryRestored(memory=one)


def plain(beliefs, moment):
    """Memory by memory."""
    texts, memories = beliefs.texts.table, beliefs.memories
    own = np.where(texts["valid_from"] != NONE, texts["valid_from"], texts["observed_at"])
    start = np.where(own != NONE, own, texts["recorded_at"])
    end = np.where(texts["valid_to"] != NONE, texts["valid_to"], FOREVER)
    for old in np.flatnonzero(memories.table["superseded"] == 1).tolist():
        beginnings = [int(own[new]) for new in memories.superseded_by(old)]
        if NONE in beginnings:
            end[old] = NONE
        elif texts["valid_to"][old] == NONE:
            end[old] = min(beginnings, default=FOREVER)
    mask = (start <= moment) & (moment < end)
    for old in np.flatnonzero((memories.table["superseded"] == 1) & mask).tolist():
        mask[old] = not visibility._overtaken(beliefs, old, mask)
    return mask


@pytest.mark.parametrize("seed", range(60))
def test_the_same_holds_as_memory_by_memory(seed, folded):
    rng = Random(seed)
    beliefs = folded(told(rng, rng.choice((5, 12, 60))))
    for moment in (0, 5, 20, 50, 90, 200):
        assert valid(beliefs, moment).tolist() == plain(beliefs, moment).tolist()


def test_no_link_of_a_plain_chain_is_looked_at_alone(monkeypatch, folded):
    texts = [(f"id{n}", ev.MemoryStored(text=f"text {n}", valid_from=n)) for n in range(2_000)]
    beliefs = folded([*texts, *((None, ev.MemorySuperseded(old=f"id{n}", new=f"id{n + 1}")) for n in range(1_999))])
    monkeypatch.setattr(Memories, "superseded_by", lambda *_: 1 / 0)
    assert np.flatnonzero(valid(beliefs, 1_000)).tolist() == [1_000]
