"""The compiled walk over edges refuses columns that do not fit each other; what it finds is held to NumPy beside it."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.projections import compiled

pytestmark = pytest.mark.skipif(compiled.edges is None, reason="nothing was compiled here")


def told(**other):
    """One edge, from memory 0 to memory 1, as `ties` takes it."""
    columns = {
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
    keys, rows, target_keys, target_rows, *rest = columns.values()
    return ((keys, rows), (target_keys, target_rows)), tuple(rest[:5]), (*rest[5:9], 0), *rest[9:]


def test_an_edge_is_found_from_either_end():
    found, replaced = compiled.edges.ties(*told())
    assert np.frombuffer(found, "i8,i8,i8,i8,f8").tolist() == [(0, 1, 0, 0, 0.5)]
    other, _ = compiled.edges.ties(*told(ends=np.array([1]), roots=np.array([1])))
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
        compiled.edges.ties(*told(**{name: values}))


@pytest.mark.parametrize(
    "name",
    ["rows", "target_rows", "target", "relation", "weight", "until", "shown", "superseded", "owners"],
)
def test_a_column_that_is_too_short_is_refused(name):
    with pytest.raises(ValueError, match="are needed"):
        compiled.edges.ties(*told(**{name: np.empty(0)}))


def test_an_edge_that_came_after_the_asked_point_is_not_there():
    assert compiled.edges.ties(*told(rows=np.array([1], np.int32))) == (b"", False)
