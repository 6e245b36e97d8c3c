"""What evidence says of a text's neighbours is so: every entry, and that nothing above the horizon is left out.

And it does not depend on how the texts came: one by one, or as a batch.
"""

from __future__ import annotations

import math
import tempfile
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from helixlog.commands.evidence import floor_of
from helixlog.commands.memory import Memory
from helixlog.commands.texts import store_events
from helixlog.constants import Thresholds
from helixlog.embedding.identity import Identity
from helixlog.errors import InvalidInput
from helixlog.eventlog import lmdb_log
from helixlog.eventlog.events import MemoryStored, Scope
from helixlog.projections.ledger.guards import UNREAD, guard
from helixlog.projections.ledger.normal import exact_form
from helixlog.projections.vector.evidence import EVIDENCE_LIMIT, unpack
from hypothesis import given, settings
from hypothesis import strategies as st

THINGS = ("crane", "lamp", "pier", "boat")
EXTRAS = ("", " today", " at noon", " as a rule", " 7", " 8", "  today")


class Crowd:
    """Texts of one thing are near each other; some have two windows, some none. A pure function of the text."""

    identity = Identity(name="crowd", weights="none", dimensions=8, pooling="none", window=4, stride=4)
    thresholds = Thresholds(duplicate=0.9, related=0.6, causal=0.5, min_relevance=0.3)

    def row(self, text):
        thing = next((thing for thing in THINGS if thing in text), "none")
        near, own = ([Random(seed).gauss(0, 1) for seed in range(k, k + 8)] for k in (8 * len(thing), hash_of(text)))
        vector = np.array(near) / norm(near) + 0.45 * np.array(own) / norm(own)
        return (vector / norm(vector)).astype(np.float32)

    def embed_documents(self, texts):
        return [self._windows(" ".join(text.split())) for text in texts]

    def _windows(self, text):
        if text.startswith("..."):
            return np.zeros((1, 8), np.float32)
        first, _, second = text.partition(" / ")
        return np.stack([self.row(first), self.row(second)] if second else [self.row(first)])

    def embed_query(self, text):
        return self.row(text)


def norm(vector):
    return math.sqrt(sum(float(x) ** 2 for x in vector))


def hash_of(text):
    return sum(ord(letter) * 31**place for place, letter in enumerate(text)) % 10**6


def some_text(rng):
    text = f"The {rng.choice(THINGS)} {rng.choice(('is old', 'was sold', 'stands here'))}{rng.choice(EXTRAS)}"
    if rng.random() < 0.1:
        text = f"{text} / The {rng.choice(THINGS)} is old"
    return f"... {text}" if rng.random() < 0.05 else text


def some_event(rng):
    return MemoryStored(
        text=some_text(rng),
        title="Notes" if rng.random() < 0.1 else None,
        kind="instruction" if rng.random() < 0.05 else "fact",
        tags=("user-provided",) if rng.random() < 0.05 else (),
        scope=rng.choice((Scope(), Scope(), Scope(project="ship"), Scope(user="bob"))),
    )


@pytest.fixture(autouse=True, scope="module")
def _without_waiting_for_the_disk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lmdb_log.os, "fsync", lambda _: None)
        yield


