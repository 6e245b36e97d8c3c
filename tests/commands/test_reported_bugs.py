"""Faults that users of other memories reported, as inputs to this one."""

from __future__ import annotations

import pytest

T = "The staging database is reset every Sunday"


@pytest.fixture
def reopened(memory, open_memory, tmp_path):
    """`reopened()`: the same log, folded from nothing."""
    number = iter(range(10))

    def again():
        folder = tmp_path / f"copy{next(number)}"
        folder.mkdir()
        memory.backup(folder / "store")
        return open_memory(f"{folder.name}/store")

    return again


def test_a_text_stored_after_it_was_forgotten_is_there_once(memory, shown, reopened):
    """B21: a tombstone does not stand in the way of the same text."""
    first = memory.store(T)
    memory.forget(first.id)
    second = memory.store(T)
    assert shown("staging database reset") == [T]
    memory.forget(second.id)
    third = memory.store(T)
    for store in (memory, reopened()):
        assert [one.id for one in store.recall("staging", record=False).results] == [third.id]
        assert [store.get(one.id).state for one in (first, second)] == ["forgotten"] * 2
        types = [event.type for event in store.history(first.id).events]
        assert types.count("memory_forgotten") == 1


def test_after_a_correction_only_the_new_words_find_it(memory, shown):
    """B22: words and vector follow the text; the past keeps the old."""
    old = memory.store("Dana leads the billing team")
    memory.supersede(old.id, "Dana leads the search team")
    assert shown("search team") == ["Dana leads the search team"]
    assert "Dana leads the billing team" not in shown("billing")
    assert shown("billing", as_of=f"@{old.seq}") == ["Dana leads the billing team"]


@pytest.mark.parametrize("end", ["expires", "forgotten", "superseded"])
def test_the_past_shows_what_held_then(memory, clock, shown, end):
    """B25: what is gone today was there in February."""
    clock.at(10)
    one = memory.store(T, expires_at="50d" if end == "expires" else None)
    clock.at(60)
    if end == "forgotten":
        memory.forget(one.id)
    elif end == "superseded":
        memory.supersede(one.id, "The staging database is kept")
    before, after, early = (clock.at(days) for days in (32, 61, 1))
    clock.at(200)
    assert shown("staging", as_of=before) == [T]
    assert T not in shown("staging", as_of=after)
    assert shown("staging", as_of=early) == []


def test_decay_does_not_depend_on_how_often_it_ran(open_memory, clock):
    """B27: the same strength after 30 days with one pass, 30 passes or none; and nothing more is pruned."""
    ends = set()
    for passes in (0, 1, 30):
        clock.at(0)
        memory = open_memory(f"passes{passes}", embedder="none")
        one = memory.store(T).id
        memory.feedback(ids=[one], outcome="delivered")
        for number in range(passes):
            clock.at(31 + 30 * (number + 1) / passes)
            memory.decay()
        clock.at(61)
        ends.add((memory.get(one).effectiveness, memory.prune().hidden))
    assert len(ends) == 1


def test_being_recalled_lifts_nothing_and_a_mark_counts_once(memory, reopened):
    """B39: only the outcome moves a memory up, and only once a key."""
    first = memory.store("The runbook for outages is in the wiki")
    second = memory.store("The runbook for outages is in the handbook")
    assert first.id != second.id

    def order(store):
        return [one.id for one in store.recall("runbook for outages", record=False).results]

    before = order(memory)
    for _ in range(30):
        assert [one.id for one in memory.recall("runbook for outages").results] == before
    behind = before[-1]
    marks = [memory.feedback(ids=[behind], outcome="delivered", key="k") for _ in range(2)]
    assert [mark.repeated for mark in marks] == [False, True]
    assert memory.get(behind).uses == 1
    assert order(memory) == order(reopened()) == [behind, before[0]]
