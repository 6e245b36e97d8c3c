"""Forgetting: out of sight, whatever the state, and nothing lost."""

from __future__ import annotations

import pytest
from helixlog.errors import AmbiguousId, Conflict, InvalidInput, NotFound
from helixlog.eventlog.events import MemoryErased, MemoryForgotten

FACT = "Llamas eat hay"


def test_a_forgotten_memory_is_not_recalled_not_even_deep(memory, shown):
    one = memory.store(FACT)
    done = memory.forget(one.id, "wrong")
    assert (done.id, done.state, done.reason, done.seq) == (one.id, "forgotten", "wrong", memory.eventlog.head.seq)
    assert memory.event(done.seq).event == MemoryForgotten(memory=one.id, reason="wrong")
    assert shown("what do llamas eat") == shown("what do llamas eat", deep=True) == []


def test_any_text_of_a_memory_names_it(memory, state):
    one, again = memory.store(FACT), memory.store(FACT)
    assert memory.forget(again.text_id).id == one.id
    assert state(one.id) == "forgotten"


def test_what_is_superseded_or_expired_can_be_forgotten(memory, clock, state):
    one, other = memory.store(FACT), memory.store("Alpacas eat hay", expires_at="1d")
    memory.supersede(one.id, "Llamas eat straw")
    clock.at(2)
    for memory_id in (one.id, other.id):
        memory.forget(memory_id)
        assert state(memory_id) == "forgotten"


def test_forgetting_twice_is_a_conflict(memory, refused):
    one = memory.store(FACT)
    memory.forget(one.id)
    with refused(Conflict, "already"):
        memory.forget(one.id)


def test_an_erased_memory_is_not_found_by_any_verb(memory, refused):
    one, other = memory.store(FACT), memory.store("Alpacas eat hay")
    memory.append([MemoryErased(memories=(one.id,), rewritten=())])
    calls = [
        (memory.forget, (), {}),
        (memory.restore, (), {}),
        (memory.reinforce, (), {}),
        (memory.split, (), {}),
        (memory.merge, (other.id,), {}),
        (memory.link, (other.id,), {}),
        (memory.unlink, (other.id,), {}),
        (memory.annotate, (), {"note": "gone"}),
        (memory.supersede, ("Llamas eat straw",), {}),
    ]
    for verb, arguments, options in calls:
        with refused(NotFound, "erased"):
            verb(one.id, *arguments, **options)


def test_ids_are_checked(memory, refused):
    memory.store(FACT)
    memory.store("Alpacas eat hay")
    with refused(NotFound):
        memory.forget("zzzzzzzz")
    with refused(InvalidInput):
        memory.forget(" ")
    with refused(AmbiguousId):
        memory.forget("0")
    with refused(InvalidInput):
        memory.forget(7)


def test_a_blank_reason_is_refused(memory, refused):
    one = memory.store(FACT)
    with refused(InvalidInput, "reason is blank"):
        memory.forget(one.id, "  ")


@pytest.mark.parametrize("rounds", [2])
def test_a_forgotten_text_stored_again_is_a_new_memory(memory, rounds, shown):
    ids = set()
    for _ in range(rounds):
        stored = memory.store(FACT)
        assert stored.status == "added"
        ids.add(stored.id)
        memory.forget(stored.id)
    assert len(ids) == rounds
    assert shown("llamas") == []