def stored_in(runs):
    """The events as recorded, and what became of each text, of a store that was given them in these runs."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / "s", embedder=Crowd(), clock=lambda: 10**18)
        with memory:
            done = [one for run in runs for one in store_events(memory, run)]
            events = [r.event for r in memory.eventlog.read() if isinstance(r.event, MemoryStored)]
            number = {one.text_id: place for place, one in enumerate(done)}
            return events, [(one.status, number[one.id], one.reason) for one in done]


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=4))
def test_a_batch_is_measured_as_its_texts_one_by_one(seed, sizes):
    rng = Random(seed)
    runs = [[some_event(rng) for _ in range(size)] for size in sizes]
    together, decided = stored_in(runs)
    apart, decided_apart = stored_in([[event] for run in runs for event in run])
    assert decided == decided_apart
    assert [event.evidence for event in together] == [event.evidence for event in apart]


def rows(event):
    return np.stack([np.frombuffer(row, "<f2") for row in event.vectors.rows]).astype(np.float64)


def worst_matched(first, second):
    products = np.clip(rows(first) @ rows(second).T, -1, 1).astype(np.float32)
    return float(min(products.max(axis=0).min(), products.max(axis=1).min()))


def form(event):
    return exact_form(event.text), event.title, event.observed_at


def expected(events, place):
    """(cosine, seq) of every earlier indexed form of the partition, by its first text; nearest first."""
    own = events[place]
    first = {}
    for seq, other in enumerate(events[:place], 2):
        if other.vectors is not None and (other.scope.user, other.scope.project) == (own.scope.user, own.scope.project):
            first.setdefault(form(other), (worst_matched(own, other), seq))
    return sorted(first.values(), key=lambda entry: (-entry[0], entry[1]))


def check(events):
    """Hold the evidence of every text against every pair there is; how many entries and how many were cut."""
    entries = cut = 0
    for place, event in enumerate(events):
        if event.vectors is None:
            assert event.evidence is None
            continue
        evidence, near = event.evidence, unpack(event.evidence.near).tolist()
        all_pairs = expected(events, place)
        assert [(cosine, seq) for seq, cosine, _ in near] == all_pairs[: len(near)]
        assert not [pair for pair in all_pairs[len(near) :] if pair[0] >= evidence.horizon]
        assert all(cosine >= evidence.floor for _, cosine, _ in near)
        read = [(seq, flags) for seq, cosine, flags in near if cosine >= Crowd.thresholds.duplicate]
        assert all(flags == guard(event.text, events[seq - 2].text) for seq, flags in read)
        assert all(flags == UNREAD for _, _, flags in near[len(read) :])
        assert evidence.horizon >= evidence.floor
        assert len(near) <= EVIDENCE_LIMIT
        entries, cut = entries + len(near), cut + (evidence.horizon > evidence.floor)
    return entries, cut


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_every_earlier_text_above_the_horizon_is_listed_and_no_other(seed, size):
    rng = Random(seed)
    check(stored_in([[some_event(rng) for _ in range(size)]])[0])


def test_a_crowd_is_cut_at_the_limit_and_the_horizon_says_where():
    events = [MemoryStored(text=f"The crane {number} is old") for number in range(60)]
    entries, cut = check(stored_in([events])[0])
    assert (entries > 800, cut > 10) == (True, True)


def test_constants_below_the_floor_are_refused_by_name(tmp_path):
    with Memory(tmp_path / "s", embedder=Crowd()) as memory:
        store_events(memory, [MemoryStored(text=f"The crane {number} is old") for number in range(3)])
        fingerprint = Crowd.identity.fingerprint
        constants = memory.view().beliefs.constants
        floor = floor_of(constants, fingerprint)
        low = constants.with_thresholds(fingerprint, Thresholds(0.9, floor - 0.01, 0.5, 0.3))
        with pytest.raises(InvalidInput, match=rf"{floor:.2f}.*floor.*@2"):
            memory.recall("crane", constants=low)
        at_the_floor = constants.with_thresholds(fingerprint, Thresholds(0.9, floor, 0.5, 0.3))
        assert memory.recall("crane", constants=at_the_floor).counterfactual


def test_long_texts_that_share_a_paragraph_are_two_and_a_repeat_is_one():
    """Near is near in every window: the worst matched one counts."""
    shared = "The crane is old"
    texts = [f"{shared} / The lamp was sold", f"{shared} / The boat stands here", f"{shared} / The lamp was sold"]
    events, decided = stored_in([[MemoryStored(text=text) for text in texts]])
    assert [status for status, *_ in decided] == ["added", "added", "reinforced"]
    assert all(len(event.vectors.rows) == 2 for event in events)
    assert worst_matched(events[0], events[1]) < Crowd.thresholds.duplicate
    assert check(events)


def test_the_order_of_entries_is_by_cosine_then_age():
    events, _ = stored_in([[MemoryStored(text=f"The crane is old{extra}") for extra in EXTRAS]])
    near = unpack(events[-2].evidence.near).tolist()
    assert all((-a[1], a[0]) < (-b[1], b[0]) for a, b in pairwise(near))
