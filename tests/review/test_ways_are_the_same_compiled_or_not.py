"""Ways by edges and names, and carriers of terms, are the same whether a compiled loop or NumPy finds them."""

from __future__ import annotations

from collections import Counter
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from helixlog.eventlog import events as ev
from helixlog.projections import compiled
from helixlog.projections.columns import Lookup
from helixlog.recall.expansion import WAYS, Paths, expand, neighbours
from helixlog.recall.names import CROWD, FOLLOWED

pytestmark = pytest.mark.skipif(compiled.edges is None, reason="nothing was compiled here")

NAMES = [ev.Term(name=name, key=name) for name in ("ada", "bob", "eve")]
EVENTS = ("text", "text", "text", "link", "link", "name", "annotated", "superseded", "same", "different", "forgotten")


def story(rng, count, *, names):
    """Events that store, link, annotate, unite and supersede what came before; `names`: also link to names."""
    ids = ["id0"]
    yield "id0", text(rng, 0)
    for n in range(1, count):
        kind, one, other = rng.choice(EVENTS), rng.choice(ids), rng.choice(ids)
        if kind == "text":
            ids.append(f"id{n}")
            yield ids[-1], text(rng, n)
        elif kind == "link" or (kind == "name" and names):
            named = ev.Endpoint(kind=rng.choice(("entity", "category", "document")), id=rng.choice(NAMES).name)
            ends = [ev.Endpoint(id=one), ev.Endpoint(id=other) if kind == "link" else named]
            rng.shuffle(ends)
            relation, weight = rng.choice((*sorted(FOLLOWED), "differs_from", "mentions")), rng.choice((1.0, 0.5))
            yield None, ev.MemoriesLinked(source=ends[0], target=ends[1], relation=relation, weight=weight)
        elif kind == "annotated":
            added = {"add_entities": (rng.choice(NAMES),), "remove_categories": (rng.choice(NAMES).key,)}
            yield None, ev.MemoryAnnotated(memory=one, **added)
        elif kind == "superseded":
            yield None, ev.MemorySuperseded(old=one, new=other)
        elif kind in ("same", "different"):
            second = other if kind == "same" else None
            yield None, ev.MembershipOverruled(verdict=kind, first=one, second=second)
        elif kind == "forgotten":
            yield None, ev.MemoryForgotten(memory=one)


def text(rng, n):
    terms = {field: tuple(rng.sample(NAMES, rng.choice((0, 0, 1, 2)))) for field in ("entities", "categories")}
    return ev.MemoryStored(text=f"text {n}", tags=("ada",), **terms)


def opened(beliefs):
    """Have the lookups be those of a store that was opened now, so that what comes is later."""
    graph, texts = beliefs.graph, beliefs.texts
    graph.settle()
    graph.adopt(Lookup.over(graph.table["source"]), Lookup.over(graph.table["target"]))
    texts.by_term = texts.term_lookup()


def answers(beliefs, shown, believed):
    """Everything that the loops find, as bytes."""
    view, paths = SimpleNamespace(beliefs=beliefs), Paths(believed, lambda: shown)
    roots = np.flatnonzero(beliefs.memories.table["root"] == np.arange(len(shown)))
    parents = np.zeros(len(roots[::3]), WAYS)
    parents["root"], parents["rrf"] = roots[::3], 1.0 / (1.0 + np.arange(len(parents)) // 2)
    return [
        neighbours(view, roots, paths).tobytes(),
        *(
            expand(view, parents, paths, parents["root"], hops, worth=worth).tobytes()
            for hops in (1, 3)
            for worth in (0.0, 0.1)
        ),
        *(beliefs.memories.carriers(code).tobytes() for code in range(-1, len(beliefs.texts.terms))),
    ]


def compared(beliefs, rng, met):
    """Hold both to each other, and count what there was to be found."""
    table = beliefs.memories.table
    shown = (table["root"] == np.arange(len(table))) & np.array([rng.random() < 0.9 for _ in range(len(table))])
    believed = shown & (table["superseded"] == 0)
    found = answers(beliefs, shown, believed)
    with compiled.numpy_alone():
        assert answers(beliefs, shown, believed) == found
    ways = np.frombuffer(found[0], WAYS)
    roots = np.flatnonzero(table["root"] == np.arange(len(table)))
    met["names"] += int((ways["relation"] < 0).sum())
    met["gained"] += int((table["changed"][roots[ways["parent"][ways["relation"] < 0]]] == 1).sum())
    met["edges"] += int((ways["relation"] >= 0).sum())
    met["members"] += int((table["members"][roots[ways["parent"][ways["relation"] >= 0]]] > 1).sum())
    met["later"] += bool(beliefs.graph.lookups()[0][2]) and bool(len(beliefs.graph.lookups()[0][0]))


@pytest.mark.parametrize("names", [False, True])
def test_both_find_the_same_now_and_then(folded, names):
    met = {when: Counter() for when in ("now", "then")}
    for seed in range(60):
        rng = Random(seed)
        events = list(story(rng, rng.choice((12, 60, 120)), names=names))
        beliefs = folded(events[: len(events) // 2])
        if seed % 3:
            opened(beliefs)
        first = beliefs.seq + 1
        rest = [
            ev.Recorded(seq=n, recorded_at=n, clock=n, id=one, event=event)
            for n, (one, event) in enumerate(events[len(events) // 2 :], first)
        ]
        beliefs.apply(rest)
        compared(beliefs, rng, met["now"])
        compared(beliefs.as_of(rng.randrange(2, beliefs.seq)), rng, met["then"])
    for found in met.values():
        assert min(found[what] for what in ("names", "gained", "edges", "members", "later")) > 5, met


def test_what_took_the_place_of_a_memory_is_found_by_both(folded):
    texts = [(f"id{n}", ev.MemoryStored(text=f"text {n}")) for n in range(4)]
    link = ev.MemoriesLinked(source=ev.Endpoint(id="id0"), target=ev.Endpoint(id="id1"), relation="updates")
    replaced = [ev.MemorySuperseded(old="id1", new="id2"), ev.MemorySuperseded(old="id1", new="id3")]
    beliefs = folded([*texts, (None, link), *((None, one) for one in replaced)])
    shown = np.ones(4, np.bool_)
    found = answers(beliefs, shown, beliefs.memories.table["superseded"] == 0)
    ways = np.frombuffer(found[0], WAYS)
    assert ways["root"][ways["parent"] == 0].tolist() == [2, 3]
    with compiled.numpy_alone():
        assert answers(beliefs, shown, beliefs.memories.table["superseded"] == 0) == found


@pytest.mark.parametrize("hidden", [0, 3])
def test_a_name_ties_no_more_than_a_crowd_of_those_shown(folded, hidden):
    for count in (CROWD, CROWD + 1):
        texts = [(f"id{n}", ev.MemoryStored(text=f"text {n}", entities=(NAMES[0],))) for n in range(count + hidden)]
        beliefs = folded(texts)
        opened(beliefs)
        shown = np.arange(count + hidden) >= hidden
        found = answers(beliefs, shown, shown)
        ways, each = np.frombuffer(found[0], WAYS), CROWD - 1 + hidden if count == CROWD else 0
        assert np.bincount(ways["root"], minlength=len(shown)).tolist() == (each * shown).tolist()
        with compiled.numpy_alone():
            assert answers(beliefs, shown, shown) == found
