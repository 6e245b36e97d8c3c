"""The vector index alone, beside its exact scan, over drawn vectors.

They are unit vectors in clusters whose spectrum falls as that of text embeddings does (participation ratio about
66), so that no embedder and no text is needed. Overlap is the share of the exact answer that was found.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from harness import Figure, Setting, anonymous, interleaved, seconds
from helixlog.eventlog.events import MemoryStored, Recorded, Vectors
from helixlog.projections.vector import hnsw
from helixlog.projections.vector.exact import Nearest
from helixlog.projections.vector.index import VectorIndex
from helixlog.projections.vector.strategy import EXACT_UP_TO
from numpy.typing import NDArray

HalfArray = NDArray[np.float16]
DIMS, CLUSTERS, PIECE = 256, 2_000, 20_000
CHAIN = bytes(32)
PRINT = "bench-0"
FLOOR, LIMITS = 0.23, (10, 100)
SHARES = {"scans": (1.0, 0.5, 0.1, 0.01), "graph": (1.0, 0.5, 0.25)}
"""Parts of the rows that may be answered."""

WARM = 5


def vectors(setting: Setting) -> Iterator[Figure]:
    """The vector index by itself: scans, graph and evidence, beside the exact path."""
    drawn = draw(setting.size + setting.runs + WARM)
    stored, asked = drawn[: setting.size], drawn[setting.size :]
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        root = Path(place)
        index = VectorIndex.open(root, PRINT)
        log = log_of(stored)
        yield seconds(f"fold of {setting.size:,} x {DIMS}", lambda: index.apply(log))
        index.publish(CHAIN)
        yield seconds("open, every byte checked", lambda: VectorIndex.open(root, PRINT))
        yield from compared("scans", index, asked)
        if hnsw.available() and setting.size > EXACT_UP_TO:
            yield seconds("graph built", lambda: index.build_graph(CHAIN))
            before = anonymous()
            index.load_graph()
            yield Figure(what="anonymous memory of the graph", value=anonymous() - before, unit="MB")
            yield from compared("graph", index, asked)
        everything = np.arange(setting.size)
        yield seconds("evidence of all", lambda: index.nearest_many(stored, texts=everything, floor=0.5, limit=32))


def draw(count: int) -> HalfArray:
    """Vectors of the same clusters, always the same."""
    rng = np.random.default_rng(7)
    spectrum = (np.arange(1, DIMS + 1) ** -0.37).astype(np.float32)
    turn = np.linalg.qr(rng.standard_normal((DIMS, DIMS)))[0].astype(np.float32)
    centres = rng.standard_normal((CLUSTERS, DIMS), np.float32) * spectrum
    weights = rng.dirichlet(np.full(CLUSTERS, 0.5))
    parts = []
    for start in range(0, count, PIECE):
        size = min(PIECE, count - start)
        noise = rng.lognormal(np.log(0.55), 0.35, (size, 1)).astype(np.float32)
        found = centres[rng.choice(CLUSTERS, size, p=weights)]
        found = (found + noise * rng.standard_normal((size, DIMS), np.float32) * spectrum) @ turn
        parts.append((found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16))
    return np.concatenate(parts)


def log_of(stored: HalfArray) -> list[Recorded]:
    """One text a vector."""
    events = (
        MemoryStored(text="t", vectors=Vectors(fingerprint=PRINT, dims=DIMS, rows=(vector.tobytes(),)))
        for vector in stored
    )
    return [Recorded(seq=seq, recorded_at=0, clock=0, id=None, event=event) for seq, event in enumerate(events, 1)]


def compared(way: str, index: VectorIndex, asked: HalfArray) -> Iterator[Figure]:
    """The default path beside the exact one, for several shares of visible rows."""
    for share in SHARES[way]:
        allowed = None if share == 1 else np.random.default_rng(1).random(index.texts) < share
        for limit in LIMITS:
            ways = {way: asking(index, allowed, limit, exact=False), "exact": asking(index, allowed, limit, exact=True)}
            samples = interleaved(list(asked), ways, warm=WARM)
            for name, taken in samples.items():
                yield taken.figure(f"{limit} nearest of {share:.0%}, {name}")
            yield overlap(f"{limit} nearest of {share:.0%}, overlap", asked, ways[way], ways["exact"])


def asking(
    index: VectorIndex, allowed: NDArray[np.bool_] | None, limit: int, *, exact: bool
) -> Callable[[HalfArray], Nearest]:
    """A question to the index."""
    return lambda query: index.nearest(query, texts=index.texts, allowed=allowed, floor=FLOOR, limit=limit, exact=exact)


def overlap(
    what: str, asked: HalfArray, quick: Callable[[HalfArray], Nearest], exact: Callable[[HalfArray], Nearest]
) -> Figure:
    """Mean share of the exact answer that the quick one has."""
    pairs = [(exact(query).ordinals, quick(query).ordinals) for query in asked]
    shares = [len(np.intersect1d(wanted, found)) / len(wanted) for wanted, found in pairs if len(wanted)]
    return Figure(
        what=what, value=float(np.mean(shares or [1.0])), unit="share", runs=len(shares), bar=0.99, least=True
    )
