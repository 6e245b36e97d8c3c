"""Only direct hits that may hold a hop back are measured, and the others would not have."""

from __future__ import annotations

import numpy as np
from helixlog.recall.expansion import caps, may_cap
from helixlog.recall.scoring import SIGNALS
from hypothesis import given
from hypothesis import strategies as st


def drawn(chance: np.random.Generator, count: int) -> np.ndarray:
    """Signals of few different values, so that many are equal; some cosines are unknown."""
    found = np.zeros(count, SIGNALS)
    for name in SIGNALS.names:
        found[name] = chance.integers(0, 3, count)
    found["cosine"][found["cosine"] == 0] = np.nan
    found["score"] = chance.integers(0, 6, count) / 6
    return found


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 8))
def test_measuring_few_direct_hits_changes_no_score(seed, directs, count):
    chance = np.random.default_rng(seed)
    direct, hops = drawn(chance, directs), drawn(chance, count)
    few = np.minimum(hops["score"], caps(direct[may_cap(direct, hops)], hops))
    assert few.tolist() == np.minimum(hops["score"], caps(direct, hops)).tolist()


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 8))
def test_a_hop_is_held_below_the_lowest_that_is_as_good_on_every_signal(seed, directs, count):
    chance = np.random.default_rng(seed)
    direct, hops = drawn(chance, directs), drawn(chance, count)
    signals = ("cosine", "bm25", "adjusted", "recency", "velocity")

    def values(found):
        """The signals as plain numbers, an unknown cosine below all others."""
        return [[-2.0 if np.isnan(one[name]) else float(one[name]) for name in signals] for one in found]

    as_good = [[all(a >= b for a, b in zip(one, hop, strict=True)) for one in values(direct)] for hop in values(hops)]
    scores = direct["score"].tolist()
    lowest = [min((s for s, good in zip(scores, row, strict=True) if good), default=np.inf) for row in as_good]
    assert caps(direct, hops).tolist() == lowest
    below = [{n for n, s in enumerate(scores) if s < hop["score"]} for hop in hops]
    able = set(may_cap(direct, hops).tolist())
    assert {n for row, few in zip(as_good, below, strict=True) for n in few if row[n]} <= able <= set().union(*below)


def test_a_direct_hit_that_is_worse_by_use_needs_no_measuring():
    direct, hop = np.zeros(2, SIGNALS), np.zeros(1, SIGNALS)
    direct["adjusted"], direct["score"], hop["adjusted"], hop["score"] = [0.4, 0.9], 0.1, 0.5, 0.2
    direct["recency"] = hop["recency"] = 1.0
    assert may_cap(direct, hop).tolist() == [1]
