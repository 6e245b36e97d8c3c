"""What many steps of decay leave is the power by repeated squaring, for each memory, to the bit."""

from __future__ import annotations

import numpy as np
from helixlog.constants import Constants
from helixlog.projections.arithmetic import ipow
from helixlog.projections.effectiveness.steps import left_after
from hypothesis import given
from hypothesis import strategies as st

SPREAD = st.one_of(st.just(0.0), st.floats(0.0, 0.6))
STEPS = st.one_of(st.integers(0, 6), st.integers(0, 2**40))


@given(st.lists(st.tuples(SPREAD, STEPS), max_size=30), st.floats(0, 1), st.floats(0, 1))
def test_many_are_as_each_alone(drawn, rate, discount):
    constants = Constants.seed().altered({"decay_rate": rate, "decay_discount": discount})
    found = left_after(constants, np.array([s for s, _ in drawn]), np.array([n for _, n in drawn], np.int64))
    told = []
    for spread, steps in drawn:
        general = min(1.0, spread / constants.spread_cap) if spread >= constants.spread_min else 0.0
        told.append(ipow(1 - rate * (1 - discount * general), steps))
    assert found.tolist() == told
