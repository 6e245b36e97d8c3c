"""A memory has to do with a name whether it carries it or was linked to it; either way recall follows."""

from __future__ import annotations

import pytest
from helixlog.eventlog.events import Endpoint, MemoriesLinked

NEAR, FAR = "The crane lifts steel", "Sand is delivered on Monday"


@pytest.fixture
def two(memory, told):
    """`two(near, far)`: a direct hit and a memory far from every query, with the entities given; their ids."""

    def made(near=(), far=(), **fields):
        ids = [memory.store(told.at(NEAR, 0.9), entities=near).id]
        return [*ids, memory.store(told.at(FAR, 0.0), entities=far, **fields).id]

    return made


def hop(ask, **options):
    hits = ask("anything", hops=1, **options).hits
    return next(((hit.relation, hit.edge) for hit in hits if hit.hop), None)


def test_two_memories_linked_to_the_same_entity_are_neighbours(memory, ask, two):
    for one in two():
        memory.link(one, "entity:Ada Lovelace", relation="mentions")
    assert hop(ask) == ("mentions", 1.0)


@pytest.mark.parametrize("linked", [0, 1])
def test_a_link_and_a_name_that_a_memory_carries_are_one(memory, ask, two, linked):
    ids = two(**{("far", "near")[linked]: ["Ada  LOVELACE"]})
    memory.link(ids[linked], "entity:ada lovelace")
    assert hop(ask) == ("mentions", 1.0)


def test_categories_are_followed_too_and_are_no_entities(memory, ask, two):
    near, far = two()
    memory.link(near, "category:Harbour")
    memory.link("entity:Harbour", far)
    assert hop(ask) is None
    memory.link("category:harbour", far, weight=0.5)
    assert hop(ask) == ("in_category", 0.5)


def test_an_end_that_was_spelt_otherwise_in_the_log_is_the_same(memory, ask, two):
    _, far = two(near=["Ada"])
    memory.append(
        [MemoriesLinked(source=Endpoint(id=far), target=Endpoint(kind="entity", id=" ADA "), relation="mentions")]
    )
    assert hop(ask) == ("mentions", 1.0)


@pytest.mark.parametrize(("kind", "relation"), [("document", "relates_to"), ("entity", "differs_from")])
def test_other_ends_and_other_relations_tie_nothing(memory, ask, two, kind, relation):
    for one in two():
        memory.link(one, f"{kind}:ada", relation=relation)
    assert hop(ask) is None


def test_a_link_taken_back_or_hidden_ties_nothing(memory, ask, two):
    near, far = two(user="bob")
    memory.link(near, "entity:ada")
    memory.link(far, "entity:ada", user="bob")
    assert hop(ask) is None
    shared = memory.store("Gravel is delivered on Friday").id
    memory.link(shared, "entity:ada")
    assert hop(ask) == ("mentions", 1.0)
    memory.unlink(near, "entity:ada")
    assert hop(ask) is None


def test_neighbors_and_explain_know_of_it(memory, two):
    near, far = two(near=["Ada"])
    link = memory.link(far, "entity:ada", weight=0.5)
    assert [(one.id, one.relation, one.weight) for one in memory.neighbors(near).neighbors] == [(far, "mentions", 0.5)]
    explained = memory.explain("anything").results[1]
    rrf = next(factor for factor in explained.factors if factor.name == "rrf")
    assert (explained.relation, rrf.events) == ("mentions", (2, link.seq))
