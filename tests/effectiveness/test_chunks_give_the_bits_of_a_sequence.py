"""Walking a long sequence in chunks, from guessed beginnings, gives the bits of walking it in order."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.projections.effectiveness import average
from helixlog.projections.effectiveness.average import Chunks, Course, Fall
from hypothesis import given, settings
from hypothesis import strategies as st

UNIT = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-17, 0.2, np.nextafter(0.5, 1)]), st.floats(0, 1))
USE = st.tuples(st.booleans(), UNIT, UNIT, st.one_of(st.none(), UNIT))
"""Whether it is a cause, its weight, its outcome, and what is left of what is above .5."""


def in_order(uses, begin, erosion):
    """The definition, use by use: levels before each, and the last."""
    level, before = begin, []
    for causal, weight, outcome, left in uses:
        before.append(level)
        if left is not None and level > 0.5:
            level = 0.5 + (level - 0.5) * left
        if causal:
            level = level * (1.0 - weight) + outcome * weight
        elif level > 0.5:
            level += (0.5 - level) * erosion
    return before, level


def course(uses, erosion):
    causal = np.array([use[0] for use in uses])
    weight, outcome = (np.array([use[n] for use in uses], np.float64) for n in (1, 2))
    falls = np.array([n for n, use in enumerate(uses) if use[3] is not None], np.int64)
    left = np.array([use[3] for use in uses if use[3] is not None], np.float64)
    return Course(1.0 - weight, outcome * weight, ~causal, erosion, Fall(falls, left))


def bits(values):
    return np.array(values, np.float64).view(np.int64).tolist()


def check(sequences, begins, erosion):
    uses = [use for sequence in sequences for use in sequence]
    count = np.array([len(sequence) for sequence in sequences])
    before, ends = Chunks(np.cumsum(count) - count, count).follow(course(uses, erosion), np.array(begins))
    told = [in_order(sequence, begin, erosion) for sequence, begin in zip(sequences, begins, strict=True)]
    assert bits(before) == bits([level for levels, _ in told for level in levels])
    assert bits(ends) == bits([end for _, end in told])


@pytest.fixture(params=[(2, 1, 1), (3, 2, 0), (4, 1, 9), (3, 1_000, 2)], ids=str, scope="module", autouse=True)
def _small(request):
    """Chunks of few uses, so that every path is walked: all rounds wide, none, no second walk, many."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(("CHUNK", "WIDE", "PASSES"), request.param, strict=True):
            patch.setattr(average, name, value)
        yield


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.lists(USE, min_size=1, max_size=25), UNIT), min_size=1, max_size=6), UNIT)
def test_any_sequences_give_the_bits_of_one_after_the_other(drawn, erosion):
    check([uses for uses, _ in drawn], [begin for _, begin in drawn], erosion)


@pytest.mark.parametrize("use", [(False, 0.0, 0.0, None), (True, 0.0, 1.0, None), (True, 1e-17, 0.3, None)])
def test_a_sequence_that_forgets_nothing_is_right_too(use):
    """The worst case: every chunk ends where it was guessed to begin."""
    check([[(True, 0.9, 0.123, None), *[use] * 200], [use] * 150], [0.7, 0.4], 0.09)


def test_a_chunk_that_is_not_walked_again_would_be_noticed(monkeypatch):
    """Teeth: without comparing guesses with true beginnings the levels differ."""
    monkeypatch.setattr(Chunks, "_wrong", lambda *_: np.empty(0, np.int64))
    with pytest.raises(AssertionError):
        check([[(True, 0.2, 0.9, None)] * 60], [0.1], 0.09)
