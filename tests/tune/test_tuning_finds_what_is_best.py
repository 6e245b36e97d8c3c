"""In a world whose best constants are known, tuning finds them from the log alone; where there is nothing, nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helixlog.replay.tuning.space import chosen
from helixlog.replay.tuning.tuning import Plan, tune

NAMES = ("learning_rate", "erosion_rate", "causal_floor")
UNSEEN = 1_000
"""Seed of worlds that no store of these tests is made of."""


@pytest.fixture(scope="session")
def found(drifting, optuna):  # noqa: ARG001 - skipped without it
    """What a search over the three constants that the oracle knows comes to."""
    return drifting.tune(names=NAMES, trials=80)


def test_the_constants_that_ship_are_not_the_best_of_this_world(workload, setting):
    """Measured with the truth: faster erosion is, and no memory of how often a memory served long ago."""
    oracle = workload["oracle"]
    known = oracle.scan(replace(setting, seed=UNSEEN), worlds=4)
    (shipped,) = [one for one in known if one[:3] == oracle.shipped()]
    assert known[0].right > shipped.right + 0.05
    assert all(one.erosion_rate >= 0.3 and one.causal_floor >= 0.66 for one in known[:5])


def test_what_is_best_depends_on_how_fast_the_world_changes(workload, setting):
    oracle = workload["oracle"]
    slow, fast = (oracle.scan(replace(setting, seed=UNSEEN, change_after=days), worlds=2)[0] for days in (100.0, 1.0))
    assert slow.erosion_rate < fast.erosion_rate
    assert slow.learning_rate < fast.learning_rate


@pytest.mark.usefixtures("optuna")
def test_tuning_improves_on_feedback_it_has_not_seen(drifting):
    done = drifting.tune(trials=100)
    assert done.verdict == "improved"
    assert done.gain["ndcg"].interval[0] > 0.0
    assert done.after["ndcg"] == pytest.approx(done.before["ndcg"] + done.gain["ndcg"].value)
    assert done.adopt.startswith("helix adopt --set ")


def test_tuning_finds_the_known_best(found, workload, setting):
    """In worlds it has not seen, judged by the truth, it has most of what the best combination gains."""
    values = tuple(found.constants.get(name, (None, default))[1] for name, default in zip(NAMES, SHIPPED, strict=True))
    oracle = workload["oracle"]
    known = oracle.scan(replace(setting, seed=UNSEEN), worlds=4, besides=[values])
    share = {one[:3]: one.right for one in known}
    shipped = share[oracle.shipped()]
    assert share[values] - shipped > 0.7 * (known[0].right - shipped)


SHIPPED = (0.2, 0.09, 0.33)


@pytest.mark.usefixtures("optuna")
def test_tuning_finds_nothing_where_there_is_nothing(noise):
    done = noise.tune(trials=100)
    assert done.verdict == "no_gain"
    assert done.adopt is None
    assert done.gain["ndcg"].interval[0] <= 0.0 <= done.gain["ndcg"].interval[1]


@pytest.mark.parametrize("objective", ["mrr", "calibration"])
@pytest.mark.usefixtures("optuna")
def test_every_objective_can_be_searched_for(drifting, objective):
    """On the part it learns from, what is found is at least as good as what is in force."""
    done = drifting.tune(objective=objective, trials=40)
    assert done.objective == objective
    assert set(done.gain) == {"ndcg", "mrr", "calibration"}
    assert done.gain[objective].value > 0.0


@pytest.mark.long
@pytest.mark.usefixtures("optuna")
def test_labels_drawn_by_lot_are_seldom_taken_for_a_gain(drifting, evidence_of):
    """A 95 % interval lies above zero by chance in one of forty; of sixty, more than six would be one in a thousand."""
    held, evidence = drifting.view().beliefs.constants, evidence_of(drifting)
    shown, proven = evidence.showings, 0
    for lot in range(60):
        rng = np.random.default_rng(lot)
        order = np.lexsort((rng.random(len(shown.rrf)), shown.group))
        drawn = evidence._replace(showings=shown._replace(relevant=shown.relevant[order]))
        plan = Plan("ndcg", chosen(()), trials=64, seed=lot)
        tuned = tune(drawn, held, plan, chance=lambda below, size, rng=rng: rng.integers(0, below, size))
        proven += tuned.verdict == "improved"
    assert proven <= 6


@pytest.mark.long
@pytest.mark.parametrize("seed", [10, 13, 14])
@pytest.mark.usefixtures("optuna")
def test_tuning_finds_the_known_best_in_other_worlds_too(workload, setting, tmp_path, seed):
    from helixlog.commands.memory import Memory

    workload["make"].make(tmp_path / "store", replace(setting, seed=seed, sessions=400), embedder="none")
    with Memory(tmp_path / "store", create=False) as memory:
        done = memory.tune(names=NAMES)
    assert done.verdict == "improved"
    values = tuple(done.constants.get(name, (None, default))[1] for name, default in zip(NAMES, SHIPPED, strict=True))
    known = workload["oracle"].scan(replace(setting, seed=UNSEEN, sessions=400), worlds=4, besides=[values])
    share = {one[:3]: one.right for one in known}
    assert share[values] - share[SHIPPED] > 0.7 * (known[0].right - share[SHIPPED])
