"""The text index alone, over made-up documents: postings, tantivy with a certificate, and the default choice.

Words follow Zipf's law (exponent 1.07, 50,000 words, documents of about 50); the
70 most frequent are English stop words. Questions draw 3 to 8 words of one
document.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import Figure, Setting, interleaved, seconds
from helixlog.eventlog.events import MemoryStored, Recorded
from helixlog.projections.text.accelerator import ACCELERATED_FROM, Threshold
from helixlog.projections.text.analyzer import STOP_WORDS
from helixlog.projections.text.index import TextIndex

VOCABULARY, LENGTH, EXPONENT, LIMIT = 50_000, 50, 1.07, 100
ALWAYS = Threshold(0, 0)
WARM = 5


def words(setting: Setting) -> Iterator[Figure]:
    """The text index by itself: postings, tantivy and the default choice, for several views."""
    rng = np.random.default_rng(0)
    documents = corpus(rng, setting.size)
    picked = (documents[rng.integers(len(documents))] for _ in range(setting.runs + WARM))
    questions = [" ".join(rng.choice(document, rng.integers(3, 9))) for document in picked]
    log = [Recorded(seq, 0, 0, None, MemoryStored(text=" ".join(one))) for seq, one in enumerate(documents, 1)]
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        root = Path(place)
        index = TextIndex.open(root)
        yield seconds(f"indexing {setting.size:,} documents", lambda: index.apply(log))
        yield seconds("publishing with tantivy", lambda: index.publish(bytes(32), accelerate=True))
        yield seconds("open, every byte checked", lambda: TextIndex.open(root))
        mask = rng.random(setting.size) < 0.9
        views: dict[str, dict[str, Any]] = {
            "live": {"texts": setting.size},
            "90% allowed": {"texts": setting.size, "allowed": mask},
            "90% allowed and counted": {"texts": setting.size, "allowed": mask, "population": mask},
            "half the past": {"texts": setting.size // 2},
        }
        for name, view in views.items():
            samples = interleaved(questions, ways(root, view), warm=WARM)
            for way, taken in samples.items():
                yield taken.figure(f"{LIMIT} best, {name}, {way}")


def ways(root: Path, view: dict[str, Any]) -> dict[str, Callable[[str], object]]:
    """Every way of asking, each with an index of its own."""
    made: dict[str, Callable[[str], object]] = {}
    for name, least in {"postings": None, "tantivy": ALWAYS, "default": ACCELERATED_FROM}.items():
        index = TextIndex.open(root)
        index.accelerated_from = least or ALWAYS
        made[name] = partial(index.search, limit=LIMIT, exact=least is None, **view)
    return made


def vocabulary() -> list[str]:
    """Made-up words, the most frequent first."""
    rng = random.Random(0)
    made: dict[str, None] = dict.fromkeys(sorted(STOP_WORDS)[:70])
    while len(made) < VOCABULARY:
        syllables = (rng.choice("bcdfghjklmnprtvz") + rng.choice("aou") for _ in range(rng.randint(2, 4)))
        made["".join(syllables)] = None
    return list(made)


def corpus(rng: np.random.Generator, documents: int) -> list[list[str]]:
    """Documents as lists of words."""
    names = np.array(vocabulary())
    share = 1 / np.arange(1, VOCABULARY + 1) ** EXPONENT
    lengths = np.clip(rng.normal(LENGTH, 12, documents).astype(int), 5, None)
    drawn = names[rng.choice(VOCABULARY, int(lengths.sum()), p=share / share.sum())]
    return [part.tolist() for part in np.split(drawn, np.cumsum(lengths)[:-1])]
