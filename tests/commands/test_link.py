"""Edges that somebody declares, and takes back."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, InvalidInput, NotFound
from helixlog.eventlog.events import Endpoint, MemoriesLinked

HAY, STRAW, FOX = "Llamas eat hay", "Straw is kept in the western barn", "Foxes avoid the paddock at noon"


@pytest.fixture
def pair(memory):
    return memory.store(HAY).id, memory.store(FOX).id


def test_an_edge_has_its_ends_relation_and_weight(memory, pair):
    done = memory.link(*pair, relation="led_to", weight=0.5, reason="seen twice")
    assert (done.source, done.target, done.relation, done.weight) == (*pair, "led_to", 0.5)
    ends = [Endpoint(id=one) for one in pair]
    assert memory.event(done.seq).event == MemoriesLinked(
        source=ends[0], target=ends[1], relation="led_to", weight=0.5, reason="seen twice"
    )


def test_recall_follows_an_edge(memory, pair):
    memory.link(*pair)
    hops = [(one.text, one.hop, one.relation) for one in memory.recall("what do llamas eat").results]
    assert (FOX, 1, "relates_to") in hops


def test_the_last_weight_of_an_edge_wins(memory, pair):
    memory.link(*pair, weight=0.5)
    assert memory.link(*pair, weight=0.25).weight == 0.25
    assert len(memory.unlink(*pair).removed) == 1


@pytest.mark.parametrize(
    ("end", "name"),
    [
        ("entity:ACME  Corp", "entity:acme corp"),
        ("category:Farming", "category:farming"),
        ("document:d-1", "document:d-1"),
        ("session:s-1", "session:s-1"),
    ],
)
def test_an_end_may_be_a_name_a_document_or_a_session(memory, pair, end, name):
    assert memory.link(pair[0][:24], end).target == name
    assert memory.link(end, pair[1]).source == name
    assert [tie.target for tie in memory.unlink(pair[0], end).removed] == [name]


def test_ends_that_are_merged_later_are_found_by_both_ids(memory, pair):
    other = memory.store(STRAW).id
    memory.link(pair[0], other)
    memory.merge(other, pair[1])
    assert [tie.target for tie in memory.unlink(other, pair[0]).removed] == [pair[1]]


def test_an_edge_of_one_memory_to_itself_is_refused(memory, pair, refused):
    again = memory.store(HAY)
    with refused(InvalidInput, "same"):
        memory.link(pair[0], pair[0])
    with refused(InvalidInput, "same"):
        memory.link("entity:ACME", "entity:acme")
    with refused(Conflict, "one memory"):
        memory.link(pair[0], again.text_id)


@pytest.mark.parametrize("weight", [0, -0.5, 1.5, float("nan"), True, "1"])
def test_a_weight_is_above_zero_and_at_most_one(memory, pair, refused, weight):
    with refused(InvalidInput, "weight"):
        memory.link(*pair, weight=weight)


@pytest.mark.parametrize("end", ["planet:mars", "entity:", "session: ", ":x", "entity:a\nb", 7, ""])
def test_a_malformed_end_is_refused(memory, pair, refused, end):
    with refused(InvalidInput):
        memory.link(pair[0], end)


def test_an_unknown_memory_is_not_found(memory, pair, refused):
    with refused(NotFound):
        memory.link(pair[0], "zzzzzzzz")
    with refused(NotFound):
        memory.link("memory:zzzzzzzz", pair[1])


def test_a_blank_relation_is_refused(memory, pair, refused):
    with refused(InvalidInput, "relation"):
        memory.link(*pair, relation=" ")
