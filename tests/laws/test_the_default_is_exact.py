"""Up to 20,000 texts the default answers as `exact=True` does, to the bit, whatever accelerators are at hand."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from asking import ask, bits, embedders, question, store_of
from helixlog.constants import DAY, Constants
from helixlog.eventlog import events as ev
from helixlog.projections.vector import strategy
from strategies import FINGERPRINTS, OWNER, random_log

SIZE, DIMS = 6_000, 16


def large_log(seed):
    """Many texts, some seldom words, vectors in clusters; no evidence, so nothing merges by cosine."""
    rng, draw = Random(seed), np.random.default_rng(seed)
    centres = draw.standard_normal((30, DIMS))
    rows = centres[draw.integers(0, 30, SIZE)] + 0.6 * draw.standard_normal((SIZE, DIMS))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f2")
    words = [f"word{int(rng.paretovariate(0.7)) % 900}" for _ in range(6 * SIZE)]
    genesis = ev.StoreCreated(
        store_id="s", tenant="t", format=1, constants=Constants().as_dict(), owner=OWNER, fingerprint=FINGERPRINTS[0]
    )
    log = [ev.Recorded(seq=1, recorded_at=DAY, clock=DAY, id=None, event=genesis)]
    for number, row in enumerate(rows):
        text = " ".join(words[6 * number : 6 * number + 6])
        vectors = ev.Vectors(fingerprint=FINGERPRINTS[0], dims=DIMS, rows=(row.tobytes(),))
        scope = ev.Scope(project="ship" if number % 7 else None)
        event = ev.MemoryStored(text=text, vectors=vectors, scope=scope, tags=("red",) if number % 50 == 0 else ())
        seq = number + 2
        log.append(ev.Recorded(seq=seq, recorded_at=seq * 10**12, clock=0, id=f"m{seq:06d}", event=event))
    return log


@pytest.fixture(scope="module")
def large():
    log = large_log(3)
    return store_of(log, log[-1].recorded_at, embedders(log))


def asked_words(rng):
    return " ".join(f"word{int(rng.paretovariate(0.7)) % 900}" for _ in range(4))


@pytest.mark.parametrize("as_of", [None, "@3000"])
def test_a_large_store_answers_exactly_by_default(large, as_of):
    rng = Random(4)
    assert large.view().vectors.rows <= strategy.EXACT_UP_TO
    for _ in range(8):
        options = {"limit": 20, "hops": 1, **rng.choice(({}, {"project": "ship"}, {"tags": ("red",)}))}
        asked = (asked_words(rng), options)
        exact, default = (bits(ask(large, asked, as_of=as_of, exact=exact)) for exact in (True, False))
        assert exact == default
        assert exact["results"] or "tags" in options


@pytest.mark.parametrize("seed", range(6))
def test_small_stores_answer_exactly_by_default(seed):
    rng = Random(seed)
    log = random_log(rng, 90)
    store = store_of(log, log[-1].recorded_at, embedders(log))
    for _ in range(6):
        asked = question(rng, [], log[-1].recorded_at)
        assert bits(ask(store, asked, exact=True)) == bits(ask(store, asked, exact=False))
