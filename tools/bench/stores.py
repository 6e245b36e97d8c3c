"""Stores of a given size, built through the product: texts with evidence, links, supersessions, recalls, feedback.

Time in them runs over half a year, up to now. Of every 100 texts, 2 repeat an
earlier one word for word and 2 with a sentence less; after every 256, as an
import takes them in, come 10% as many links within topics, 2% supersessions, 5%
recalls and 10% feedback, on memories that are drawn by Zipf's law, as a few are
used much and most hardly ever.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from corpus import SEED, SENTENCE, Passage, passages
from harness import Setting
from helixlog.commands import checks
from helixlog.commands.intake import BATCH, MARK, Incoming, Intake
from helixlog.commands.memory import Memory
from helixlog.commands.rebuild import build_graph
from helixlog.embedding.identity import Identity, Thresholds
from helixlog.embedding.protocol import FloatArray
from helixlog.embedding.static import Static
from helixlog.eventlog.events import (
    Endpoint,
    Event,
    Exposure,
    FeedbackGiven,
    MemoriesLinked,
    MemoriesRecalled,
    MemoryStored,
    MemorySuperseded,
    Returned,
    Vectors,
)
from helixlog.projections.text.analyzer import STOP_WORDS

HELD_OUT = 2_000
"""At most so many passages beyond the size, of other files, are what questions and new texts are made of."""

PERIOD = 180 * 86_400 * 10**9
NAME = re.compile(r"\b(?:[A-Z][a-z]+[A-Z]\w+|[a-z]+_[a-z_]+)\b")


class Known:
    """The embedder `static` for texts it has seen: a look-up, so that the time of embedding is left out."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._static = Static()
        self._vectors = {text: self._static.embed_query(text) for text in texts}

    @property
    def identity(self) -> Identity:
        """That of `static`."""
        return self._static.identity

    @property
    def thresholds(self) -> Thresholds:
        """Those of `static`."""
        return self._static.thresholds

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """As of any embedder."""
        return [self.embed_query(text)[np.newaxis] for text in texts]

    def embed_query(self, text: str) -> FloatArray:
        """As of any embedder."""
        return self._vectors[text]


def questions(setting: Setting, count: int) -> list[str]:
    """Questions on held-out texts: 3 to 8 words of one, or its first sentence."""
    rng = random.Random(SEED + 1)
    made = []
    for passage in fresh(setting)[:count]:
        words = [word for word in re.findall(r"\w+", passage.text) if word.lower() not in STOP_WORDS]
        first = " ".join(SENTENCE.split(passage.text)[0].split()[:14])
        made.append(first if rng.random() < 0.3 else " ".join(rng.sample(words, min(len(words), rng.randint(3, 8)))))
    return list(dict.fromkeys(made))


def fresh(setting: Setting) -> list[Passage]:
    """Texts that the store does not have."""
    return _passages(setting)[setting.size :]


def _passages(setting: Setting) -> list[Passage]:
    """Those of the store, and as many others as there are, up to `HELD_OUT`."""
    return passages(setting.size + min(setting.size, HELD_OUT), setting.cache)


