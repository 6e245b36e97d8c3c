"""Graph expansion adds what the graph ties to the answer, on the same scale and behind what is better in every way."""

from __future__ import annotations

import pytest
from helixlog.eventlog.events import Endpoint, MemoriesLinked, Scope

SIGNALS = ("cosine", "bm25", "adjusted", "recency", "velocity")


def signal(hit, name):
    """A signal of a hit, -1 where there is none."""
    value = getattr(hit, name)
    return -1 if value is None else value


@pytest.fixture
def linked(memory, told):
    """`linked(cosine, **fields)`: a direct hit, and a memory far from every query that it is linked to; their ids."""

    def made(weight=1.0, **fields):
        near = memory.store(told.at("The crane lifts steel", 0.9)).id
        far = memory.store(told.at("Sand is delivered on Monday", 0.0), **fields).id
        memory.link(near, far, relation="led_to", weight=weight)
        return near, far

    return made


def test_a_neighbour_has_its_share_of_the_parents_rank(memory, ask, linked):
    near, far = linked(weight=0.5)
    answer = ask("anything", hops=1)
    direct, hop = answer.hits
    ids = memory.view().beliefs.texts.id_of
    assert (ids(direct.root), ids(hop.root), ids(hop.parent)) == (near, far, near)
    assert (hop.hop, hop.relation, hop.edge, answer.ranks(hop)) == (1, "led_to", 0.5, {})
    assert hop.rrf == pytest.approx(0.7 * 0.5 * direct.rrf, abs=1e-15)
    assert hop.score == pytest.approx(hop.rrf * 0.75, abs=1e-15)


def test_a_neighbour_has_its_own_factors(memory, ask, linked):
    _, far = linked()
    for _ in range(5):
        memory.feedback(ids=[far], outcome="delivered")
    direct, hop = ask("anything", hops=1).hits
    assert hop.effectiveness > 0.8 > direct.effectiveness
    assert hop.score == pytest.approx(hop.rrf * (0.5 + 0.5 * hop.adjusted) * 1.10, abs=1e-15)


def test_without_hops_there_are_none_and_each_hop_is_one_edge(memory, told, ask, linked):
    _, far = linked()
    further = memory.store(told.at("Gravel is delivered on Friday", 0.0)).id
    memory.link(far, further, relation="led_to")
    assert [[hit.hop for hit in ask("anything", hops=hops).hits] for hops in (0, 1, 2)] == [[0], [0, 1], [0, 1, 2]]


@pytest.mark.parametrize(
    ("fields", "question"),
    [
        ({"user": "bob"}, {}),
        ({"project": "ship"}, {"project": "harbour"}),
        ({"kind": "episode"}, {"kind": "fact"}),
        ({"expires_at": 1_740_000_000_000_000_000}, {}),
        ({"valid_to": 1_740_000_000_000_000_000}, {}),
        ({}, {"min_effectiveness": 0.51}),
        ({}, {"suppress": True}),
    ],
)
def test_a_hop_shows_nothing_that_is_hidden(memory, told, shown, fields, question):
    project = question.get("project")
    near = memory.store(told.at("The crane lifts steel", 0.9), project=project).id
    far = memory.store(told.at("Sand is delivered on Monday", 0.0), **fields).id
    behind = memory.store(told.at("Gravel is delivered on Friday", 0.0), project=project).id
    for source, target in ((near, far), (far, behind)):
        ends = {"source": Endpoint(id=source), "target": Endpoint(id=target)}
        memory.append([MemoriesLinked(relation="relates_to", **ends)])
    memory.feedback(ids=[near, behind], outcome="delivered")
    asked = {**question, "suppress": [far]} if "suppress" in question else question
    assert shown("anything", hops=2, **asked) == ["The crane lifts steel"]
    assert "Sand is delivered on Monday" in shown("anything", hops=2, deep=True) or "suppress" not in question


@pytest.mark.parametrize("verb", ["forget", "supersede"])
def test_a_hop_over_what_is_gone_leads_to_what_took_its_place_or_nowhere(memory, told, shown, linked, verb):
    _, far = linked()
    told.at("Sand is delivered on Tuesday", 0.0)
    memory.forget(far) if verb == "forget" else memory.supersede(far, "Sand is delivered on Tuesday")
    assert "Sand is delivered on Monday" not in shown("anything", hops=1)


def test_a_hop_never_passes_a_direct_hit_that_is_as_good_in_every_way(memory, told, ask, store_all):
    """A strong parent would lift its neighbour above the weakest direct hits."""
    parent = memory.store(told.at("The crane lifts steel", 0.95)).id
    far = memory.store(told.at("Sand is delivered on Monday", 0.0)).id
    store_all([told.at(f"Pier {number} is open", 0.5) for number in range(90)])
    memory.link(parent, far)
    hits = ask("anything", hops=1, limit=100).hits
    hop = next(hit for hit in hits if hit.hop)
    assert hop.capped
    as_good = [hit for hit in hits if not hit.hop and all(signal(hit, name) >= signal(hop, name) for name in SIGNALS)]
    assert len(as_good) > 50
    assert all(hit.score >= hop.score and hits.index(hit) < hits.index(hop) for hit in as_good)


def test_names_tie_memories_and_do_so_only_where_they_may_be_seen(memory, told, ask):
    memory.store(told.at("The crane lifts steel", 0.9), entities=["Lima"], shared=True)
    memory.store(told.at("Sand is delivered on Monday", 0.0), entities=["Lima"], shared=True)
    before = [(hit.root, hit.score.hex()) for hit in ask("anything", hops=1, user="eve").hits]
    assert len(before) == 2
    for number in range(5):
        memory.store(told.at(f"Secret {number}", 0.0), entities=["Lima"], user="bob")
    assert [(hit.root, hit.score.hex()) for hit in ask("anything", hops=1, user="eve").hits] == before


def test_a_filter_on_scope_holds_for_hops(memory, told, store_all, shown):
    store_all([told.at("The crane lifts steel", 0.9)], scope=Scope(project="harbour"), tags=("kept",))
    store_all([told.at("Sand is delivered on Monday", 0.0)], scope=Scope(project="harbour"))
    ids = [one.id for one in memory.list().memories]
    memory.link(ids[0], ids[1])
    assert len(shown("anything", hops=1, project="harbour")) == 2
    assert shown("anything", hops=1, tags=["kept"]) == ["The crane lifts steel"]
