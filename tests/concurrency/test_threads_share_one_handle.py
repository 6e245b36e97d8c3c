"""Threads share one handle: every store is kept, every answer is whole."""

from __future__ import annotations

import threading
import time

from helixlog.commands.memory import Memory
from helixlog.eventlog.events import MemoryStored

WRITERS, READERS, NOTES = 3, 3, 40


def guarded(work, faults):
    def run():
        try:
            work()
        except BaseException as fault:  # noqa: BLE001 - whatever a thread meets is the test's to report
            faults.append(fault)

    return run


def test_writers_and_readers_neither_stall_nor_tear_each_other(tmp_path):
    with Memory(tmp_path, embedder="static") as memory:
        faults: list[BaseException] = []
        done = threading.Event()

        def write(name: int):
            for number in range(NOTES):
                memory.store(f"Writer {name} saw deploy {number} finish.")

        def read():
            while not done.is_set():
                assert all(result.text for result in memory.recall("deploys that finish").results)

        writers = [threading.Thread(target=guarded(lambda name=name: write(name), faults)) for name in range(WRITERS)]
        readers = [threading.Thread(target=guarded(read, faults)) for _ in range(READERS)]
        began = time.monotonic()
        for thread in writers + readers:
            thread.start()
        for thread in writers:
            thread.join()
        done.set()
        for thread in readers:
            thread.join()
        assert faults == []
        stored = [one for one in memory.eventlog.read() if isinstance(one.event, MemoryStored)]
        assert len(stored) == WRITERS * NOTES
        assert time.monotonic() - began < 60, "they stalled"


def test_a_recall_that_cannot_be_recorded_keeps_the_projections(tmp_path, monkeypatch):
    from helixlog.errors import StoreBusy

    with Memory(tmp_path, embedder="static") as memory:
        memory.store("The queue tunnel is down.")
        kept = memory.catalog

        def busy(*_: object, **__: object):
            raise StoreBusy("held", remedy="wait")

        monkeypatch.setattr(memory.eventlog, "append_with", busy)
        assert memory.recall("queue tunnel").recorded is False
        assert memory.catalog is kept
