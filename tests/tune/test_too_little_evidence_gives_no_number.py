"""With too few judged feedbacks, or all of one kind, there is a reason instead of a figure."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.replay.tuning import comparing
from helixlog.replay.tuning.comparing import LEAST, gain


@pytest.mark.usefixtures("optuna")
def test_a_young_store_gets_no_number(pump):
    done = pump.memory.tune()
    assert done.verdict == "not_enough_evidence"
    assert (done.before, done.after, done.gain, done.constants, done.adopt) == ({}, {}, {}, {}, None)
    assert str(done.evidence.needed) in done.evidence.lacking
    assert done.evidence.trials == 0


@pytest.mark.usefixtures("optuna")
def test_an_empty_store_gets_no_number(story):
    for objective in ("ndcg", "calibration"):
        done = story.memory.tune(objective=objective)
        assert done.verdict == "not_enough_evidence"
        assert done.split.at is None


@pytest.mark.usefixtures("optuna")
def test_without_the_guard_it_would_get_one(pump, monkeypatch):
    monkeypatch.setattr(comparing, "LEAST", 1)
    assert pump.memory.tune(trials=8).gain


@pytest.mark.usefixtures("optuna")
def test_outcomes_of_one_kind_say_nothing_of_calibration(story):
    (only,) = story.store("The pump needs oil.")
    for _ in range(3 * LEAST):
        story.memory.feedback(ids=[only], used=[only], outcome="delivered")
    done = story.memory.tune(objective="calibration", split=0.5)
    assert done.verdict == "not_enough_evidence"
    assert "bad outcomes" in done.evidence.lacking


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.usefixtures("optuna")
def test_a_part_without_anything_is_too_little(drifting, share):
    assert drifting.tune(split=share).verdict == "not_enough_evidence"


def chance(seed=0):
    rng = np.random.default_rng(seed)
    return lambda below, size: rng.integers(0, below, size)


def test_no_change_is_no_gain():
    values = np.random.default_rng(1).random(50)
    same = gain(values, values, "ndcg", chance())
    assert (same.value, same.interval) == (0.0, (0.0, 0.0))
    assert not same.proven


def test_before_and_after_are_drawn_together():
    """A small gain everywhere is proven at once, however far the feedbacks are apart."""
    values = np.random.default_rng(1).random(50)
    paired = gain(values, values + 0.001, "ndcg", chance())
    assert paired.interval == pytest.approx((0.001, 0.001))
    assert paired.proven
    shuffled = gain(values, np.random.default_rng(2).permutation(values) + 0.001, "ndcg", chance())
    assert not shuffled.proven


def test_a_smaller_error_is_a_gain():
    error = np.full(40, 0.3)
    assert gain(error, error - 0.1, "calibration", chance()).value == pytest.approx(0.1)
    assert gain(error, error - 0.1, "ndcg", chance()).lost


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of 200 samples, ten are expected to miss; more than 22 would be one in a thousand."""
    rng = np.random.default_rng(3)
    missed = 0
    for number in range(200):
        low, high = gain(np.zeros(60), rng.normal(0.1, 1.0, 60), "ndcg", chance(number)).interval
        missed += not low <= 0.1 <= high
    assert missed <= 22
