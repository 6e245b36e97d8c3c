"""A store whose vectors are told text by text, and whose clock is told what time it is.

`Told` is an embedder of 8 dimensions. The query lies on the first axis, so the
cosine of a text is a number one chooses: `told.at(text, .7)`.
"""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from helixlog.commands.memory import Memory
from helixlog.commands.texts import store_events
from helixlog.constants import DAY
from helixlog.embedding.identity import Identity, Thresholds
from helixlog.eventlog.events import MemoryStored
from helixlog.recall.question import Question
from helixlog.recall.recall import recall
from helixlog.recall.view import Asker

BEGIN = 1_750_000_000_000_000_000


class Told:
    """Vectors as they were told; a text that was not told of has none."""

    thresholds = Thresholds(duplicate=0.95, related=0.8, causal=0.5, min_relevance=0.35)

    def __init__(self, name="told"):
        self.identity = Identity(name=name, weights="none", dimensions=8, pooling="none", window=0, stride=0)
        self.rows: dict[str, np.ndarray] = {}

    def at(self, text: str, cosine: float, towards: int | None = None) -> str:
        """Put a text at this cosine from every query, leaning towards an axis from 1 to 7 (in turn); the text."""
        axis = 1 + len(self.rows) % 7 if towards is None else towards
        row = np.zeros(8, np.float32)
        row[0], row[axis] = cosine, math.sqrt(1 - cosine * cosine)
        self.rows[text] = row[None, :]
        return text

    def embed_documents(self, texts):
        return [self.rows.get(text, np.zeros((1, 8), np.float32)) for text in texts]

    def embed_query(self, _text):
        return np.eye(8, dtype=np.float32)[0]


class Clock:
    """A clock in days after the beginning; it stands still until it is moved."""

    def __init__(self):
        self.now = BEGIN

    def __call__(self):
        return self.now

    def at(self, days):
        self.now = BEGIN + round(days * DAY)
        return self.now


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def open_memory(tmp_path, told, clock):
    """`open_memory(name)` opens a store of the test; the same name is the same store."""
    with contextlib.ExitStack() as opened:

        def open_(name="store", **options):
            return opened.enter_context(Memory(tmp_path / name, **{"embedder": told, "clock": clock, **options}))

        yield open_


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def store_all(memory):
    """`store_all(texts, **fields)` stores many texts as one batch; their ids."""

    def store(texts, **fields):
        return [one.id for one in store_events(memory, [MemoryStored(text=text, **fields) for text in texts])]

    return store


@pytest.fixture
def ask(memory):
    """`ask(words, **fields)`: the answer of the engine, with every factor of every score."""

    def asked(words, user=None, project=None, **fields):
        view = memory.view()
        vector, _ = memory.embed_query(view.beliefs.fingerprint, words)
        asker = Asker(user=user, project=project)
        return recall(view, Question(text=words, vector=vector, asker=asker, **{"hops": 0, **fields}))

    return asked


@pytest.fixture
def shown(memory):
    """`shown(words, **options)`: the texts a recall shows, best first."""
    return lambda words, **options: [
        one.text for one in memory.recall(words, record=False, **{"hops": 0, **options}).results
    ]