def built(setting: Setting, *, anew: bool = False) -> Path:
    """The folder of the store of this size, built if it is not there, its projections those of this release."""
    folder = setting.cache / f"store-{setting.size}"
    if anew or not (folder / "built.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        times = build(folder, _passages(setting)[: setting.size])
        (folder / "built.json").write_bytes(msgspec.json.encode(times))
    bring_up(folder)
    return folder


@cache
def bring_up(folder: Path) -> None:
    """Fold again what an earlier release has published, once a process."""
    with Memory(folder) as memory:
        catalog = memory.catalog
        if catalog.tail:
            catalog.publish()
        vectors = catalog.vectors
        if vectors is not None and not vectors.load_graph():
            build_graph(memory, catalog)


def copied(setting: Setting, place: str) -> Path:
    """A copy of the store that may be written to."""
    target = Path(place) / "store"
    shutil.copytree(built(setting), target)
    return target


class Building:
    """A store under construction."""

    def __init__(self, folder: Path, size: int) -> None:
        self._size, self._now = size, time.time_ns() - PERIOD
        self.rng = random.Random(SEED)
        self.memory = Memory(folder, embedder="static", clock=lambda: self._now)
        self.intake = Intake(self.memory)
        self.ids: list[str] = []
        self.topics: dict[str, list[str]] = {}
        self.times = {"texts": 0.0, "texts cpu": 0.0}

    def take_in(self, batch: Sequence[Passage], vectors: Sequence[Vectors | None]) -> None:
        """One batch of texts, as an import does it; embedding and the making of the events are not timed."""
        incoming = [
            Incoming(str(number), event(passage, vector, f"{MARK}bench:{number}"))
            for number, (passage, vector) in enumerate(zip(batch, vectors, strict=True), len(self.ids))
        ]
        self._now += PERIOD * len(batch) // self._size
        wall, cpu = time.perf_counter(), time.process_time()
        self.intake.texts(incoming)
        self.times["texts"] += time.perf_counter() - wall
        self.times["texts cpu"] += time.process_time() - cpu
        for passage, item in zip(batch, incoming, strict=True):
            self.ids.append(self.intake.ids[item.local])
            self.topics.setdefault(passage.topic, []).append(self.ids[-1])

    def drawn(self) -> str:
        """A memory, some far more often than others."""
        return self.ids[min(int(self.rng.paretovariate(0.6)) * 7919 % len(self.ids), len(self.ids) - 1)]

    def use(self, batch: Sequence[Passage], vectors: Sequence[Vectors | None]) -> None:
        """What happens to memories between two imports."""
        said = list(self._said(batch, vectors))
        if said:
            self.memory.append(said)

    def _said(self, batch: Sequence[Passage], vectors: Sequence[Vectors | None]) -> Iterator[Event]:
        rng = self.rng
        for passage, vector in zip(batch, vectors, strict=True):
            kin, chance = self.topics[passage.topic], rng.random()
            if chance < 0.10 and len(kin) > 1:
                ends = (Endpoint(id=one) for one in rng.sample(kin, 2))
                yield MemoriesLinked(source=next(ends), target=next(ends), relation="relates_to", weight=0.8)
            elif chance < 0.12 and len(kin) > 1:
                old, new = kin[-2:]
                yield MemorySuperseded(old=old, new=new)
            elif chance < 0.17:
                shown = tuple(Returned(id=self.drawn(), rank=rank, score=0.01 / rank) for rank in range(1, 6))
                point = self.memory.eventlog.head
                yield MemoriesRecalled(
                    query=passage.text[:80], point_seq=point.seq, point_clock=self._now, vector=vector, returned=shown
                )
            elif chance < 0.27:
                yield feedback(rng, [self.drawn() for _ in range(3)], vector)

    def finish(self) -> None:
        """Publish, and build the graph if hnswlib is there."""
        catalog = self.memory.catalog
        started = time.perf_counter()
        catalog.publish()
        self.times["publish"] = time.perf_counter() - started
        started = time.perf_counter()
        build_graph(self.memory, catalog)
        self.times["graph"] = time.perf_counter() - started
        self.memory.close()


def feedback(rng: random.Random, ids: Sequence[str], vector: Vectors | None) -> FeedbackGiven:
    """A feedback on some memories, in a context in a third of cases."""
    return FeedbackGiven(
        outcome=rng.choice(("delivered", "delivered", "partial", "blocked")),
        exposures=tuple(Exposure(id=one, similarity=round(rng.betavariate(4, 4), 4)) for one in dict.fromkeys(ids)),
        fingerprint=None if vector is None else vector.fingerprint,
        context_vector=vector if rng.random() < 0.3 else None,
    )


def build(folder: Path, texts: Sequence[Passage]) -> dict[str, float]:
    """Build a store; the seconds that its parts took."""
    building = Building(folder, len(texts))
    given = repeated(texts, building.rng)
    fingerprint = building.memory.view().beliefs.fingerprint
    for start in range(0, len(given), BATCH):
        batch = given[start : start + BATCH]
        vectors = building.memory.embed(fingerprint, [passage.text for passage in batch])
        building.take_in(batch, vectors)
        building.use(batch, vectors)
    building.finish()
    return building.times


def repeated(texts: Sequence[Passage], rng: random.Random) -> list[Passage]:
    """The texts, a few of them replaced by earlier ones or by shortened ones."""
    result: list[Passage] = []
    for passage in texts:
        chance = rng.random()
        if result and chance < 0.02:
            passage = rng.choice(result)  # noqa: PLW2901 - said again
        elif result and chance < 0.04:
            earlier = rng.choice(result)
            passage = Passage(earlier.topic, " ".join(SENTENCE.split(earlier.text)[1:]) or earlier.text)  # noqa: PLW2901
        result.append(passage)
    return result


def event(passage: Passage, vectors: Vectors | None, key: str | None = None) -> MemoryStored:
    """A text as a memory: tagged by its topic, about the names in it."""
    names = list(dict.fromkeys(NAME.findall(passage.text)))[:3]
    return MemoryStored(
        text=passage.text,
        vectors=vectors,
        entities=checks.terms(names, what="entity"),
        tags=(passage.topic.partition(".")[0].lower(),),
        key=key,
    )
