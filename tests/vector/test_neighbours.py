"""Which texts are near: exactly those a plain sort would name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from helixlog.projections.vector import strategy
from helixlog.projections.vector.exact import Visible
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_logs import brute, built, clustered, log_of, stored, texts_log, unit

NOWHERE = Path("/nonexistent")
VECTORS = clustered(3000, 64, 1)
INDEX = built(NOWHERE, texts_log(VECTORS))
QUERIES = clustered(40, 64, 2)


@given(
    st.integers(0, 39),
    st.integers(0, 3000),
    st.sampled_from([0.0, 0.02, 0.3, 0.7, 1.0]),
    st.floats(-1, 1),
    st.integers(1, 200),
)
@settings(max_examples=80, deadline=None)
def test_the_answer_is_that_of_a_plain_sort(which, texts, share, floor, limit):
    allowed = np.random.default_rng(texts).random(3000) < share
    query = QUERIES[which]
    answer = INDEX.nearest(query, texts=texts, allowed=allowed, floor=floor, limit=limit)
    visible = allowed & (np.arange(3000) < texts)
    assert (answer.ordinals.tolist(), answer.cosines.tolist()) == brute(VECTORS, query, visible, floor, limit)
    assert answer.complete


def test_a_filter_never_starves_the_answer():
    near = unit(np.array([1.0, 0, 0, 0]) + 0.01 * np.random.default_rng(1).standard_normal((200, 4)))
    far = unit([[0.1, 1, 0, 0], [0.2, 1, 0, 0], [0.3, 1, 0, 0]])
    index = built(NOWHERE, texts_log(np.concatenate([near, far])))
    allowed = np.arange(203) >= 200
    answer = index.nearest(unit([1.0, 0, 0, 0]), texts=203, allowed=allowed, floor=-1, limit=3)
    assert answer.ordinals.tolist() == [202, 201, 200]


def test_all_that_tie_with_the_last_are_returned():
    index = built(NOWHERE, texts_log(unit([[1, 0], [0.8, 0.6], [0.8, 0.6], [0.8, -0.6], [0, 1]])))
    answer = index.nearest(unit([1.0, 0]), texts=5, floor=-1, limit=2)
    assert answer.ordinals.tolist() == [0, 1, 2, 3]


def test_the_floor_is_inclusive_and_compared_in_float64():
    index = built(NOWHERE, texts_log(unit([[1, 0], [0.8, 0.6]])))
    cosine = float(index.cosines(unit([1.0, 0]), np.array([1]))[0])
    assert len(index.nearest(unit([1.0, 0]), texts=2, floor=cosine, limit=5).ordinals) == 2
    assert len(index.nearest(unit([1.0, 0]), texts=2, floor=np.nextafter(cosine, 1), limit=5).ordinals) == 1


def test_the_best_window_counts_and_each_text_answers_once():
    x, y = unit([1.0, 0, 0]), unit([0, 1.0, 0])
    index = built(NOWHERE, log_of([stored(y, x, y), stored(unit([0.9, 0.1, 0]), y), stored(y)]))
    answer = index.nearest(x, texts=3, floor=-1, limit=2)
    assert answer.ordinals.tolist() == [0, 1]
    assert answer.cosines[0] == 1
    assert index.cosines(x, np.array([2, 0, 0])).tolist() == [0, 1, 1]


def test_many_windows_of_one_text_do_not_crowd_out_another():
    x = unit([1.0, 0, 0])
    index = built(NOWHERE, log_of([stored(*[x] * 50), stored(unit([0.1, 1, 0]))]))
    assert index.nearest(x, texts=2, floor=-1, limit=2).ordinals.tolist() == [0, 1]


def test_zero_and_nan_vectors_are_never_returned():
    rows = [unit([1.0, 0]), np.zeros(2, np.float16), np.full(2, np.nan, np.float16), np.full(2, np.inf, np.float16)]
    index = built(NOWHERE, log_of([stored(row) for row in rows]))
    answer = index.nearest(unit([1.0, 0]), texts=4, floor=-1, limit=9)
    assert answer.ordinals.tolist() == [0]
    assert np.isnan(index.cosines(unit([1.0, 0]), np.array([1, 2, 3]))).all()


def test_a_query_of_zeros_is_near_nothing():
    assert len(INDEX.nearest(np.zeros(64, np.float16), texts=3000, floor=-1, limit=9).ordinals) == 0
    assert np.isnan(INDEX.cosines(np.zeros(64, np.float16), np.arange(5))).all()


def test_a_query_is_remembered_by_what_is_in_it():
    query = QUERIES[0].copy()
    first = INDEX.cosines(query, np.arange(3000))
    query[:] = QUERIES[1]
    assert INDEX.cosines(query, np.arange(3000)).tolist() == INDEX.cosines(QUERIES[1], np.arange(3000)).tolist()
    assert INDEX.cosines(QUERIES[0], np.arange(3000)).tolist() == first.tolist()
    for alike in (query.view(np.int16), query[None]):
        with pytest.raises(InvalidInput):
            INDEX.cosines(alike, np.arange(3))


def test_an_empty_index_answers():
    empty = built(NOWHERE, [])
    assert len(empty.nearest(unit([1.0, 0]), texts=0, floor=-1, limit=9).ordinals) == 0
    assert len(empty.cosines(unit([1.0, 0]), np.empty(0, np.int64))) == 0


def test_threads_give_the_same_answers():
    def ask(query):
        return INDEX.nearest(query, texts=3000, floor=0.1, limit=20).cosines.tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, QUERIES)) == [ask(query) for query in QUERIES]


@pytest.mark.parametrize(
    "wrong",
    [
        {"texts": 3001},
        {"texts": -1},
        {"limit": 0},
        {"floor": np.nan},
        {"allowed": np.ones(10, np.bool_)},
        {"allowed": np.ones(3000, np.int8)},
    ],
)
def test_arguments_out_of_range_are_refused(wrong):
    arguments = {"texts": 3000, "allowed": None, "floor": 0.0, "limit": 5} | wrong
    with pytest.raises(InvalidInput):
        INDEX.nearest(QUERIES[0], **arguments)


def test_ordinals_out_of_range_are_refused():
    with pytest.raises(InvalidInput):
        INDEX.cosines(QUERIES[0], np.array([3000]))


class FakeGraph:
    rows = 1_000_000


@pytest.mark.parametrize(
    ("total", "graph", "exact", "way"),
    [
        (20_000, FakeGraph(), False, "scan"),
        (20_001, None, False, "codes"),
        (1_000_000, FakeGraph(), False, "graph"),
        (1_000_000, FakeGraph(), True, "scan"),
        (250_000, FakeGraph(), False, "graph"),
        (249_999, FakeGraph(), False, "codes"),
        (1_030_000, FakeGraph(), False, "codes"),
    ],
)
def test_one_place_decides_how_neighbours_are_found(total, graph, exact, way):
    stop = max(total, 1_000_000)
    assert strategy.choose(Visible(stop, None, total), graph, exact=exact) == way
