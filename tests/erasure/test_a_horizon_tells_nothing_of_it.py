"""Evidence is complete down to a horizon, which may be the cosine of the last text that was looked at."""

import math

import numpy as np
import pytest
from helixlog.commands import remeasuring
from helixlog.embedding.identity import Identity, Thresholds


class Spread:
    """Texts `n` of 64 dimensions: each at its own cosine from the text `last`, and far from the others."""

    thresholds = Thresholds(duplicate=0.95, related=0.6, causal=0.5, min_relevance=0.3)
    identity = Identity(name="spread", weights="none", dimensions=64, pooling="none", window=0, stride=0)

    def cosine(self, number):
        return 0.90 - number / 100

    def embed_documents(self, texts):
        return [self.row(text)[None, :] for text in texts]

    def row(self, text):
        row = np.zeros(64, np.float32)
        row[0] = 1.0
        if text != "last":
            number = int(text.split()[1])
            row[0] = self.cosine(number)
            row[1 + number] = math.sqrt(1 - float(row[0]) ** 2)
        return row

    def embed_query(self, text):
        return self.row(text)


FARTHEST = 31
"""The last that evidence has room for; there is one more."""


@pytest.fixture
def erased(open_memory):
    """`erased()`: the evidence of `last` before and after the farthest text in it was erased."""

    def run():
        memory = open_memory(embedder=Spread())
        ids = [memory.store(f"text {number}").id for number in range(FARTHEST + 2)]
        memory.store("last")
        ((_, seq),) = [found for found in memory.eventlog.resolve("", limit=99) if found[1] == FARTHEST + 4]
        before = memory.event(seq).event.evidence
        memory.erase(ids[FARTHEST])
        assert memory.verify(projections=True).ok
        return before, memory.event(seq).event.evidence

    return run


def test_the_horizon_moves_up_to_what_is_listed(erased):
    before, after = erased()
    assert before.horizon == pytest.approx(Spread().cosine(FARTHEST), abs=1e-3)
    listed = np.frombuffer(before.near, remeasuring.ENTRY)
    assert float(listed["cosine"][-1]) == before.horizon
    assert after.near == listed[:-1].tobytes()
    assert after.horizon == float(listed["cosine"][-2])


def test_so_it_does_where_too_much_goes_to_measure_each(erased, monkeypatch):
    monkeypatch.setattr(remeasuring, "MOST_MEASURED", 0)
    before, after = erased()
    assert after.horizon > before.horizon


def test_without_the_comparison_it_would_stay(erased, monkeypatch):
    """Teeth."""
    monkeypatch.setattr(remeasuring.Remeasured, "_told", lambda *_: [])
    before, after = erased()
    assert after.horizon == before.horizon
