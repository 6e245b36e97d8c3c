"""The bar that sums give is the one wanted, however documents share terms and whoever may be seen."""

from __future__ import annotations

import numpy as np
from helixlog.projections.text.sums import Sums
from helixlog.projections.text.terms import Run
from hypothesis import given
from hypothesis import strategies as st

SIZE = 400


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 60), st.sampled_from([None, 0.5, 0.05]))
def test_the_bar_is_the_sum_at_the_limit(seed, terms, limit, share):
    chance, room = np.random.default_rng(seed), np.zeros(SIZE)
    allowed = None if share is None else chance.random(SIZE) < share
    shown = np.ones(SIZE, np.bool_) if allowed is None else allowed
    sums, plain = Sums(room, allowed), np.zeros(SIZE)
    for _ in range(terms):
        docs = np.flatnonzero(chance.random(SIZE) < chance.random())
        run = Run(docs, chance.random(len(docs)) + 0.1)
        sums.add(run)
        plain[docs] += run.contributions
    best = np.sort(plain[shown & (plain > 0)])[::-1]
    assert sums.bar(limit) == (best[limit - 1] if len(best) >= limit else 0.0)
    for bar in (0.0, 0.7, 2.0):
        found, known = sums.reaching(bar)
        assert found.tolist() == np.flatnonzero(shown & (plain > 0) & (plain >= bar)).tolist()
        assert known.tolist() == plain[found].tolist()
    sums.clear()
    assert not room.any()
