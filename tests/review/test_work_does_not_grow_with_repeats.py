"""Placing one more text costs the same however often it was stored, and whatever hub it is tied to.

Counted in accesses and not in seconds: the same for 200 and for 2,000 texts.
"""

from __future__ import annotations

import shutil
from typing import ClassVar

import pytest
from helixlog.constants import Constants
from helixlog.eventlog import events as ev
from helixlog.projections.beliefs import Beliefs
from helixlog.projections.catalog import Catalog
from helixlog.projections.graph.edges import Graph
from helixlog.projections.history import History
from helixlog.projections.ledger.guards import NUMBER
from helixlog.projections.ledger.membership import NO_PAIRS
from helixlog.projections.ledger.memories import Memories


class Unasked:
    """No pair is measured here."""

    def complete(self, *_):
        return NO_PAIRS, 0

    def compare(self, *_):
        return 1

    def mark(self, *_):
        return None


def recorded(seq, event, own_id=None):
    return ev.Recorded(seq=seq, recorded_at=seq, clock=seq, id=own_id, event=event)


def fold(count, text):
    constants = Constants.seed()
    genesis = ev.StoreCreated(store_id="s", tenant="s", format=1, constants=constants.as_dict())
    beliefs = Beliefs(constants, Unasked())
    beliefs.apply([recorded(1, genesis)])
    beliefs.apply([recorded(n + 2, ev.MemoryStored(text=text(n)), f"id{n}") for n in range(count)])
    return beliefs


class Counting(Memories):
    asked: ClassVar[int] = 0

    def root(self, ordinal):
        Counting.asked += 1
        return super().root(ordinal)


def asked_by_the_last(monkeypatch, count):
    beliefs = fold(count, lambda _: "heartbeat ok")
    monkeypatch.setattr(beliefs.memories, "__class__", Counting)
    Counting.asked = 0
    beliefs.apply([recorded(count + 2, ev.MemoryStored(text="heartbeat ok"), "last")])
    assert beliefs.memories.table["members"][0] == count + 1
    return Counting.asked


def test_a_text_stored_ten_times_as_often_is_placed_with_the_same_work(monkeypatch):
    assert asked_by_the_last(monkeypatch, 2_000) == asked_by_the_last(monkeypatch, 200)


def test_a_repeat_is_found_again_after_its_text_was_moved_to_another_memory():
    beliefs = fold(20, lambda n: "first words" if n == 0 else "heartbeat ok")
    assert beliefs.memories.root(19) == 1
    beliefs.apply([recorded(22, ev.MembershipOverruled(verdict="same", first="id0", second="id1"))])
    beliefs.apply([recorded(23, ev.MemoryStored(text="heartbeat ok"), "last")])
    assert beliefs.memories.root(20) == 0


def test_texts_that_differ_in_a_number_alone_are_compared_with_none_of_each_other(open_memory, monkeypatch):
    memory, asked = open_memory(embedder="static"), []
    monkeypatch.setattr(Catalog, "compare", lambda _, *pair: asked.append(pair) or NUMBER)
    for number in range(120):
        memory.store(f"Worker {number} refused the connection of the host", tags=["t"])
    memory.drop_projections()
    shutil.rmtree(memory.folder / "projections", ignore_errors=True)
    assert memory.count().count == 120
    assert not asked


class Tabled(list):
    """Rows that count how many were looked at."""

    seen = 0

    def __iter__(self):
        for row in super().__iter__():
            Tabled.seen += 1
            yield row


@pytest.mark.parametrize("reverse", [False, True])
def test_an_edge_to_a_hub_is_added_without_going_through_the_hub(monkeypatch, reverse):
    history = History()
    history.seq = 1
    graph = Graph(history)
    for other in range(1, 2_000):
        graph.add(*((other, 0) if reverse else (0, other)), "relates_to", 1.0)
    Tabled.seen = 0
    for lookup in (graph._from, graph._to):
        monkeypatch.setattr(lookup, "find", lambda key, find=lookup.find: Tabled(find(key)))
    graph.add(*((5_000, 0) if reverse else (0, 5_000)), "relates_to", 1.0)
    assert Tabled.seen == 0
    graph.add(*((7, 0) if reverse else (0, 7)), "relates_to", 0.5)
    assert Tabled.seen == 1
    assert len(graph.rows(7)) == 1
