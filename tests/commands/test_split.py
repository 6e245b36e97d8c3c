"""Splitting: taking a text out of its memory, and putting it back."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, NotFound
from helixlog.eventlog.events import MembershipOverruled
from msgspec.structs import replace

FACT = "The build server caches wheels between runs"
REWORDED = "The build server does cache wheels between runs"


@pytest.fixture
def merged(memory):
    first, second = memory.store(FACT, tags=["a"]), memory.store(REWORDED, tags=["b"])
    assert second.status == "merged"
    return first.id, second.text_id


def test_a_text_that_was_merged_begins_a_memory_of_its_own(memory, merged):
    first, second = merged
    done = memory.split(second, "not the same")
    assert (done.id, done.split_from, done.text, done.state) == (second, first, REWORDED, "live")
    assert memory.event(done.seq).event == MembershipOverruled(verdict="different", first=second, reason="not the same")
    assert (memory.get(first).text, memory.get(first).merged_from) == (FACT, ())
    assert memory.get(second).tags == ("b",)


def test_splitting_and_merging_back_gives_the_same_memory(memory, merged):
    before = memory.get(merged[0])
    memory.split(merged[1])
    memory.merge(*merged)
    assert replace(memory.get(merged[0]), as_of=before.as_of) == before


def test_a_split_text_has_learned_nothing(memory, merged):
    first, second = merged
    memory.feedback(ids=[first], outcome="delivered")
    memory.split(second)
    assert memory.get(first).effectiveness == pytest.approx(0.6)
    assert (memory.get(second).effectiveness, memory.get(second).uses) == (0.5, 0)


def test_a_text_split_off_what_is_forgotten_is_live(memory, merged, state):
    memory.forget(merged[0])
    assert memory.split(merged[1]).state == "live"
    assert state(merged[0]) == "forgotten"


def test_the_text_that_began_a_memory_stays_while_others_are_with_it(memory, merged, refused):
    with refused(Conflict, "began its memory") as caught:
        memory.split(merged[0])
    assert merged[1] in caught.value.remedy


def test_a_memory_of_one_text_cannot_be_split(memory, refused):
    only = memory.store(FACT)
    with refused(Conflict, "only this one text"):
        memory.split(only.id)


def test_an_unknown_id_is_not_found(memory, refused):
    with refused(NotFound):
        memory.split("zzzzzzzz")
