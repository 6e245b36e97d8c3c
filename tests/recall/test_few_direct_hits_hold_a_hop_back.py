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


def test_a_direct_hit_that_is_worse_by_use_needs_no_measuring():
    direct, hop = np.zeros(2, SIGNALS), np.zeros(1, SIGNALS)
    direct["adjusted"], direct["score"], hop["adjusted"], hop["score"] = [0.4, 0.9], 0.1, 0.5, 0.2
    direct["recency"] = hop["recency"] = 1.0
    assert may_cap(direct, hop).tolist() == [1]
