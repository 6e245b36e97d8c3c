"""Many questions at once have the same answers as one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from helixlog.projections.vector import batch
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_logs import built, clustered, log_of, random_log, stored, texts_log, unit

NOWHERE = Path("/nonexistent")
VECTORS = clustered(700, 32, 3)
INDEX = built(NOWHERE, texts_log(VECTORS))


def listed(answers):
    return [(a.ordinals.tolist(), a.cosines.tolist()) for a in answers]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(batch, "ROWS", 50)
    monkeypatch.setattr(batch, "QUERIES", 30)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("floor", [-1.0, 0.3, 0.9])
@pytest.mark.parametrize("limit", [1, 5, 32])
@pytest.mark.parametrize("share", [None, 0.3])
def test_each_text_sees_the_texts_before_it(floor, limit, share):
    allowed = None if share is None else np.random.default_rng(1).random(700) < share
    texts = np.arange(700)
    together = INDEX.nearest_many(VECTORS, texts=texts, allowed=allowed, floor=floor, limit=limit)
    alone = [
        INDEX.nearest(VECTORS[k], texts=k, allowed=allowed, floor=floor, limit=limit, exact=True) for k in range(700)
    ]
    assert listed(together) == listed(alone)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("before", [0, 1, 400, 699])
def test_peers_are_seen_as_if_they_were_stored(before):
    index = built(NOWHERE, texts_log(VECTORS[:before]))
    texts = np.arange(before, 700)
    peers = index.nearest_many(VECTORS[before:], texts=texts, floor=0.2, limit=7, peers=True)
    stored_first = INDEX.nearest_many(VECTORS[before:], texts=texts, floor=0.2, limit=7)
    assert listed(peers) == listed(stored_first)


def test_windows_of_one_peer_answer_as_one_text():
    x, y = unit([1.0, 0, 0]), unit([0, 1.0, 0])
    queries = np.stack([x, y, unit([0.9, 0.1, 0])])
    answers = built(NOWHERE, []).nearest_many(queries, texts=np.array([0, 0, 1]), floor=-1, limit=5, peers=True)
    assert [a.ordinals.tolist() for a in answers] == [[], [], [0]]
    assert answers[2].cosines[0] > 0.99


@given(st.integers(0, 2**32), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_any_log_is_answered_as_one_by_one(seed, limit):
    index = built(NOWHERE, random_log(seed, 40))
    rng = np.random.default_rng(seed)
    queries = unit(rng.standard_normal((9, 4)))
    texts = rng.integers(0, index.texts + 1, 9)
    together = index.nearest_many(queries, texts=texts, floor=-1, limit=limit)
    alone = [index.nearest(q, texts=int(t), floor=-1, limit=limit) for q, t in zip(queries, texts, strict=True)]
    assert listed(together) == listed(alone)


def test_windows_in_the_index_count_as_one_text():
    x = unit([1.0, 0, 0])
    index = built(NOWHERE, log_of([stored(*[x] * 40), stored(unit([0.1, 1, 0]))]))
    (answer,) = index.nearest_many(x[None], texts=np.array([2]), floor=-1, limit=2)
    assert answer.ordinals.tolist() == [0, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"texts": np.array([0, 701])},
        {"texts": np.array([0, -1])},
        {"texts": np.array([0])},
        {"queries": np.zeros((2, 32), np.float16)},
        {"queries": VECTORS[:2].astype(np.float32)},
        {"texts": np.array([0, 1]), "peers": True},
    ],
)
def test_arguments_out_of_range_are_refused(wrong):
    arguments = {"queries": VECTORS[:2], "texts": np.array([1, 2]), "floor": 0.0, "limit": 3} | wrong
    with pytest.raises(InvalidInput):
        INDEX.nearest_many(arguments.pop("queries"), **arguments)


def test_no_queries_have_no_answers():
    assert INDEX.nearest_many(VECTORS[:0], texts=np.empty(0, np.int64), floor=0, limit=3) == []
