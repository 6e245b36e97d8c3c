"""Eight processes write at once while others read and one rebuilds: nothing is lost, doubled or late."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import worker
from helixlog.commands.memory import Memory
from helixlog.commands.verify import differences
from helixlog.eventlog.events import MemoryStored
from helixlog.eventlog.verify import verify

WORKER = Path(worker.__file__)
WRITERS, READERS = 8, 2
SEED = 7


class Child:
    """A process of `worker.py`."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, WORKER, *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> dict:
        return msgspec.json.decode(self.process.stdout.readline())

    def rest(self) -> list[dict]:
        """What it still says until its end, which was a good one."""
        with self.process as process:
            process.stdin.close()
            said = [msgspec.json.decode(line) for line in process.stdout]
        assert process.returncode == 0
        return said


class Crowd:
    """All processes, and threads that carry each acknowledgement to a reader of another process at once."""

    def __init__(self, folder: Path, count: int) -> None:
        self.writers = [Child("write", folder, f"w{number}", count, SEED) for number in range(WRITERS)]
        self.readers = [Child("check", folder) for _ in range(READERS)]
        self.rebuilder = Child("rebuild", folder)
        self.told: list[dict] = []
        self.answers: list[dict] = []
        self._acknowledged: queue.Queue[dict | None] = queue.Queue()

    def run(self) -> list[dict]:
        """What the rebuilding process said; `told` and `answers` are what the others did."""
        for child in (*self.writers, *self.readers, self.rebuilder):
            assert child.hear() == {"kind": "ready"}
        for child in self.writers:
            child.tell("go")
        listening = [threading.Thread(target=self._listen, args=(child,)) for child in self.writers]
        asking = [threading.Thread(target=self._ask, args=(child,)) for child in self.readers]
        for thread in listening + asking:
            thread.start()
        for thread in listening:
            thread.join()
        for _ in asking:
            self._acknowledged.put(None)
        for thread in asking:
            thread.join()
        assert [child.rest() for child in self.readers] == [[]] * READERS
        return self.rebuilder.rest()

    def _listen(self, child: Child) -> None:
        for said in child.rest():
            self.told.append(said)
            if "text" in said:
                self._acknowledged.put(said)

    def _ask(self, child: Child) -> None:
        while (said := self._acknowledged.get()) is not None:
            child.tell(msgspec.json.encode(said).decode())
            self.answers.append(child.hear())


def is_whole(folder: Path, told: list[dict]) -> None:
    """The log is gapless and sound, holds each acknowledged write once, and every belief is that of a cold fold."""
    counted = Counter(said["kind"] for said in told)
    with Memory(folder, create=False, embedder="static") as memory:
        events = list(memory.eventlog.read())
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert len(events) == 1 + sum(worker.EVENTS.get(kind, 0) * number for kind, number in counted.items())
        texts = Counter(event.event.text for event in events if isinstance(event.event, MemoryStored))
        assert texts == Counter(said["text"] for said in told if "text" in said)
        live = Counter(one.text for one in memory.list(limit=10_000).memories)
        assert set(live.values()) == {1}, "each text is one memory"
        assert set(worker.COMMON) & set(texts) <= set(live)
        ids = [said["id"] for said in told if said["kind"] in ("unique", "supersede")]
        assert len(set(ids)) == len(ids)
        assert differences(memory) == []
    assert verify(folder).ok


@pytest.mark.parametrize("count", [8, pytest.param(500, marks=pytest.mark.long)])
def test_nothing_is_lost_doubled_or_late(tmp_path, count):
    Memory(tmp_path / "store", embedder="static").close()
    crowd = Crowd(tmp_path / "store", count)
    rebuilt = crowd.run()
    assert len(crowd.told) == WRITERS * count
    assert {said["kind"] for said in rebuilt} >= {"rebuilt"}, "a rebuild ran meanwhile"
    answers = Counter(said["kind"] for said in crowd.answers)
    assert set(answers) <= {"found", "replaced"}, "what was acknowledged is found by the next command"
    assert answers["found"] > answers["replaced"] <= sum(said["kind"] == "supersede" for said in crowd.told)
    assert len(crowd.answers) == sum("text" in said for said in crowd.told)
    common = Counter(said["text"] for said in crowd.told if said["kind"] == "common" and said["status"] == "added")
    assert set(common.values()) <= {1}, "the same text stored at once is one memory"
    is_whole(tmp_path / "store", crowd.told)
