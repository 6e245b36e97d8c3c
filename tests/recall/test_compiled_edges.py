"""The compiled walk over edges and names refuses what does not fit; what it finds is held to NumPy beside it."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.projections import compiled
from helixlog.projections.columns import Lookup
from helixlog.recall.expansion import WAYS, Paths, neighbours

pytestmark = pytest.mark.skipif(compiled.edges is None, reason="nothing was compiled here")

COLUMNS = {
    "keys": np.array([0], np.int32),
    "rows": np.array([0], np.int32),
    "target_keys": np.array([1], np.int32),
    "target_rows": np.array([0], np.int32),
    "joined_keys": np.array([2], np.int32),
    "joined_rows": np.array([3], np.int32),
    "source": np.array([0], np.int32),
    "target": np.array([1], np.int32),
    "relation": np.array([0], np.int32),
    "weight": np.array([0.5]),
    "until": np.array([0]),
    "today": np.array([0, 1, 2, 2], np.int32),
    "members": np.array([1, 1, 2, 0], np.int32),
    "superseded": np.zeros(4, np.uint8),
    "shown": np.ones(4, np.bool_),
    "followed": np.ones(1, np.bool_),
    "roots": np.array([0]),
    "term_keys": np.array([0, 0, 1], np.int32),
    "term_rows": np.array([0, 2, 1], np.int32),
    "changed": np.zeros(4, np.uint8),
    "start": np.array([0, 1, 2, 3]),
    "count": np.array([1, 1, 1, 0], np.int32),
    "term": np.array([0, 1, 0], np.int32),
}
"""An edge from memory 0 to memory 1, and a name that memories 0 and 2 carry; the latter has two texts."""

LATER = {"edges": {}, "joined": {}, "texts": {}, "gained": {}, "own": {}, "spelt": ["e:ada", "t:tag"]}


def carriers(of):
    return (of["term_keys"], of["term_rows"], of["texts"]), of.get("named", of["today"]), of["changed"], of["gained"]


def told(**other):
    """What the loop says of these columns."""
    of = COLUMNS | LATER | other
    return compiled.edges.ties(
        (
            (of["keys"], of["rows"], of["edges"]),
            (of["target_keys"], of["target_rows"], {}),
            (of["joined_keys"], of["joined_rows"], of["joined"]),
        ),
        tuple(of[name] for name in ("source", "target", "relation", "weight", "until")),
        (*(of[name] for name in ("today", "members", "superseded", "shown", "followed")), 0),
        of["roots"],
        (carriers(of), tuple(of[name] for name in ("start", "count", "term", "own", "spelt")), "ec", 50),
    )


def ties(**other):
    """Root, parent, relation and weight of what the loop finds in these columns."""
    ways = np.frombuffer(told(**other)[0], WAYS)
    assert not ways["hop"].any()
    return list(zip(*(ways[name].tolist() for name in ("root", "parent", "relation", "edge")), strict=True))


EDGE, NAME = (1, 0, 0, 0.5), (2, 0, -1, 1.0)


def test_an_edge_is_found_from_either_end_and_a_name_after_it():
    assert ties() == [EDGE, NAME]
    assert ties(roots=np.array([1, 0])) == [(0, 0, 0, 0.5), (1, 1, 0, 0.5), (2, 1, -1, 1.0)]


def test_what_came_later_is_found_as_well():
    nothing = np.empty(0, np.int32)
    assert ties(keys=nothing, rows=nothing, edges={0: [0]}) == [EDGE, NAME]
    assert ties(term_keys=nothing, term_rows=nothing, texts={0: [0, 2]}) == [EDGE, NAME]
    assert ties(source=np.array([3], np.int32), keys=np.array([3], np.int32), roots=np.array([2])) == [
        (1, 0, 0, 0.5),
        (0, 0, -1, 1.0),
    ]
    assert ties(joined_keys=nothing, joined_rows=nothing, joined={2: [3]}, roots=np.array([2])) == [(0, 0, -1, 1.0)]


def test_terms_of_today_count():
    changed = np.array([0, 0, 1, 0], np.uint8)
    assert ties(changed=changed) == [EDGE]
    assert ties(changed=changed, gained={0: {2}}, own={2: (0,)}, roots=np.array([0, 2])) == [
        EDGE,
        NAME,
        (0, 1, -1, 1.0),
    ]
    assert ties(changed=changed, gained={0: {2}}, own={2: ()}, roots=np.array([2])) == []


def test_what_the_loop_does_not_know_is_told_of():
    gone = {"shown": np.array([1, 0, 1, 1], np.bool_), "superseded": np.array([0, 1, 0, 0], np.uint8)}
    assert told()[1:] == (False, False, ["e:ada"])
    assert told(**gone)[1:] == (True, False, ["e:ada"])
    assert ties(**gone) == [EDGE, NAME]
    forgotten = {"shown": gone["shown"]}
    assert (told(**forgotten)[1], ties(**forgotten)) == (False, [NAME])
    assert told(target=np.array([-1], np.int32))[1:] == (False, True, ["e:ada"])
    assert told(target=np.array([-1], np.int32), until=np.array([1]))[1:] == (False, False, ["e:ada"])
    assert told(roots=np.array([1, 0, 2]), spelt=["t:ada", "t:tag"])[3] == []


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("rows", np.array([-1], np.int32), "edge -1"),
        ("edges", {0: [-1]}, "edge -1"),
        ("target", np.array([4], np.int32), "text 4"),
        ("relation", np.array([1], np.int32), "relation 1"),
        ("relation", np.array([-1], np.int32), "relation -1"),
        ("today", np.array([0, 9, 2, 2], np.int32), "memory 9"),
        ("today", np.array([0, -1, 2, 2], np.int32), "memory -1"),
        ("roots", np.array([4]), "memory 4"),
        ("roots", np.array([-1]), "memory -1"),
        ("named", np.arange(5, dtype=np.int32), "text 4"),
        ("start", np.array([-1, 1, 2, 3]), "term -1"),
        ("start", np.array([3, 1, 2, 3]), "term 3"),
        ("start", np.array([2**63 - 1, 1, 2, 3]), "term 9223372036854775807"),
        ("start", np.zeros(0, np.int64), "memory 0"),
        ("term", np.array([2, 1, 0], np.int32), "term 2"),
        ("term", np.array([-1, 1, 0], np.int32), "term -1"),
        ("own", {0: (2,)}, "term 2"),
        ("term_rows", np.array([-1, 2, 1], np.int32), "text -1"),
        ("texts", {0: [-1]}, "text -1"),
        ("gained", {0: {4}}, "memory 4"),
        ("gained", {0: {-1}}, "memory -1"),
    ],
)
def test_what_leads_out_of_the_columns_is_refused(name, values, error):
    columns = {name: values} | ({"count": values.astype(np.int32)} if name == "start" and not len(values) else {})
    columns |= {"changed": np.zeros(5, np.uint8)} if name == "named" else {}
    with pytest.raises(IndexError, match=error):
        ties(**columns)


def test_a_memory_that_has_names_and_no_state_is_refused():
    with pytest.raises(IndexError, match="memory 4"):
        ties(roots=np.array([4]), start=np.zeros(5, np.int64), count=np.zeros(5, np.int32))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("edges", []),
        ("edges", {0: (0,)}),
        ("edges", {0: ["0"]}),
        ("joined", None),
        ("texts", {0: ["2"]}),
        ("gained", {0: 2}),
        ("gained", {0: {"2"}}),
        ("own", {0: [0]}),
        ("own", {0: ("0",)}),
        ("spelt", ("e:ada", "t:tag")),
        ("roots", None),
    ],
)
def test_what_is_of_another_type_is_refused(name, values):
    with pytest.raises(TypeError):
        ties(**{name: values})


def test_a_term_that_is_no_word_is_no_name():
    assert ties(spelt=[None, ""]) == [EDGE]
    assert ties(spelt=["\u0101:ada", "\0"]) == [EDGE]


FIRST = {"keys", "target_keys", "joined_keys", "source", "today", "followed", "roots", "term_keys", "start", "term"}
"""Columns that say how long others are."""


@pytest.mark.parametrize("name", sorted(COLUMNS.keys() - FIRST))
def test_a_column_that_is_too_short_is_refused(name):
    with pytest.raises(ValueError, match="are needed"):
        ties(**{name: COLUMNS[name][:-1]})


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_numbers_of_another_size_are_refused(name):
    with pytest.raises(ValueError, match="are needed"):
        ties(**{name: np.zeros(8, np.int16)})


def test_memories_may_be_numbered_in_any_type(memory, told):
    ids = [memory.store(told.at(text, 0.1)).id for text in ("The crane lifts", "Sand is wet", "Salt burns")]
    memory.link(ids[0], ids[2])
    view = memory.view()
    graph, everything = view.beliefs.graph, np.ones(3, np.bool_)
    graph.adopt(*(Lookup.over(graph.table[end]) for end in ("source", "target")))
    for roots in (np.arange(3), np.arange(3, dtype=np.int32), np.repeat(np.arange(3), 2)[::2]):
        found = neighbours(view, roots, Paths(everything, lambda: everything))
        assert {(0, 2), (2, 0)} <= set(zip(found["parent"].tolist(), found["root"].tolist(), strict=True))


def test_what_came_after_the_asked_point_is_not_there():
    assert ties(rows=np.array([1], np.int32)) == [NAME]
    assert ties(term_rows=np.array([0, 4, 1], np.int32)) == [EDGE]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({}, [0, 2]),
        ({"texts": {0: [1]}}, [0, 1, 2]),
        ({"gained": {0: {3, 1, 0}}, "changed": np.array([1, 1, 0, 0])}, [0, 1, 2]),
        ({"term_rows": np.array([0, 3, 1], np.int32)}, [0]),
    ],
)
def test_carriers_are_roots_lowest_first(columns, found):
    of = COLUMNS | LATER | columns
    of["changed"] = of["changed"].astype(np.uint8)
    if "texts" in columns:
        of["term_rows"] = np.array([0, 0, 2], np.int32)
        of["term_keys"], of["texts"] = np.array([0, 1, 1], np.int32), {0: [1, 2]}
    assert np.frombuffer(compiled.edges.carriers(carriers(of), 0), np.int64).tolist() == found


def test_of_carriers_too_every_number_is_checked():
    for other, error in (({"gained": {0: {4}}}, IndexError), ({"changed": np.zeros(3, np.uint8)}, ValueError)):
        with pytest.raises(error):
            compiled.edges.carriers(carriers(COLUMNS | LATER | other), 0)
