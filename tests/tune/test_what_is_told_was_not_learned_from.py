"""The search sees the earlier part alone; figures are of the later part; the same asked twice is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helixlog.commands.memory import Memory
from helixlog.commands.times import parse_time
from helixlog.replay.tuning.comparing import part, score, split
from helixlog.replay.tuning.objectives import Judge
from helixlog.replay.tuning.space import chosen
from helixlog.replay.tuning.tuning import Plan, tune

FEW = 24


def chance(seed=0):
    rng = np.random.default_rng(seed)
    return lambda below, size: rng.integers(0, below, size)


@pytest.fixture(scope="session")
def seen(drifting, evidence_of):
    return evidence_of(drifting)


@pytest.fixture(scope="session")
def held(drifting):
    return drifting.view().beliefs.constants


def turned(evidence, first):
    """The evidence with the later part's feedback saying the opposite."""
    shown = evidence.showings
    late = evidence.feedback[shown.group] >= first
    return evidence._replace(showings=shown._replace(relevant=np.where(late, ~shown.relevant, shown.relevant)))


@pytest.mark.usefixtures("optuna")
def test_what_comes_later_changes_the_figures_and_not_the_search(seen, held):
    plan = Plan("ndcg", chosen(()), trials=FEW)
    one = tune(seen, held, plan, chance=chance())
    other = tune(turned(seen, one.parts.first), held, plan, chance=chance())
    assert one.trials == other.trials
    assert one.changes == other.changes
    assert one.before != other.before


def test_a_search_that_saw_everything_would_be_noticed(seen, held):
    """The score that is searched for is not the one over all feedback."""
    judge = Judge(seen, held, 5)
    parts = split(judge, "ndcg", 0.7)
    measured = judge.measure(held)
    assert score(judge, measured, "ndcg", parts) != pytest.approx(measured.ndcg.mean(), abs=1e-6)


@pytest.mark.parametrize("objective", ["ndcg", "mrr", "calibration"])
def test_the_parts_are_whole_and_in_time(seen, held, objective):
    judge = Judge(seen, held, 5)
    parts = split(judge, objective, 0.7)
    early, late = (part(judge, objective, parts, later=later) for later in (False, True))
    assert (early ^ late).all()
    assert (early.sum(), late.sum()) == (parts.learn, parts.report)
    events = judge.feedbacks(objective)
    assert events[early].max() < events[late].min() == parts.first


@pytest.mark.usefixtures("optuna")
def test_the_answer_names_the_moment_of_the_split(drifting):
    done = drifting.tune(trials=8)
    seq = drifting.eventlog.seq_at(parse_time(done.split.at, now=0))
    assert drifting.event(seq).recorded_at == parse_time(done.split.at, now=0)
    assert done.split.learn + done.split.report == done.evidence.judged["ndcg"]


@pytest.mark.usefixtures("optuna")
def test_the_same_seed_gives_the_same_answer(drifting):
    assert drifting.tune(trials=FEW, seed=7) == drifting.tune(trials=FEW, seed=7)
    assert drifting.tune(trials=FEW, seed=7).gain != drifting.tune(trials=FEW, seed=8).gain


@pytest.mark.usefixtures("optuna")
def test_the_number_of_processes_changes_nothing(drifting):
    assert drifting.tune(trials=FEW, jobs=2) == drifting.tune(trials=FEW)


@pytest.mark.usefixtures("optuna")
def test_seconds_end_the_search_early(drifting):
    done = drifting.tune(trials=10_000, seconds=0.001)
    assert 0 < done.evidence.trials < 100


@pytest.mark.usefixtures("optuna")
def test_a_search_without_luck_ends(seen, held):
    """Where no candidate differs, nothing better can come."""
    plan = Plan("ndcg", ("initial_imported",), trials=10_000)
    tuned = tune(seen, held, plan, chance=chance())
    assert len(tuned.trials) < 200
    assert tuned.changes == {}
    assert tuned.verdict == "no_gain"


@pytest.mark.usefixtures("optuna")
def test_tuning_the_past_is_tuning_a_store_that_knows_no_more(drifting, workload, setting, tmp_path):
    """Half as many sessions of the same world make the first half of its events."""
    workload["make"].make(tmp_path / "half", replace(setting, sessions=setting.sessions // 2), embedder="none")
    with Memory(tmp_path / "half", create=False) as half:
        assert drifting.as_of(f"@{half.eventlog.head.seq}").tune(trials=FEW) == half.tune(trials=FEW)


@pytest.mark.usefixtures("optuna")
def test_tuning_writes_nothing(drifting):
    head = drifting.eventlog.head
    drifting.tune(trials=8)
    assert drifting.eventlog.head == head
