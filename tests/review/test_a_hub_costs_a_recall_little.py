"""Edges are followed all at once, and as one by one: the same memories by the same ways."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from helixlog.eventlog import events as ev
from helixlog.projections.columns import Lookup
from helixlog.projections.graph.edges import Graph, resolved_edge
from helixlog.recall.expansion import WAYS, Paths, expand, neighbours, relation_name
from helixlog.recall.names import CROWD, FOLLOWED

pytestmark = pytest.mark.usefixtures("loops")


def end(one):
    return ev.Endpoint(id=one)


def told(rng, count):
    """Texts of which some name an entity, and edges, unions and supersessions among them."""
    names = [ev.Term(name=name, key=name) for name in "abc"]
    for n in range(count):
        yield f"id{n}", ev.MemoryStored(text=f"text {n}", entities=tuple(rng.sample(names, rng.choice((0, 0, 1, 2)))))
    for _ in range(4 * count):
        one, other = (f"id{rng.randrange(count)}" for _ in range(2))
        relation = rng.choice((*sorted(FOLLOWED), "differs_from"))
        weight = rng.choice((1.0, 0.5, 0.25))
        yield None, ev.MemoriesLinked(source=end(one), target=end(other), relation=relation, weight=weight)
    for _ in range(count // 5):
        one, other = (f"id{rng.randrange(count)}" for _ in range(2))
        yield None, ev.MemorySuperseded(old=one, new=other)
        one, other = (f"id{rng.randrange(count)}" for _ in range(2))
        yield None, ev.MembershipOverruled(verdict="same", first=one, second=other)


def tips(memories, root, paths, seen):
    """What took a memory's place, one at a time."""
    if root in seen:
        return set()
    seen.add(root)
    if paths.believed[root]:
        return {root}
    if not (memories.table["superseded"][root] and paths.passable()[root]):
        return set()
    return set().union(*(tips(memories, new, paths, seen) for new in memories.superseded_by(root)))


def plain_neighbours(view, root, paths):
    """Edge by edge."""
    beliefs, memories = view.beliefs, view.beliefs.memories
    rows = {row for member in memories.members(root).tolist() for row in beliefs.graph.rows(member).tolist()}
    for edge in (resolved_edge(beliefs.graph.edge(row), memories.root) for row in sorted(rows)):
        if edge is not None and edge.relation in FOLLOWED and min(edge.source, edge.target) >= 0:
            other = edge.target if edge.source == root else edge.source
            stale = edge.relation == "updates" and memories.table["superseded"][other]
            for near in sorted(tips(memories, other, paths, {root})) if stale else [other]:
                if paths.believed[near]:
                    yield near, edge.relation, edge.weight
    for code in memories.terms_of(root):
        others = [one for one in memories.carriers(code).tolist() if paths.believed[one]]
        if 2 <= len(others) <= CROWD:
            yield from ((one, "mentions", 1.0 / (len(others) - 1)) for one in others if one != root)


def plain_expand(view, parents, paths, known, hops):
    reached, frontier = {}, dict(parents)
    for hop in range(1, hops + 1):
        found = {}
        for parent in sorted(frontier, key=lambda root: (-frontier[root], -root)):
            for near, relation, weight in plain_neighbours(view, parent, paths):
                rrf = view.beliefs.constants.hop_discount * weight * frontier[parent]
                if near not in known and near not in reached and (near not in found or rrf > found[near][0]):
                    found[near] = (rrf, hop, parent, relation, weight)
        reached |= found
        frontier = {root: value[0] for root, value in found.items()}
    return reached


def direct(parents):
    """Direct hits, given by root and rrf."""
    found = np.zeros(len(parents), WAYS)
    found["root"], found["rrf"] = list(parents), list(parents.values())
    return found


def opened(graph):
    """Have no edge come later: all are in the sorted lookups, as those of a store that was just opened are."""
    graph.settle()
    graph.adopt(Lookup.over(graph.table["source"]), Lookup.over(graph.table["target"]))


@pytest.mark.parametrize("seed", range(40))
def test_expansion_finds_what_following_edge_by_edge_finds(seed, folded):
    rng = Random(seed)
    view = SimpleNamespace(beliefs=folded(told(rng, rng.choice((10, 40)))))
    if seed % 2:
        opened(view.beliefs.graph)
    table = view.beliefs.memories.table
    own = table["root"] == np.arange(len(table))
    shown = own & np.array([rng.random() < 0.8 for _ in own])
    paths = Paths(shown & (table["superseded"] == 0), lambda: shown)
    roots = np.flatnonzero(paths.believed).tolist()
    known = rng.sample(roots, min(len(roots), 4))
    parents = {root: rng.choice((0.5, 0.25, 0.125)) for root in known[:3]}
    for root in roots:
        ties = neighbours(view, np.array([root]), paths)
        found = [relation_name(view, number) for number in ties["relation"].tolist()]
        assert list(zip(ties["root"].tolist(), found, ties["edge"].tolist(), strict=True)) == list(
            plain_neighbours(view, root, paths)
        )
    reached = expand(view, direct(parents), paths, np.array(known), 3)
    assert {
        root: (rrf, hop, parent, relation_name(view, relation), edge)
        for root, rrf, hop, parent, relation, edge in reached.tolist()
    } == plain_expand(view, parents, paths, set(known), 3)


def test_no_edge_of_a_hub_is_looked_at_alone(monkeypatch, folded):
    texts = [(f"id{n}", ev.MemoryStored(text=f"text {n}")) for n in range(4_001)]
    links = [
        (None, ev.MemoriesLinked(source=end("id0"), target=end(f"id{n}"), relation="led_to")) for n in range(1, 4_001)
    ]
    view = SimpleNamespace(beliefs=folded([*texts, *links]))
    monkeypatch.setattr(Graph, "edge", lambda *_: 1 / 0)
    opened(view.beliefs.graph)
    everything = np.ones(4_001, np.bool_)
    reached = expand(view, direct({0: 1.0}), Paths(everything, lambda: everything), np.array([0]), 1)
    assert reached["root"].tolist() == list(range(1, 4_001))
