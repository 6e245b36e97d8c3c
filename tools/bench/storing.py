"""Storing: a text with its evidence, durable and visible to the next recall; and an import of all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from appending import Raw
from harness import Figure, Samples, Setting, ratio
from helixlog.commands.memory import Memory
from recalling import has_graph, opened
from stores import built, copied, fresh

WARM = 10
MOST = 500


def store(setting: Setting) -> Iterator[Figure]:
    """`Memory.store` of one text, without the embedder, against raw write + fdatasync of the bytes it came to."""
    texts = list(dict.fromkeys(passage.text for passage in fresh(setting)))[: 2 * (WARM + min(setting.runs, MOST))]
    small = setting.size <= 10_000
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        folder, raw = copied(setting, place), Raw(Path(place, "raw"))
        for name, graph in (("scans", False), ("graph", True)):
            memory = opened(folder, texts, graph=graph)
            if graph and not has_graph(memory):
                memory.close()
                continue
            half = texts[len(texts) // 2 :] if graph else texts[: len(texts) // 2]
            ours, theirs = against_raw(memory, raw, half)
            yield ours.figure(f"store of one text, {name}")
            yield theirs.figure(f"raw write + fdatasync of it, {name}")
            yield ratio(f"store to raw, {name}", ours, theirs, bar=3.0 if small else 4.0 if graph else 15.0)
            memory.close()
        raw.close()


def against_raw(memory: Memory, raw: Raw, texts: list[str]) -> tuple[Samples, Samples]:
    """Stores, each seen by a view before its time is up, and raw writes of the same bytes."""
    ours, theirs = Samples(), Samples()
    for number, text in enumerate(texts):
        mine, other = (ours, theirs) if number >= WARM else (Samples(), Samples())
        stored = mine.of(lambda text=text: memory.store(text))  # type: ignore[misc]
        (data,) = memory.eventlog.raw(stored.seq, stored.seq)
        other.of(lambda data=data: raw.write(data))  # type: ignore[misc]
    return ours, theirs


def import_(setting: Setting) -> Iterator[Figure]:
    """The making of the store of this size: its texts with vectors and evidence, as an import takes them in."""
    times = msgspec.json.decode((built(setting, anew=True) / "built.json").read_bytes(), type=dict[str, float])
    bar = 120.0 if setting.size == 100_000 else None
    yield Figure(
        what=f"import of {setting.size:,} vectors, evidence",
        value=times["texts"],
        unit="s",
        cpu=times["texts cpu"],
        bar=bar,
    )
    yield Figure(what="publishing it", value=times["publish"], unit="s")
    yield Figure(what="the graph over it", value=times["graph"], unit="s")
