"""Many processes at one store: nothing is lost, nothing counted twice, and one place has one winner."""

from __future__ import annotations

import multiprocessing
from collections import Counter

import pytest
from helixlog.commands.memory import Memory
from helixlog.errors import Conflict

PROCESSES = 8
FACT, FOX = "Llamas eat hay", "Foxes avoid the paddock at noon"


def work(folder, fox, barrier, outcomes):
    """Store a text, praise one memory and replace it, each at the same time as all the others."""
    with Memory(folder) as memory:
        barrier.wait()
        stored = memory.store(FACT)
        barrier.wait()
        memory.feedback(ids=[fox], outcome="delivered")
        barrier.wait()
        try:
            memory.supersede(fox, f"Foxes sleep at noon, says {multiprocessing.current_process().pid}")
            outcomes.put((stored.status, "superseded"))
        except Conflict:
            outcomes.put((stored.status, "conflict"))


@pytest.fixture(scope="module")
def race(tmp_path_factory):
    """The store after the race, the id of the memory that was praised, and what each process was told."""
    folder = tmp_path_factory.mktemp("race") / "store"
    with Memory(folder, embedder="static") as memory:
        fox = memory.store(FOX).id
    spawn = multiprocessing.get_context("spawn")
    barrier, outcomes = spawn.Barrier(PROCESSES, timeout=60), spawn.SimpleQueue()
    started = [spawn.Process(target=work, args=(folder, fox, barrier, outcomes)) for _ in range(PROCESSES)]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
    assert [process.exitcode for process in started] == [0] * PROCESSES
    with Memory(folder) as memory:
        yield memory, fox, [outcomes.get() for _ in started]


def test_eight_reports_of_success_all_count(race):
    memory, fox, _ = race
    record = memory.get(fox)
    assert record.effectiveness == pytest.approx(1 - 0.5 * 0.8**8)
    assert f"{record.effectiveness:.3f}" == "0.916"
    assert (record.uses, record.hits) == (8, 8)


def test_eight_stores_of_one_text_end_as_one_memory(race):
    memory, _, told = race
    assert Counter(status for status, _ in told) == {"added": 1, "reinforced": 7}
    assert len([one for one in memory.list().memories if one.text == FACT]) == 1


def test_of_eight_that_replace_one_memory_one_succeeds(race):
    memory, fox, told = race
    assert Counter(outcome for _, outcome in told) == {"superseded": 1, "conflict": 7}
    assert memory.get(fox).state == "superseded"
    assert memory.count().count == 2


def test_every_event_is_there_once(race):
    memory, _, _ = race
    assert memory.eventlog.head.seq == 2 + PROCESSES + PROCESSES + 2
