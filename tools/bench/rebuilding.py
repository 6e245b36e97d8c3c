"""Rebuilding from the log, and folding it again.

The log is that of the store of this size and, as logs of long use are, mostly
feedback: 8 events of it are added for each text, and one link for every two.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import Figure, Setting, seconds
from helixlog.commands.memory import Memory
from helixlog.commands.rebuild import build_graph
from helixlog.eventlog.events import Endpoint, Event, MemoriesLinked
from helixlog.projections.catalog import Catalog
from stores import copied, feedback

FEEDBACK, LINKS = 8.0, 0.5
BATCH = 2_000


def rebuild(setting: Setting) -> Iterator[Figure]:
    """Everything from an empty folder of projections, stage by stage; and the beliefs alone, folded once more."""
    with tempfile.TemporaryDirectory(dir=setting.cache) as place, Memory(mixed(setting)) as memory:
        head = memory.eventlog.head.seq
        of, bar = f"{head:,} events", 8.0 if setting.size == 100_000 else None
        yield seconds(f"read and check {of}", lambda: sum(1 for _ in memory.eventlog.read(1, head)))
        catalog = Catalog(Path(place) / "projections", memory.eventlog)
        yield seconds(f"rebuild from {of}, all answered", lambda: answering(catalog), bar=bar)
        yield seconds("publishing them", catalog.publish)
        yield seconds(f"beliefs alone, {of} folded anew", lambda: catalog.fold(head, catalog.beliefs.constants))
        yield seconds("graph (hnswlib), off the critical path", lambda: build_graph(memory, catalog))


def answering(catalog: Catalog) -> None:
    """Bring the projections to where a recall can be answered."""
    catalog.sync()
    assert catalog.vectors is not None  # noqa: S101 - opens the index, which folds the vectors


def mixed(setting: Setting) -> Path:
    """The store with much more feedback and many more links; kept, since it takes long to write."""
    folder = setting.cache / f"mixed-{setting.size}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=setting.cache) as place:
            copy = copied(setting, place)
            with Memory(copy) as memory:
                use(memory, setting.size)
            (copy / "complete").touch()
            shutil.move(copy, folder)
    return folder


def use(memory: Memory, size: int) -> None:
    """Append what the module says, in large batches."""
    rng = random.Random(3)
    texts = memory.view().beliefs.texts
    ids = [texts.id_of(ordinal) for ordinal in range(len(texts))]
    vectors: list[Any] = [memory.body(rng.randrange(size)).vectors for _ in range(200)]

    def made() -> Event:
        if rng.random() < LINKS / (FEEDBACK + LINKS):
            first, second = rng.sample(ids, 2)
            return MemoriesLinked(source=Endpoint(id=first), target=Endpoint(id=second), relation="relates_to")
        used = [ids[min(int(rng.paretovariate(0.6)), len(ids)) * 7919 % len(ids)] for _ in range(3)]
        return feedback(rng, used, rng.choice(vectors))

    left = int(size * (FEEDBACK + LINKS))
    while left > 0:
        memory.append([made() for _ in range(min(BATCH, left))])
        left -= BATCH
