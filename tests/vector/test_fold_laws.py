"""The index is a fold: batches, repeats, reopening and the future do not change it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from helixlog.eventlog.events import ErasedEvent, MemoryStored, UnknownEvent, Vectors
from helixlog.projections.vector.index import VectorIndex
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_logs import OTHER, PRINT, built, log_of, random_log, reembedded, stored, unit

SEEDS = st.integers(0, 2**32)
NOWHERE = Path("/nonexistent")
CHAIN = bytes(range(32))


def chunks(log, seed):
    rng = np.random.default_rng(seed)
    start = 0
    while start < len(log):
        stop = start + int(rng.integers(1, 6))
        yield log[start:stop]
        start = stop


@given(SEEDS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_any_batches_equal_one_go(seed, cuts):
    log = random_log(seed, 30)
    index = VectorIndex.open(NOWHERE, PRINT)
    for batch in chunks(log, cuts):
        index.apply(batch)
    assert index.digest() == built(NOWHERE, log).digest()


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_twice_equals_once(seed):
    log = random_log(seed, 20)
    index = built(NOWHERE, log)
    digest = index.digest()
    index.apply(log)
    index.apply(log[-5:])
    assert index.digest() == digest


@given(SEEDS, SEEDS)
@settings(max_examples=10, deadline=None)
def test_published_piece_by_piece_equals_a_cold_rebuild(seed, cuts):
    log = random_log(seed, 24)
    with TemporaryDirectory() as folder:
        for batch in chunks(log, cuts):
            index = VectorIndex.open(Path(folder), PRINT)
            index.apply(batch)
            assert index.publish(CHAIN)
            assert index.checkpoint.seq == batch[-1].seq
            if cuts % 2:
                index.apply(log[: batch[-1].seq + 2])
        reopened = VectorIndex.open(Path(folder), PRINT)
        assert reopened.seq == log[-1].seq
        assert reopened.digest() == built(NOWHERE, log).digest()


@given(SEEDS, st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_an_earlier_point_is_answered_as_if_nothing_had_come_after(seed, cut):
    log = random_log(seed, 30)
    whole, early = built(NOWHERE, log), built(NOWHERE, log[:cut])
    query = unit(np.random.default_rng(seed).standard_normal(4))
    texts = early.texts
    for limit in (1, 3, 50):
        now = whole.nearest(query, texts=texts, seq=cut, floor=-1, limit=limit)
        then = early.nearest(query, texts=texts, floor=-1, limit=limit)
        assert (now.ordinals.tolist(), now.cosines.tolist()) == (then.ordinals.tolist(), then.cosines.tolist())
    everyone = np.arange(texts)
    assert np.array_equal(whole.cosines(query, everyone, seq=cut), early.cosines(query, everyone), equal_nan=True)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_only_vectors_of_this_embedder_are_near(seed):
    log = random_log(seed, 30)
    query = unit([1.0, 1, 1, 1])
    for fingerprint in (PRINT, OTHER):
        index = built(NOWHERE, log, fingerprint)
        expected = {}
        ordinal = -1
        by_seq = {}
        for recorded in log:
            event = recorded.event
            if isinstance(event, ErasedEvent | MemoryStored):
                ordinal += 1
                found = getattr(event, "vectors", None)
                if isinstance(event, MemoryStored):
                    by_seq[recorded.seq] = ordinal
                rows = found.rows if found is not None and found.fingerprint == fingerprint else ()
                offers = {ordinal: rows}
            elif getattr(event, "fingerprint", None) == fingerprint and hasattr(event, "texts"):
                offers = {}
                for text, rows in zip(event.texts, event.rows, strict=True):
                    if text in by_seq:
                        offers.setdefault(by_seq[text], rows)
            else:
                offers = {}
            for text, rows in offers.items():
                windows = [np.frombuffer(row, "<f2").astype(np.float64) for row in rows]
                good = [w for w in windows if np.isfinite(w).all() and abs(np.linalg.norm(w) - 1) < 0.01]
                if good and text not in expected:
                    expected[text] = np.float32(max(min(float(w @ query.astype(np.float64)), 1) for w in good))
        answer = index.cosines(query, np.arange(index.texts))
        assert {k: v for k, v in enumerate(answer) if not np.isnan(v)} == expected
        near = index.nearest(query, texts=index.texts, floor=-1, limit=100)
        assert dict(zip(near.ordinals.tolist(), near.cosines, strict=True)) == expected


def test_a_gap_in_the_log_is_refused_and_what_came_before_it_is_kept():
    log = random_log(1, 10)
    index = VectorIndex.open(NOWHERE, PRINT)
    with pytest.raises(InvalidInput, match="event 6"):
        index.apply([*log[:4], *log[5:]])
    index.apply(log[4:])
    assert index.digest() == built(NOWHERE, log).digest()


def test_a_stored_event_of_a_newer_version_is_skipped_and_no_text():
    log = log_of([UnknownEvent(kind="memory_stored", kind_version=9, payload=b""), stored(unit([1, 0, 0, 0]))])
    assert built(NOWHERE, log).nearest(unit([1.0, 0, 0, 0]), texts=1, floor=0, limit=5).ordinals.tolist() == [0]


def test_a_text_embedded_later_is_unseen_before():
    log = log_of([stored(), stored(unit([0, 1.0, 0, 0])), reembedded([1], [[unit([1.0, 0, 0, 0])]])])
    index = built(NOWHERE, log)
    query = unit([1.0, 0.1, 0, 0])
    assert index.nearest(query, texts=2, floor=-1, limit=5).ordinals.tolist() == [0, 1]
    assert index.nearest(query, texts=2, seq=2, floor=-1, limit=5).ordinals.tolist() == [1]
    assert index.nearest(query, texts=1, floor=-1, limit=5).ordinals.tolist() == [0]


def test_vectors_of_a_wrong_length_or_form_have_no_rows():
    row = unit([1.0, 0, 0, 0])
    odd = MemoryStored(text="t", vectors=Vectors(fingerprint=PRINT, dims=4, rows=(b"abc",)))
    wide = MemoryStored(text="t", vectors=Vectors(fingerprint=PRINT, dims=2, rows=(b"\0" * 8,), dtype="<f4"))
    index = built(NOWHERE, log_of([odd, wide, stored(row), stored(unit([1.0, 0, 0])), stored(row)]))
    assert index.dims == 4
    assert index.nearest(row, texts=5, floor=0.5, limit=9).ordinals.tolist() == [2, 4]
