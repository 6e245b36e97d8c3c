"""Random questions to a store of a random log, and answers in a form that is equal only when every bit is."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import SimpleNamespace

import msgspec
import numpy as np
from helixlog.commands.opened import OpenStore
from helixlog.commands.recall import Recalled, recall
from helixlog.constants import DAY
from helixlog.errors import NotFound
from helixlog.eventlog.events import MemoriesReembedded, MemoryStored, Recorded
from listed import opened
from strategies import EPOCH, FINGERPRINTS, OWNER

TALK = (
    "build server cache cellar review change noon customers short answers nightly backup old machine tests parser slow "
    "windows team coffee meeting release notes broke deploy discussion agreed Parser Cellar red green 7 8 May true not "
    "ECONNREFUSED nobody"
)
WORDS = tuple(TALK.split())
FILTERED = 0.15
"""How often each filter is used."""


class Near:
    """Embeds a query as a noisy copy of some vector of the log: a pure function of its words."""

    def __init__(self, fingerprint: str, rows: Sequence[bytes]) -> None:
        self.rows = [np.frombuffer(row, "<f2").astype(np.float32) for row in rows]
        dims = len(self.rows[0]) if self.rows else 4
        self.identity = SimpleNamespace(name=fingerprint, fingerprint=fingerprint, dimensions=dims)
        self.thresholds = None

    def embed_query(self, text: str) -> np.ndarray:
        rng = Random(text)
        if not self.rows:
            return np.eye(self.identity.dimensions, dtype=np.float32)[0]
        noise = np.array([rng.gauss(0, 0.2) for _ in range(self.identity.dimensions)], np.float32)
        return rng.choice(self.rows) + noise


def embedders(log: Sequence[Recorded]) -> list[Near]:
    """One for each fingerprint that the log has vectors of, or may ask for."""
    rows: dict[str, list[bytes]] = {fingerprint: [] for fingerprint in FINGERPRINTS}
    for recorded in log:
        event = recorded.event
        if isinstance(event, MemoryStored) and event.vectors is not None:
            rows[event.vectors.fingerprint] += event.vectors.rows
        elif isinstance(event, MemoriesReembedded):
            rows[event.fingerprint] += [row for text in event.rows for row in text]
    return [Near(fingerprint, found) for fingerprint, found in rows.items()]


def store_of(log: Sequence[Recorded], clock: int, known: Sequence[Near]) -> OpenStore:
    """A store of exactly these events at a clock, with these embedders installed."""
    store = opened(log, clock)
    for embedder in known:
        store.use_embedder(embedder)
    return store


def question(rng: Random, ids: Sequence[str], clock: int) -> tuple[str, dict[str, object]]:
    """Words, and options of `recall`; `ids` are those that may be suppressed."""
    words = " ".join(rng.sample(WORDS, rng.randint(1, 5)))
    filters: dict[str, object] = {
        "min_relevance": rng.choice((-1.0, 0.6)),
        "min_effectiveness": rng.choice((0.4, 0.55)),
        "suppress": tuple(rng.sample(ids, min(len(ids), 2))),
        "kind": rng.choice(("fact", "fact", "decision")),
        "tags": rng.choice((("red",), ("user-provided",), ("red", "blue"))),
        "user": rng.choice((OWNER, OWNER, "bob", "eve")),
        "project": "ship",
        "valid_at": rng.choice((clock, clock - 20 * DAY, EPOCH + 60 * DAY)),
        "deep": True,
        "exact": True,
    }
    options = {name: value for name, value in filters.items() if rng.random() < FILTERED}
    options |= {"limit": rng.choice((1, 3, 5, 50)), "hops": rng.choice((0, 1, 1, 2))}
    return words, options


def ask(store: OpenStore, asked: tuple[str, dict[str, object]], **more: object) -> Recalled:
    """The answer, not recorded; where an id to suppress is not there for the asker, it says so and leaves none out."""
    words, options = asked
    try:
        return recall(store, words, record=False, **{**options, **more})
    except NotFound as error:
        answer = recall(store, words, record=False, **{**options, "suppress": (), **more})
        return msgspec.structs.replace(answer, degraded=str(error))


def bits(value: object) -> object:
    """Plain values with every float as `float.hex`."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, dict):
        return {key: bits(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [bits(one) for one in value]
    return bits(msgspec.to_builtins(value)) if isinstance(value, msgspec.Struct) else value


def ids_of(log: Sequence[Recorded]) -> list[str]:
    """The ids of the texts that are there to be named."""
    return [recorded.id for recorded in log if isinstance(recorded.event, MemoryStored) and recorded.id]
