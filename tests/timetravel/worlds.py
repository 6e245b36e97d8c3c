"""Stores that were used for a while, the stores of their first events, and answers as bytes."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from random import Random

import msgspec
from helixlog.commands.cli.output import plain_values
from helixlog.commands.copying import restore_export
from helixlog.commands.memory import Memory
from helixlog.constants import DAY
from helixlog.errors import Conflict, InvalidInput
from helixlog.eventlog.events import MemoryStored

BEGIN = 1_750_000_000_000_000_000
SUBJECTS = (
    "the build server keeps its cache in the cellar",
    "we review every change before noon",
    "customers prefer short answers to long ones",
    "the nightly backup runs on the old machine",
    "tests of the parser are slow on windows",
)
TWISTS = ("{}", "{}", "{} as agreed", "as a rule {}", "{} since 14 May", "it is not true that {}")
ABOUT_FILES = ("log_bytes", "projection_bytes", "graph_rows", "checks", "index_lag")
"""Fields that tell of the disk and the machine as they are now, whatever point is asked about."""


class Life:
    """A store that is used at random under a clock of its own."""

    def __init__(self, folder: Path, seed: int, embedder: str = "static") -> None:
        self.rng, self.now, self.ids, self.recalls = Random(seed), BEGIN, [], []
        self.memory = Memory(folder, embedder=embedder, clock=lambda: self.now)

    def live(self, steps: int) -> Life:
        for _ in range(steps):
            self.now += self.rng.choice((0, 1, 10**9, DAY, 9 * DAY, 40 * DAY))
            what = self.rng.choices((self.store, self.ask, self.learn, self.change, self.tick), (5, 3, 5, 4, 2))[0]
            with contextlib.suppress(Conflict, InvalidInput):
                what()
        return self

    def store(self) -> None:
        rng = self.rng
        text = rng.choice(TWISTS).format(rng.choice(SUBJECTS))
        options = {"tags": rng.choice(((), ("ops",), ("ops", "old"))), "entities": rng.choice(((), ("Ada",)))}
        if rng.random() < 0.15:
            options["expires_at"] = "30d"
        if rng.random() < 0.15:
            options |= {"valid_from": self.now - DAY, "valid_to": self.now + 20 * DAY}
        self.ids.append(self.memory.store(text, **options).text_id)

    def some(self) -> str:
        if not self.ids:
            self.store()
        return self.rng.choice(self.ids)

    def ask(self) -> None:
        asked = self.memory.recall(self.rng.choice(SUBJECTS)[4:24], limit=self.rng.choice((2, 5)))
        if asked.results:
            self.recalls.append(asked.recall_id)

    def learn(self) -> None:
        outcome = self.rng.choice(("delivered", "partial", "blocked"))
        if self.recalls and self.rng.random() < 0.7:
            self.memory.feedback(self.rng.choice(self.recalls), outcome=outcome)
        else:
            self.memory.feedback(ids=[(self.some(), self.rng.choice((0.2, 0.5, 0.6, 0.9)))], outcome=outcome)

    def change(self) -> None:
        verb = self.rng.choice(("forget", "restore", "supersede", "by", "annotate", "merge", "split", "link", "adopt"))
        memory, one = self.memory, self.some()
        if verb == "supersede":
            self.ids.append(memory.supersede(one, f"{self.rng.choice(SUBJECTS)} {len(self.ids)}").id)
        elif verb == "by":
            memory.supersede(one, by=self.some())
        elif verb == "annotate":
            memory.annotate(one, add_tags=[self.rng.choice(("ops", "late"))])
        elif verb == "merge":
            memory.merge(one, self.some())
        elif verb == "link":
            memory.link(one, self.some(), relation="led_to")
        elif verb == "adopt":
            memory.adopt(changes={"learning_rate": self.rng.choice((0.1, 0.2, 0.4))}, reason="trying")
        else:
            getattr(memory, verb)(one)

    def tick(self) -> None:
        self.rng.choice((self.memory.prune, self.memory.decay, self.memory.expire))()


def first(memory: Memory, seq: int, folder: Path, clock: int) -> Memory:
    """A store of exactly the first events of another, read at a clock."""
    lines = io.BytesIO()
    memory.export(lines, as_of=f"@{seq}")
    path = folder.with_suffix(".jsonl")
    path.write_bytes(lines.getvalue())
    restore_export(path, folder)
    return Memory(folder, clock=lambda: clock)


def texts(memory: Memory, seq: int) -> list[str]:
    """The ids of the texts among the first events."""
    return [r.id for r in memory.eventlog.read(1, seq) if isinstance(r.event, MemoryStored)]


def said(answer: object) -> bytes:
    """An answer to the byte, but for what it tells of files."""
    return msgspec.json.encode(_without(plain_values(answer)))


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without(item) for name, item in value.items() if name not in ABOUT_FILES}
    return [_without(item) for item in value] if isinstance(value, list) else value


READS = {
    "recall": lambda m, _, **at: m.recall("the build server cache of the cellar", limit=20, hops=2, record=False, **at),
    "explain": lambda m, _, **at: m.explain("slow tests of the parser", limit=20, **at),
    "get": lambda m, ids, **at: [m.get(one, **at) for one in ids],
    "count": lambda m, _, **at: m.count(**at),
    "list": lambda m, _, **at: m.list(state="all", limit=1000, order="effectiveness", **at),
    "history": lambda m, ids, **at: [m.history(one, **at) for one in ids],
    "neighbors": lambda m, ids, **at: [m.neighbors(one, **at) for one in ids],
    "lineage": lambda m, ids, **at: [m.lineage(one, **at) for one in ids],
    "log": lambda m, _, **at: m.log(limit=1000, vectors=True, **at),
    "constants": lambda m, _, **at: m.constants(**at),
    "stats": lambda m, _, **at: m.stats(**at),
    "health": lambda m, _, **at: m.health(**at),
    "timeline": lambda m, _, **at: [m.timeline(tag="ops", **at), m.timeline(query="the nightly backup", **at)],
    "diff": lambda m, _, **at: m.diff("@2", **at),
    "replay": lambda m, _, **at: m.replay(changes={"learning_rate": 0.5, "max_links": 1}, **at),
}
"""Every verb that reads beliefs, asked something; `at` is nothing or `as_of`."""
