"""What was learned at event n is read of today's columns, and is that of a fold of the first n events, to the bit."""

from __future__ import annotations

from random import Random

import pytest
from helixlog.projections.effectiveness import learning
from helixlog.projections.effectiveness.learning import Effectiveness
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_logs import busy_log, fold, growing, learned
from strategies import floor_of, random_constants

SEEDS = st.integers(0, 2**32 - 1)


def made(seed, size):
    rng = Random(seed)
    log = busy_log(rng, size)
    return log, random_constants(rng, floor_of(log))


@settings(deadline=None, max_examples=60)
@given(SEEDS, st.integers(2, 120), st.data())
def test_any_event_is_that_of_its_prefix(seed, size, data):
    log, constants = made(seed, size)
    whole = fold(log, constants)
    for n in data.draw(st.lists(st.integers(1, size), min_size=1, max_size=4)):
        prefix, clock = fold(log[:n], constants), log[n - 1].recorded_at
        then = whole.effectiveness.as_of(n, len(prefix.texts))
        prefix_learned = learned(prefix, clock)
        prefix.effectiveness = then
        assert learned(prefix, clock) == prefix_learned


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.data())
def test_the_past_of_the_past_is_the_past(seed, data):
    log, constants = made(seed, 100)
    whole = fold(log, constants)
    late, early = sorted(data.draw(st.tuples(st.integers(1, 100), st.integers(1, 100))), reverse=True)
    prefix = fold(log[:early], constants)
    told = learned(prefix, log[early - 1].recorded_at)
    between = whole.effectiveness.as_of(late, len(fold(log[:late], constants).texts))
    prefix.effectiveness = between.as_of(early, len(prefix.texts))
    assert learned(prefix, log[early - 1].recorded_at) == told


@pytest.mark.parametrize("seed", range(8))
def test_it_makes_no_difference_when_and_how_many_at_once_are_learned_from(seed, monkeypatch):
    log, constants = made(seed, 100)
    clock = log[-1].recorded_at
    at_once = learned(fold(log, constants), clock)
    assert learned(fold(log, constants, batch=1), clock) == at_once
    monkeypatch.setattr(learning, "MOST_FRESH", 3)
    assert learned(fold(log, constants), clock) == at_once


@pytest.mark.parametrize("seed", range(8))
def test_reading_meanwhile_makes_no_difference(seed):
    log, constants = made(seed, 90)
    whole = learned(fold(log, constants), log[-1].recorded_at)
    asked, apply = growing(log, constants)
    for recorded in log:
        apply(recorded)
        assert asked.effectiveness.table is not None
        assert not asked.effectiveness.exposures.fresh
    assert learned(asked, log[-1].recorded_at) == whole


def test_nothing_is_folded_for_the_past(monkeypatch):
    log, constants = made(5, 120)
    whole = fold(log, constants)
    whole.effectiveness.flush()
    monkeypatch.setattr(Effectiveness, "_learn", lambda *_: pytest.fail("folded"))
    assert whole.effectiveness.as_of(60, 10).table is not None


def test_a_leak_of_the_future_would_be_noticed():
    """Teeth: today's table, given for that of the prefix, differs."""
    log, constants = made(5, 120)
    prefix, whole = fold(log[:60], constants), fold(log, constants)
    told = learned(prefix, log[59].recorded_at)
    prefix.effectiveness = whole.effectiveness
    assert learned(prefix, log[59].recorded_at) != told
