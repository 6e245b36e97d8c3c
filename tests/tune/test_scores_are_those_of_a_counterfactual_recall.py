"""A score under other constants, worked out from what was shown, is that of recall asked then with them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from helixlog.commands.times import format_time
from helixlog.eventlog.events import MemoriesRecalled
from helixlog.replay.tuning.objectives import Judge
from helixlog.replay.tuning.showings import factors_under
from helixlog.replay.tuning.space import TUNABLE, dimension

OTHERS = [
    {},
    {"learning_rate": 0.7, "erosion_rate": 0.4, "causal_floor": 0.9, "causal_min_uses": 1},
    {"decay_after_days": 0.5, "decay_rate": 0.3, "decay_unit_days": 2.0},
    {"recency_per_day": 0.01, "recency_floor": 0.2, "velocity_window_days": 3.5, "velocity_per_use": 0.04},
    {"initial_normal": 0.8, "velocity_cap": 0.5},
]


def recorded(memory):
    """(query, point, shown) of every recall, by event."""
    found = {}
    for one in memory.eventlog.read(1, memory.eventlog.head.seq):
        if isinstance(one.event, MemoriesRecalled) and one.event.query:
            event = one.event
            found[event.point_seq, event.point_clock] = event.query
    return found


def expected(memory, constants):
    """The score of (point, root) as recall gives it under these constants."""
    scores = {}
    for (seq, clock), query in recorded(memory).items():
        point = f"@{seq}/{format_time(clock)}"
        answer = memory.recall(query, hops=0, min_relevance=0.2, as_of=point, constants=constants)
        scores |= {(seq, clock, result.id): result.score for result in answer.results}
    return scores


def worked_out(story, constants):
    """The same from the evidence; the point is known by its clock, which moves on between recalls."""
    evidence, texts = story.evidence(), story.memory.view().beliefs.texts
    scores = evidence.showings.rrf * factors_under(evidence, constants)
    showings = zip(evidence.showings.time.tolist(), evidence.showings.root.tolist(), scores.tolist(), strict=True)
    return {(clock, texts.id_of(root)): score for clock, root, score in showings}


def agree(story, constants):
    wanted = {(clock, name): score for (_, clock, name), score in expected(story.memory, constants).items()}
    found = worked_out(story, constants)
    assert len(found) >= 12
    assert found == pytest.approx({key: wanted[key] for key in found}, rel=1e-12)


@pytest.mark.parametrize("changes", OTHERS, ids=lambda changes: " ".join(changes) or "in force")
def test_a_score_under_other_constants_is_what_recall_would_have_said(pump, changes):
    agree(pump, pump.memory.view().beliefs.constants.altered(changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"causal_ramp": 0.1, "learning_rate": 0.6},
        {"decay_discount": 1.0, "spread_cap": 0.1, "spread_min": 0.0, "decay_after_days": 2.0},
    ],
    ids=lambda changes: " ".join(changes) or "in force",
)
def test_also_where_causes_are_told_by_their_vectors(near, changes):
    agree(near, near.memory.view().beliefs.constants.altered(changes))


def test_also_where_other_thresholds_were_in_force_in_between(near):
    """Others made other causes, which the scores of that day rest on."""
    memory = near.memory
    memory.adopt(reason="a try", changes={"causal": 0.6})
    for _ in range(3):
        near.judge("What happens when a charge fails in billing?", None)
        near.pass_days(3)
    memory.adopt(reason="back", changes={"causal": 0.52})
    agree(near, memory.view().beliefs.constants.altered({"learning_rate": 0.5}))


def test_also_where_other_constants_were_in_force_in_between(pump):
    """The share of the day's constants is divided out, whichever they were."""
    memory = pump.memory
    memory.adopt(reason="a try", changes={"learning_rate": 0.9, "recency_per_day": 0.02, "initial_normal": 0.3})
    for used in (0, 2, 4, 1):
        pump.judge("pump oil", [pump.ids[used]])
        pump.pass_days(5)
    memory.adopt(reason="back", changes={"learning_rate": 0.2, "recency_per_day": 0.003, "initial_normal": 0.5})
    pump.judge("pump oil", [pump.ids[3]])
    agree(pump, memory.view().beliefs.constants.altered({"learning_rate": 0.5}))


def test_an_erasure_takes_the_recalls_that_showed_the_memory_with_it(pump):
    """Their scores are gone, since they told of its text; what was asked later is judged as ever."""
    pump.memory.erase(pump.ids[2])
    assert worked_out(pump, pump.memory.view().beliefs.constants) == {}
    for used in (0, 1, 3, 4):
        pump.judge("pump oil", [pump.ids[used]])
    agree(pump, pump.memory.view().beliefs.constants.altered({"learning_rate": 0.5}))


def test_without_dividing_out_the_constants_of_the_day_they_would_not_agree(pump, monkeypatch):
    from helixlog.replay.tuning import reading

    monkeypatch.setattr(reading, "factors_under", lambda evidence, _: np.ones(len(evidence.showings.rrf)))
    with pytest.raises(AssertionError):
        agree(pump, pump.memory.view().beliefs.constants)


def test_every_constant_that_can_be_tuned_changes_something(drifting, evidence_of):
    """What changes no number would be searched for nothing; what needs origins or contexts is not in this store."""
    held = drifting.view().beliefs.constants
    judge = Judge(evidence_of(drifting), held, 5)
    before = judge.measure(held)
    silent = {
        name
        for name in TUNABLE
        if all(
            all(map(np.array_equal, before, judge.measure(msgspec.structs.replace(held, **{name: value}))))
            for value in map(dimension(name).value, (0.02, 0.98))
        )
    }
    absent = {"initial_derived", "initial_synthesised", "initial_imported", "causal_ramp"}
    of_contexts = {"decay_discount", "spread_cap", "spread_min"}
    of_long_pauses = {"decay_unit_days", "decay_rate", "recency_floor"}
    assert silent <= absent | of_contexts | of_long_pauses
