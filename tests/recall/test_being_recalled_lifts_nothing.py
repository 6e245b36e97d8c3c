"""A hundred recalls change no score, no order and no effectiveness; what helped does."""

from __future__ import annotations

import pytest

FIRST, SECOND = "The runbook for outages is in the wiki", "The handbook for outages is in the safe"


@pytest.fixture
def two(memory, told):
    return [memory.store(told.at(text, 0.7, towards=1)).id for text in (FIRST, SECOND)]


def scores(memory):
    return [(one.id, one.score.hex(), one.effectiveness) for one in memory.recall("x", record=False).results]


def test_a_hundred_recalls_lift_nothing(memory, two):
    before = scores(memory)
    for _ in range(100):
        assert memory.recall("x").recorded
    assert scores(memory) == before
    memory.feedback(ids=[two[0]], outcome="delivered")
    assert [one[0] for one in scores(memory)] == two


def test_a_recall_that_is_not_recorded_leaves_no_trace(memory, two):
    head = memory.eventlog.head
    assert not memory.recall("x", record=False).recorded
    assert not memory.recall("x", as_of=f"@{head.seq}").recorded
    assert not memory.recall("x", constants=memory.view().beliefs.constants).recorded
    assert memory.eventlog.head == head
    assert two
