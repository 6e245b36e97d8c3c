"""Only direct hits that may hold a hop back are measured, and the others would not have."""

from __future__ import annotations

import numpy as np
from helixlog.recall.expansion import caps, may_cap
from helixlog.recall.scoring import Signals
from hypothesis import given
from hypothesis import strategies as st


def drawn(chance: np.random.Generator, count: int) -> Signals:
    """Signals of few different values, so that many are equal; some cosines are unknown."""
    columns = {name: chance.integers(0, 3, count).astype(float) for name in Signals._fields}
    columns["cosine"][columns["cosine"] == 0] = np.nan
    return Signals(**columns)


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(1, 8))
def test_measuring_few_direct_hits_changes_no_score(seed, directs, count):
    chance = np.random.default_rng(seed)
    direct, hops = drawn(chance, directs), drawn(chance, count)
    scores, raw = chance.integers(0, 6, directs) / 6, chance.integers(0, 6, count) / 6
    able = may_cap(direct, scores, hops, raw)
    few = np.minimum(raw, caps(direct.at(able), scores[able], hops))
    assert few.tolist() == np.minimum(raw, caps(direct, scores, hops)).tolist()


def test_a_direct_hit_that_is_worse_by_use_needs_no_measuring():
    chance = np.random.default_rng(1)
    direct, hops = drawn(chance, 2), drawn(chance, 1)
    direct = direct._replace(adjusted=np.array([0.4, 0.9]), recency=np.ones(2), velocity=np.zeros(2))
    hops = hops._replace(adjusted=np.array([0.5]), recency=np.ones(1), velocity=np.zeros(1))
    assert may_cap(direct, np.array([0.1, 0.1]), hops, np.array([0.2])).tolist() == [1]
