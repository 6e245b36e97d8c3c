"""Restoring: undoing a forget, a prune or a supersession."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, NotFound

FACT, NEWER = "Llamas eat hay", "Llamas eat straw"


def test_a_forgotten_memory_comes_back(memory, shown):
    one = memory.store(FACT)
    memory.forget(one.id)
    done = memory.restore(one.id, "right after all")
    assert (done.id, done.state, done.reason) == (one.id, "live", "right after all")
    assert shown("llamas") == [FACT]


def test_restoring_what_was_superseded_makes_a_fork_of_two_tips(memory, shown):
    one = memory.store(FACT)
    two = memory.supersede(one.id, NEWER)
    assert memory.restore(one.id).state == "live"
    assert sorted(shown("what do llamas eat")) == [FACT, NEWER]
    three = memory.supersede(one.id, "Llamas eat grass")
    assert {memory.get(i).state for i in (two.id, three.id)} == {"live"}


def test_a_pruned_memory_comes_back_and_its_uses_count_anew(memory, state):
    one = memory.store(FACT)
    for _ in range(4):
        memory.feedback(ids=[one.id], outcome="blocked")
    memory.prune()
    assert state(one.id) == "pruned"
    memory.restore(one.id)
    assert memory.prune().hidden == ()
    assert state(one.id) == "live"


def test_an_expired_memory_that_was_forgotten_is_expired_still(memory, clock):
    one = memory.store(FACT, expires_at="1d")
    memory.forget(one.id)
    clock.at(2)
    assert memory.restore(one.id).state == "expired"


def test_a_live_memory_has_nothing_to_restore(memory, refused):
    one = memory.store(FACT)
    with refused(Conflict, "nothing to restore"):
        memory.restore(one.id)


def test_an_expiry_is_no_matter_of_restoring(memory, clock, refused):
    one = memory.store(FACT, expires_at="1d")
    clock.at(2)
    with refused(Conflict, "nothing to restore") as caught:
        memory.restore(one.id)
    assert "annotate" in caught.value.remedy


def test_an_unknown_id_is_not_found(memory, refused):
    with refused(NotFound):
        memory.restore("zzzzzzzz")


@pytest.mark.parametrize("verb", ["annotate", "feedback"])
def test_a_forgotten_memory_may_still_be_annotated_and_judged(memory, verb, state):
    one = memory.store(FACT)
    memory.forget(one.id)
    if verb == "annotate":
        memory.annotate(one.id, add_tags=["late"])
    else:
        memory.feedback(ids=[one.id], outcome="delivered")
    assert state(one.id) == "forgotten"
