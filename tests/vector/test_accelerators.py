"""Accelerators choose candidates, nothing else; what they miss is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helixlog.projections.vector import codes, hnsw, strategy
from helixlog.projections.vector.index import VectorIndex
from helixlog.projections.vector.rows import two_bit_codes
from vector_logs import PRINT, built, clustered, texts_log

COUNT = 4000
DRAWN = clustered(COUNT + 30, 128, 7)
VECTORS, QUERIES = DRAWN[:COUNT], DRAWN[COUNT:]
CHAIN = bytes(32)
needs_hnswlib = pytest.mark.skipif(not hnsw.available(), reason="hnswlib is an extra")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("store") / "projections"
    index = built(root, texts_log(VECTORS))
    assert index.publish(CHAIN)
    if hnsw.available():
        assert index.build_graph(CHAIN)
    return root


@pytest.fixture
def index(home, monkeypatch) -> VectorIndex:
    """An index that takes accelerators from 500 rows on."""
    monkeypatch.setattr(strategy, "EXACT_UP_TO", 500)
    monkeypatch.setattr(strategy, "GRAPH_FROM", 500)
    return VectorIndex.open(home, PRINT)


def overlap(index, limit, allowed=None, texts=COUNT):
    shares = []
    for query in QUERIES:
        arguments = {"texts": texts, "allowed": allowed, "floor": -1.0, "limit": limit}
        exact, quick = index.nearest(query, **arguments, exact=True), index.nearest(query, **arguments)
        assert exact.complete
        assert not quick.complete
        found = dict(zip(exact.ordinals.tolist(), exact.cosines.tolist(), strict=True))
        for ordinal, cosine in zip(quick.ordinals.tolist(), quick.cosines.tolist(), strict=True):
            assert found.get(ordinal, cosine) == cosine
            assert allowed is None or allowed[ordinal]
            assert ordinal < texts
        shares.append(len(found.keys() & set(quick.ordinals.tolist())) / len(found))
    return np.mean(shares)


@pytest.mark.parametrize("limit", [10, 100])
@pytest.mark.parametrize("share", [None, 0.5, 0.15])
def test_sign_codes_find_what_is_near(index, limit, share):
    allowed = None if share is None else np.random.default_rng(1).random(COUNT) < share
    assert overlap(index, limit, allowed) >= 0.99


def test_sign_codes_find_what_was_near(index):
    assert overlap(index, 10, texts=2000) >= 0.99


def test_a_mask_that_hides_every_row_of_the_sample_hides_nothing_else(index, monkeypatch):
    monkeypatch.setattr(codes, "_SAMPLED_FROM", 0)
    assert overlap(index, 10) >= 0.99
    assert overlap(index, 10, np.arange(COUNT) % 16 != 0) >= 0.99


def test_a_mask_need_not_lie_in_a_row(index):
    both = np.random.default_rng(1).random((COUNT, 2)) < 0.5
    assert overlap(index, 10, both[:, 0]) >= 0.99


def test_codes_are_two_bits_a_dimension():
    vectors = np.array([[1, -1, 0.01, -0.01] + [-1] * 61 + [1]], np.float16)
    high, rest, low, others = (int(word[0]) for word in two_bit_codes(vectors))
    assert [(high >> j & 1) * 2 + (low >> j & 1) for j in range(4)] == [3, 0, 2, 1]
    assert (rest, others) == (0b10, 0b10)


@needs_hnswlib
@pytest.mark.parametrize("share", [None, 0.5, 0.25])
def test_a_graph_finds_what_is_near(index, share):
    allowed = None if share is None else np.random.default_rng(1).random(COUNT) < share
    assert index.load_graph()
    assert overlap(index, 10, allowed) >= 0.99


@needs_hnswlib
def test_a_graph_answers_for_the_past_and_for_what_it_does_not_cover(index):
    assert index.load_graph()
    assert overlap(index, 10, texts=3000) >= 0.99
    more = clustered(300, 128, 9)
    index.apply([r for r in texts_log(np.concatenate([VECTORS, more])) if r.seq > COUNT])
    answer = index.nearest(more[5], texts=COUNT + 300, floor=0.5, limit=3)
    assert answer.ordinals[0] == COUNT + 5
    assert overlap(index, 10, texts=COUNT + 300) >= 0.99


@needs_hnswlib
def test_a_graph_that_reaches_too_few_hands_over(index, monkeypatch):
    assert index.load_graph()
    monkeypatch.setattr(strategy, "GRAPH_SHARE", 0.0)
    allowed = np.zeros(COUNT, np.bool_)
    allowed[np.argsort(VECTORS.astype(np.float32) @ QUERIES[0].astype(np.float32))[:600]] = True
    answer = index.nearest(QUERIES[0], texts=COUNT, allowed=allowed, floor=-1, limit=700)
    assert len(answer.ordinals) == 600


@needs_hnswlib
def test_the_same_rows_give_the_same_graph(home, tmp_path):
    twin = built(tmp_path, texts_log(VECTORS))
    assert twin.build_graph(CHAIN)
    first, second = ([p.read_bytes() for p in root.rglob("index.bin")] for root in (home, tmp_path))
    assert first == second


@needs_hnswlib
def test_a_graph_of_other_vectors_is_not_loaded(home, tmp_path):
    other = built(tmp_path, texts_log(clustered(COUNT, 128, 99)))
    other._graphs = VectorIndex.open(home, PRINT)._graphs
    assert not other.load_graph()


@needs_hnswlib
def test_a_graph_of_a_form_hnswlib_does_not_read_is_not_loaded(index, monkeypatch):
    def refuse(*_):
        raise RuntimeError("Index seems to be corrupted or unsupported")

    monkeypatch.setattr(hnsw, "_read", refuse)
    assert not index.load_graph()
    assert "unsupported" in index._graphs.problem


@needs_hnswlib
def test_an_index_shorter_than_the_graph_does_not_load_it(home):
    short = VectorIndex.open(home, PRINT)
    short.clear()
    short.apply(texts_log(VECTORS[:100]))
    assert not short.load_graph()


def test_without_hnswlib_the_scans_answer(index, monkeypatch):
    monkeypatch.setattr(hnsw, "find_spec", lambda _name: None)
    assert not hnsw.available()
    assert not index.load_graph()
    assert not index.build_graph(CHAIN)
    assert len(index.nearest(QUERIES[0], texts=COUNT, floor=-1, limit=5).ordinals) == 5


def test_opening_does_not_import_or_load_a_graph(index):
    assert index.graph_rows == 0
