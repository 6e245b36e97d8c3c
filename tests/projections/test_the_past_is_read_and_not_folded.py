"""A process that opens a store reads any earlier point from what was noted; only where that was lost does it fold."""

from __future__ import annotations

import shutil
from itertools import pairwise

import pytest
from child import opened
from helixlog.projections.catalog import Catalog
from helixlog.projections.digests import digests
from helixlog.projections.generations import Generations
from helixlog.projections.saved import VERSION

POINTS = (1, 20, 31, 60)


class FoldedError(AssertionError):
    """The log was folded."""


def refuse(*_, **__):
    raise FoldedError


@pytest.fixture
def store(told, tmp_path):
    shutil.copytree(told / "today", tmp_path / "store")
    with opened(tmp_path / "store") as memory:
        assert memory.catalog.publish()
    return tmp_path / "store"


def believed(memory):
    catalog = memory.catalog
    return [digests(catalog.believed(seq, catalog.beliefs.constants)) for seq in POINTS]


def folded(memory):
    catalog = memory.catalog
    return [digests(catalog.fold(seq, catalog.beliefs.constants)) for seq in POINTS]


def test_published_notes_answer_for_every_point(store, monkeypatch):
    with opened(store) as memory:
        expected = folded(memory)
    monkeypatch.setattr(Catalog, "fold", refuse)
    with opened(store) as memory:
        assert believed(memory) == expected


def test_notes_of_several_generations_and_of_the_tail_are_one_history(store, monkeypatch):
    for number in range(3):
        with opened(store) as memory:
            memory.feedback(ids=[memory.list().memories[0].id], outcome="blocked", context="again")
            memory.store(f"The lantern of turn {number} is lit", tags=["lit"])
            assert memory.catalog.publish()
    with opened(store) as memory:
        memory.forget(memory.list().memories[0].id)
        expected = folded(memory)
        monkeypatch.setattr(Catalog, "fold", refuse)
        assert believed(memory) == expected


def test_one_process_that_publishes_often_writes_each_note_once(store, monkeypatch):
    """An import does: what it has at hand begins long before what is not on disk yet."""
    with opened(store) as memory:
        assert believed(memory)  # so that the saved notes are at hand as well
        for number in range(12):
            first = memory.store(f"The lantern of turn {number} is lit", tags=["lit"]).id
            memory.annotate(first, add_tags=["late"])
            memory.forget(first)
            assert memory.catalog.publish()
        expected = folded(memory)
        points = range(1, memory.eventlog.head.seq + 1)
        each = [digests(memory.catalog.believed(seq, memory.catalog.beliefs.constants)) for seq in points]
    monkeypatch.setattr(Catalog, "fold", refuse)
    with opened(store) as memory:
        assert believed(memory) == expected
        catalog = memory.catalog
        assert [digests(catalog.believed(seq, catalog.beliefs.constants)) for seq in points] == each
        (notes,) = catalog.beliefs.memories._history.cells.values()
        assert (notes.notes["seq"].values[1:] >= notes.notes["seq"].values[:-1]).all()
    segments = Generations(store / "projections", "history", VERSION).load().segments
    assert len(segments) > 1
    assert all(later.first_seq > earlier.last_seq for earlier, later in pairwise(segments))


@pytest.mark.parametrize("room", ["history", "exposures"])
def test_lost_notes_are_made_anew_once(store, monkeypatch, room):
    (folder,) = (store / "projections").glob(f"{room}-v*")
    shutil.rmtree(folder)
    with opened(store) as memory:
        assert believed(memory) == folded(memory)
        memory.store("The lighthouse keeper counts the ships")
        assert memory.catalog.publish()
    monkeypatch.setattr(Catalog, "fold", refuse)
    with opened(store) as memory:
        assert believed(memory)


def test_notes_that_are_ahead_of_the_beliefs_are_cut(store, monkeypatch):
    """As after a crash between the two publications."""
    with opened(store) as memory:
        memory.store("The second harbour crane is painted green", tags=["crane"])
        memory.forget(memory.list().memories[0].id)
        rooms = ("ledger-", "effectiveness-", "graph-")
        publishing = Generations.publishing

        def broken_off(self, timeout=0):
            if self.path.name.startswith(rooms):
                raise FoldedError
            return publishing(self, timeout)

        with monkeypatch.context() as patch:
            patch.setattr(Generations, "publishing", broken_off)
            with pytest.raises(FoldedError):
                memory.catalog.publish()
        expected = folded(memory)
    with opened(store) as memory:
        memory.catalog  # noqa: B018 - catches up from the earlier beliefs
        monkeypatch.setattr(Catalog, "fold", refuse)
        assert believed(memory) == expected
