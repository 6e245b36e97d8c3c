"""Learning again from the columns is folding the log under the other constants, to the bit."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helixlog.constants import Constants
from helixlog.errors import InvalidInput
from helixlog.eventlog import events as ev
from helixlog.projections.effectiveness.refold import Refolder
from helixlog.projections.reference import Reference
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_logs import busy_log, fold, learned
from strategies import floor_of, random_constants

SEEDS = st.integers(0, 2**32 - 1)
MEMBERSHIP = ("duplicate", "related")


def two_sets(rng: Random, log) -> tuple[Constants, Constants]:
    """Constants, and others with the same membership."""
    first, second = (random_constants(rng, floor_of(log)) for _ in range(2))
    for fingerprint in {*first.thresholds, *second.thresholds}:
        same = {name: getattr(first.threshold(fingerprint), name) for name in MEMBERSHIP}
        second = second.altered(
            {"related": -1.0, "duplicate": 1.0, "causal": second.threshold(fingerprint).causal},
            fingerprint=None if fingerprint == "*" else fingerprint,
        ).altered(same, fingerprint=None if fingerprint == "*" else fingerprint)
    return first, second.altered({"max_links": first.max_links})


@settings(deadline=None, max_examples=60)
@given(SEEDS, st.integers(2, 120), st.data())
def test_it_is_the_fold_of_the_log_under_them(seed, size, data):
    rng = Random(seed)
    log = busy_log(rng, size)
    first, second = two_sets(rng, log)
    refold = Refolder(fold(log, first).effectiveness).fold(second)
    for n in (size, data.draw(st.integers(1, size))):
        other, clock = fold(log[:n], second), log[n - 1].recorded_at
        told = learned(other, clock)
        other.effectiveness = refold.state(n, len(other.texts))
        assert learned(other, clock) == told


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(1, 100))
def test_what_is_learned_has_a_past_of_its_own(seed, n):
    rng = Random(seed)
    log = busy_log(rng, 100)
    first, second = two_sets(rng, log)
    refold = Refolder(fold(log, first).effectiveness).fold(second)
    other, clock = fold(log[:n], second), log[n - 1].recorded_at
    told = learned(other, clock)
    other.effectiveness = refold.state().as_of(n, len(other.texts))
    assert learned(other, clock) == told


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(2, 120))
def test_every_use_says_what_the_reference_believed_just_before_it(seed, size):
    rng = Random(seed)
    log = busy_log(rng, size)
    first, second = two_sets(rng, log)
    refold = Refolder(fold(log, first).effectiveness).fold(second)
    uses, velocity = refold.uses(), refold.velocity()
    expected = list(before_uses(log, second))
    assert len(expected) == len(uses.seq)
    places = sorted(range(len(uses.seq)), key=lambda n: (uses.seq[n], uses.root[n]))
    found = [
        (
            *(int(column[n]) for column in (uses.seq, uses.root, uses.uses, uses.hits, uses.recency_days, velocity)),
            bool(uses.weight[n] >= 0.0),
            *(float(column[n]).hex() for column in (uses.value, uses.adjusted)),
        )
        for n in places
    ]
    assert found == expected


def before_uses(log, constants):
    """By stepping the reference: of every use, what was believed of its memory before the feedback."""
    stepped = Reference(constants)
    for recorded in log:
        t, before = recorded.recorded_at, {}
        if isinstance(recorded.event, ev.FeedbackGiven):
            before = {
                root: (
                    (memory.uses, memory.hits, stepped.recency_days(memory, t), stepped.velocity(memory, t)),
                    (stepped.value(memory, t).hex(), stepped.adjusted(memory, t).hex()),
                )
                for root, memory in stepped.memories.items()
            }
        stepped.apply(recorded)
        for root in sorted(before):
            memory, (numbers, values) = stepped.memories[root], before[root]
            if memory.uses > numbers[0]:
                yield (recorded.seq, root, *numbers, memory.hits > numbers[1], *values)


@pytest.mark.parametrize("seed", range(1, 4))
def test_contexts_are_read_again_only_where_there_are_other_causes(seed):
    rng = Random(seed)
    log = busy_log(rng, 120)
    beliefs = fold(log, Constants.seed())
    beliefs.effectiveness.contexts = lambda _: pytest.fail("read")
    refolder = Refolder(beliefs.effectiveness)
    refolder.fold(Constants.seed().altered({"learning_rate": 0.4, "decay_rate": 0.03, "causal_ramp": 0.1}))
    with pytest.raises(pytest.fail.Exception, match="read"):
        refolder.fold(Constants.seed().altered({"causal": 0.55}))


def test_a_refold_under_the_same_constants_is_not_vacuous():
    rng = Random(3)
    log = busy_log(rng, 120)
    first, second = two_sets(rng, log)
    refolder = Refolder(fold(log, first).effectiveness)
    same, other = (refolder.fold(constants).uses().value for constants in (first, second))
    assert len(same) > 50
    assert not np.array_equal(same, other)


def test_exposures_that_were_lost_are_told_of():
    beliefs = fold(busy_log(Random(1), 30), Constants.seed())
    beliefs.effectiveness.exposures.start = 10
    with pytest.raises(InvalidInput, match="exposures"):
        Refolder(beliefs.effectiveness)
