"""The compiled walk over edges refuses columns that do not fit each other; what it finds is held to NumPy beside it."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.projections import compiled
from helixlog.projections.columns import Lookup
from helixlog.recall.expansion import Paths, neighbours

pytestmark = pytest.mark.skipif(compiled.edges is None, reason="nothing was compiled here")


def columns(**other):
    """One edge, from memory 0 to memory 1, as `ties` takes it."""
    given = {
        "keys": np.array([0], np.int32),
        "rows": np.array([0], np.int32),
        "target_keys": np.array([1], np.int32),
        "target_rows": np.array([0], np.int32),
        "source": np.array([0], np.int32),
        "target": np.array([1], np.int32),
        "relation": np.array([0], np.int32),
        "weight": np.array([0.5]),
        "until": np.array([0]),
        "today": np.array([0, 1], np.int32),
        "shown": np.ones(2, np.bool_),
        "superseded": np.zeros(2, np.uint8),
        "followed": np.ones(1, np.bool_),
        "ends": np.array([0]),
        "owners": np.array([0]),
        "roots": np.array([0]),
    } | other
    keys, rows, target_keys, target_rows, *rest = given.values()
    return ((keys, rows), (target_keys, target_rows)), tuple(rest[:5]), (*rest[5:9], 0), *rest[9:]


def test_an_edge_is_found_from_either_end():
    found, replaced = compiled.edges.ties(*columns())
    assert np.frombuffer(found, "i8,i8,i8,i8,f8").tolist() == [(0, 1, 0, 0, 0.5)]
    other, _ = compiled.edges.ties(*columns(ends=np.array([1]), roots=np.array([1])))
    assert (np.frombuffer(other, "i8,i8,i8,i8,f8").tolist(), replaced) == ([(0, 0, 0, 0, 0.5)], False)


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("rows", np.array([-1], np.int32), "edge -1"),
        ("target", np.array([2], np.int32), "text 2"),
        ("relation", np.array([1], np.int32), "relation 1"),
        ("relation", np.array([-1], np.int32), "relation -1"),
        ("today", np.array([0, 9], np.int32), "memory 9"),
        ("today", np.array([0, -1], np.int32), "memory -1"),
        ("owners", np.array([1]), "memory 1"),
        ("owners", np.array([-1]), "memory -1"),
    ],
)
def test_what_leads_out_of_the_columns_is_refused(name, values, error):
    with pytest.raises(IndexError, match=error):
        compiled.edges.ties(*columns(**{name: values}))


@pytest.mark.parametrize(
    "name",
    ["rows", "target_rows", "target", "relation", "weight", "until", "shown", "superseded", "owners"],
)
def test_a_column_that_is_too_short_is_refused(name):
    with pytest.raises(ValueError, match="are needed"):
        compiled.edges.ties(*columns(**{name: np.empty(0)}))


@pytest.mark.parametrize(
    "name", ["keys", "target_rows", "target", "until", "today", "shown", "superseded", "ends", "roots"]
)
def test_numbers_of_another_size_are_refused(name):
    other = np.int16 if name in ("ends", "roots", "until") else np.int64
    with pytest.raises(ValueError, match="are needed"):
        compiled.edges.ties(*columns(**{name: np.zeros(8, other)}))


def test_memories_may_be_numbered_in_any_type(memory, told):
    ids = [memory.store(told.at(text, 0.1)).id for text in ("The crane lifts", "Sand is wet", "Salt burns")]
    memory.link(ids[0], ids[2])
    view = memory.view()
    graph, everything = view.beliefs.graph, np.ones(3, np.bool_)
    graph.adopt(*(Lookup.over(graph.table[end]) for end in ("source", "target")))
    for roots in (np.arange(3), np.arange(3, dtype=np.int32), np.repeat(np.arange(3), 2)[::2]):
        ties = neighbours(view, roots, Paths(everything, lambda: everything))
        assert {(0, 2), (2, 0)} <= set(zip(ties["parent"].tolist(), ties["root"].tolist(), strict=True))


def test_an_edge_that_came_after_the_asked_point_is_not_there():
    assert compiled.edges.ties(*columns(rows=np.array([1], np.int32))) == (b"", False)
