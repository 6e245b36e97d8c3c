"""Taking edges back, also those that evidence made."""

from __future__ import annotations

import pytest
from helixlog.errors import InvalidInput, NotFound

HAY, FOX = "Llamas eat hay", "Foxes avoid the paddock at noon"


@pytest.fixture
def pair(memory):
    ids = memory.store(HAY).id, memory.store(FOX).id
    memory.link(*ids, relation="led_to")
    memory.link(ids[1], ids[0], relation="extends", weight=0.5)
    return ids


def relations(removed):
    return [tie.relation for tie in removed]


def test_without_a_relation_every_edge_between_the_two_goes_in_either_direction(memory, pair):
    assert sorted(relations(memory.unlink(*pair).removed)) == ["extends", "led_to"]
    assert [one.hop for one in memory.recall("llamas").results] == [0]


def test_with_a_relation_only_that_one_goes(memory, pair):
    assert relations(memory.unlink(*pair, "extends", "not so").removed) == ["extends"]
    assert relations(memory.unlink(*pair).removed) == ["led_to"]


def test_an_edge_that_evidence_made_is_overruled(memory):
    one, other = memory.store("Llamas eat hay in winter"), memory.store("Llamas eat fresh grass in summer")
    (tie,) = memory.unlink(one.id, other.id, "similar").removed
    assert (tie.source, tie.target) == (one.id, other.id)
    assert 0.61 <= tie.weight < 1.0


def test_where_there_is_no_edge_nothing_is_found(memory, pair, refused):
    memory.unlink(*pair)
    for arguments in (pair, (*pair, "led_to"), (pair[0], "entity:nobody"), ("session:a", "session:b")):
        with refused(NotFound, "no edge"):
            memory.unlink(*arguments)


def test_an_edge_to_what_is_forgotten_can_be_taken_back(memory, pair):
    memory.forget(pair[0])
    assert len(memory.unlink(*pair).removed) == 2


def test_ends_are_checked(memory, pair, refused):
    with refused(InvalidInput):
        memory.unlink(pair[0], pair[0])
    with refused(NotFound):
        memory.unlink(pair[0], "zzzzzzzz")
