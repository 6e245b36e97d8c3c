"""A store, a credential that is nobody's, and a search for it in all that a store leaves behind."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.embedding import load

CANARY = "AKIA" + "ZQ3X7YK2M5N8P4RT"


class Spy:
    """The static embedder, which keeps what it was asked to embed."""

    def __init__(self):
        self.inner = load("static")
        self.identity, self.thresholds = self.inner.identity, self.inner.thresholds
        self.seen = []

    def embed_documents(self, texts):
        self.seen += texts
        return self.inner.embed_documents(texts)

    def embed_query(self, text):
        self.seen.append(text)
        return self.inner.embed_query(text)


@pytest.fixture
def canary():
    return CANARY


@pytest.fixture
def spy():
    return Spy()


@pytest.fixture
def memory(tmp_path, spy):
    with Memory(tmp_path / "store", embedder=spy) as opened:
        yield opened


@pytest.fixture
def leaks(tmp_path):
    """`leaks(word)`: files below the test's folder that hold the word, in whatever encoding a store uses."""

    def leaks_(word, below="store"):
        found = [
            path for path in (tmp_path / below).rglob("*") if path.is_file() and word.encode() in path.read_bytes()
        ]
        return [path.name for path in found]

    return leaks_
