"""Merging by a person's word, and what is merged or kept apart without one."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, NotFound
from helixlog.eventlog.events import MembershipOverruled

FACT = "The build server caches wheels between runs"
REWORDED = "The build server does cache wheels between runs"
LLAMA = "Llamas eat hay"


def test_two_memories_become_one_under_the_older_id(memory):
    older, younger = memory.store(LLAMA, tags=["farm"]), memory.store("Llamas live on hay and grass", tags=["food"])
    done = memory.merge(younger.id, older.id, "the same fact")
    record = memory.get(younger.id)
    assert (done.id, done.merged_from, done.text) == (older.id, (younger.id,), "Llamas live on hay and grass")
    assert (record.id, record.tags, record.state) == (older.id, ("farm", "food"), done.state)
    assert memory.event(done.seq).event == MembershipOverruled(
        verdict="same", first=younger.id, second=older.id, reason="the same fact"
    )


def test_the_older_keeps_what_it_has_learned(memory):
    older, younger = memory.store(LLAMA), memory.store("Alpacas eat hay")
    memory.feedback(ids=[older.id], outcome="delivered")
    memory.merge(older.id, younger.id)
    assert memory.get(younger.id).effectiveness == pytest.approx(0.6)


def test_a_person_may_merge_what_is_protected(memory):
    older, younger = memory.store(LLAMA, tags=["user-provided"]), memory.store("Llamas like hay")
    memory.merge(older.id, younger.id)
    assert memory.get(younger.id).protected


def test_one_memory_is_not_merged_with_itself(memory, refused):
    first, second = memory.store(LLAMA), memory.store(LLAMA)
    with refused(Conflict, "one memory already"):
        memory.merge(first.text_id, second.text_id)
    with refused(Conflict, "one memory already"):
        memory.merge(first.id, first.id)


@pytest.mark.parametrize("verb", ["forget", "supersede"])
def test_what_is_out_of_sight_is_not_merged(memory, refused, verb):
    first, second = memory.store(LLAMA), memory.store("Alpacas eat hay")
    getattr(memory, verb)(first.id, "Llamas eat straw")
    with refused(Conflict, "restore"):
        memory.merge(first.id, second.id)


@pytest.mark.parametrize("other", [{"shared": True}, {"user": "kim"}, {"project": "atlas"}])
def test_a_merge_never_shows_a_text_to_other_eyes(memory, refused, other):
    first, second = memory.store(LLAMA, grants=["kim"]), memory.store("Alpacas eat hay", **other)
    with refused(Conflict, "different projects"):
        memory.merge(first.id, second.id, user=other.get("user"))


def test_an_unknown_id_is_not_found(memory, refused):
    first = memory.store(LLAMA)
    with refused(NotFound):
        memory.merge(first.id, "zzzzzzzz")


def test_a_rewording_is_merged_and_the_longest_text_leads(memory):
    first, second = memory.store(FACT), memory.store(REWORDED)
    assert (second.status, second.id) == ("merged", first.id)
    assert memory.get(first.id).text == REWORDED


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("protection", [{"tags": ["user-provided"]}, {"kind": "instruction"}])
def test_a_protected_memory_is_never_merged_by_cosine(memory, side, protection):
    texts = [(FACT, {}), (REWORDED, {})]
    texts[side] = (texts[side][0], protection)
    first, second = (memory.store(text, **options) for text, options in texts)
    assert second.status == "added"
    assert second.id != first.id


def test_an_exact_repeat_joins_a_protected_memory_and_keeps_the_protection(memory):
    first = memory.store(FACT, tags=["user-provided"])
    second = memory.store(f" {FACT}", tags=["seen"])
    assert (second.status, second.id) == ("reinforced", first.id)
    assert memory.get(first.id).protected
    assert memory.get(first.id).tags == ("user-provided", "seen")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The service needs Python 3.11", "The service needs Python 3.12"),
        ("Standup is on Monday", "Standup is on Tuesday"),
        ("Direct pushes to main are allowed", "Direct pushes to main are not allowed"),
        ("Indent with tabs, not spaces", "Indent with spaces, not tabs"),
        ("The cache layer is enabled in production", "The cache layer is disabled in production"),
    ],
)
def test_what_a_guard_tells_apart_stays_two_memories(memory, one, other):
    assert memory.store(one).id != memory.store(other).id


def test_eight_identical_stores_end_as_one_memory(memory):
    stored = [memory.store(FACT) for _ in range(8)]
    assert [one.status for one in stored] == ["added"] + ["reinforced"] * 7
    assert memory.count().count == 1
    assert len(memory.get(stored[0].id).merged_from) == 7
