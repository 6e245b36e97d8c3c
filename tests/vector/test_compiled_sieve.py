"""The compiled sieve and cosines are those of NumPy, row for row and bit for bit, and refuse what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.projections import compiled
from helixlog.projections.vector import codes
from helixlog.projections.vector.codes import Asked, Wanted
from helixlog.projections.vector.exact import Visible, rank
from helixlog.projections.vector.rows import Rows
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(compiled.vectors is None, reason="nothing was compiled here")
SIEVE = compiled.vectors


def rows_of(count, dims, seed, pieces=()):
    """Unit rows near a few centres; the first ones in mapped pieces of these lengths."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(8, dims))
    vectors = centres[rng.integers(8, size=count)] + rng.normal(size=(count, dims))
    halves = (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float16)
    rows = Rows(dims, np.split(halves[: sum(pieces)].astype(np.float32), np.cumsum(pieces)))
    whole = Rows(dims)
    whole.append(halves, np.arange(count), np.arange(count))
    mapped = sum(pieces)
    rows.append_columns(whole.codes[:mapped].T, np.arange(mapped), np.arange(mapped))
    rows.append(halves[mapped:], np.arange(mapped, count), np.arange(mapped, count))
    query = centres[0] + rng.normal(size=dims)
    return rows, (query / np.linalg.norm(query)).astype(np.float16).astype(np.float32)


def both(rows, query, visible, wanted):
    passed = codes._sieved(rows, Asked(query), visible, wanted, few=False)
    found, cosines = codes._compiled(SIEVE, rows, query, visible, wanted)
    return passed, found, cosines


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 3_000),
    st.sampled_from([3, 32, 64, 100, 256, 384, 500]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([None, 0.9, 0.5]),
    st.data(),
)
def test_the_same_rows_pass(count, dims, seed, share, data):
    rows, query = rows_of(
        count, dims, seed, data.draw(st.sampled_from([(), (count // 2,), (count // 3, 0, count // 3)]))
    )
    stop = data.draw(st.integers(1, count))
    mask = None if share is None else np.random.default_rng(seed).random(stop) < share
    visible = Visible(stop, mask, stop if mask is None else int(mask.sum()))
    wanted = Wanted(data.draw(st.integers(1, count + 5)), data.draw(st.integers(1, count + 5)))
    passed, found, cosines = both(rows, query, visible, wanted)
    assert found.tolist() == passed.tolist()
    assert cosines.tolist() == rows.cosines(passed, query).tolist()


@pytest.mark.parametrize("hidden", [None, "the sample", "but the sample"])
def test_the_same_rows_pass_where_a_sample_is_asked(hidden):
    """Beyond 32,000 rows a sample tells how far the first sieve reaches, unless the mask is against it."""
    rows, query = rows_of(40_000, 64, 1)
    sampled = np.arange(40_000) % codes._EVERY < codes._GROUP
    mask = {None: None, "the sample": ~sampled, "but the sample": sampled | (np.arange(40_000) % 2 == 0)}[hidden]
    visible = Visible(40_000, mask, 40_000 if mask is None else int(mask.sum()))
    passed, found, _ = both(rows, query, visible, Wanted(2_000, 300))
    assert len(passed) >= 300
    assert found.tolist() == passed.tolist()


def test_a_code_of_256_dimensions_is_one_line_of_the_cache():
    for count in (1, 100, 3_000):
        rows, _ = rows_of(count, 256, 4)
        assert rows.codes.strides == (64, 8)
        assert rows.codes.ctypes.data % 64 == 0


def test_cosines_come_in_the_order_asked_for(monkeypatch):
    rows, query = rows_of(500, 100, 2, (200, 100))
    asked = np.array([499, 0, 250, 7, 250])
    found = rows.cosines(asked, query)
    monkeypatch.setattr(compiled, "vectors", None)
    assert found.tolist() == rows.cosines(asked, query).tolist()


def test_what_does_not_fit_is_refused_and_read_by_nobody():
    rows, query = rows_of(100, 64, 3)
    pieces = tuple(rows.matrix.pieces(0, 100))
    good = [rows.signs, rows.codes, query, pieces, None, 100, 64, 50, 10]
    assert SIEVE.sieve(*good)
    for place, bad in (
        (0, ()),
        (0, 2 * rows.signs),
        (0, tuple(word[:99] for word in rows.signs)),
        (1, rows.codes[:99]),
        (2, query[:63]),
        (3, tuple(rows.matrix.pieces(0, 99))),
        (3, ()),
        (4, np.ones(99, np.bool_)),
        (5, -1),
        (5, 2**31 - 1),
        (5, 2**63 - 1),
        (6, 0),
        (6, 65),
    ):
        changed = good.copy()
        changed[place] = bad
        with pytest.raises(ValueError, match=r"buffer of|fit each other|fewer rows"):
            SIEVE.sieve(*changed)
    for bad in ([-1], [100]):
        with pytest.raises(ValueError, match="where there is none"):
            SIEVE.cosines(pieces, np.array(bad), query, 64)
    with pytest.raises(ValueError, match="vectors of 0 numbers"):
        SIEVE.cosines(pieces, np.array([0]), query, 0)
    with pytest.raises(TypeError):
        SIEVE.sieve(None)
    with pytest.raises((BufferError, ValueError)):
        SIEVE.cosines((pieces[0][:, ::2],), np.array([0]), query, 32)


def test_numbers_of_another_size_are_refused():
    rows, query = rows_of(100, 64, 3)
    pieces, wide = rows.matrix.whole, query.astype(np.float64)
    doubled = tuple(piece.astype(np.float64) for piece in pieces)
    for refused in (
        lambda: SIEVE.cosines(pieces, np.array([0, 0], np.int32), query, 64),
        lambda: SIEVE.cosines(pieces, np.array([0]), wide, 64),
        lambda: SIEVE.cosines(doubled, np.array([0]), query, 64),
        lambda: SIEVE.sieve(rows.signs, rows.codes, wide, pieces, None, 100, 64, 50, 10),
        lambda: SIEVE.sieve(rows.signs, rows.codes, query, pieces, np.ones(100, np.int64), 100, 64, 50, 10),
        lambda: SIEVE.best(wide, 0.0, 1),
    ):
        with pytest.raises(ValueError, match="a buffer of"):
            refused()


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.0, 0.0, 0.1, 0.1000001, 0.37, 0.5, 1.0]), max_size=40),
    st.sampled_from([-2.0, 0.0, 0.1, 0.37, 0.5]),
    st.integers(1, 45),
)
def test_the_same_texts_are_best_in_the_same_order(values, floor, limit):
    cosines = np.array(values, np.float32)
    found = np.frombuffer(SIEVE.best(cosines, floor, limit), np.int64)
    best = rank(np.arange(len(cosines)), cosines, floor=floor, limit=limit, complete=True)
    assert found.tolist() == best.ordinals.tolist()
