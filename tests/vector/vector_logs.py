"""Logs of vectors small enough to check by hand, and an oracle that shares no code with the index."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from helixlog.eventlog.events import (
    ErasedEvent,
    Event,
    MemoriesReembedded,
    MemoryStored,
    PruneTicked,
    Recorded,
    Vectors,
)
from helixlog.projections.vector.index import VectorIndex

PRINT = "toy-1"
OTHER = "toy-2"


def unit(vectors: np.ndarray) -> np.ndarray:
    """float16 rows of unit length."""
    wide = np.asarray(vectors, np.float64)
    return (wide / np.linalg.norm(wide, axis=-1, keepdims=True)).astype(np.float16)


def clustered(count: int, dims: int, seed: int, clusters: int = 40) -> np.ndarray:
    """Vectors in clusters with a falling spectrum and a common mean, as texts have them."""
    rng = np.random.default_rng(seed)
    spectrum = np.arange(1, dims + 1) ** -0.4
    centres = rng.standard_normal((clusters, dims)) * spectrum
    noise = rng.standard_normal((count, dims)) * spectrum * 0.6
    return unit(centres[rng.integers(0, clusters, count)] + noise + 0.3 * spectrum)


def stored(*windows: np.ndarray, fingerprint: str = PRINT) -> MemoryStored:
    if not windows:
        return MemoryStored(text="t")
    rows = tuple(np.asarray(w, "<f2").tobytes() for w in windows)
    return MemoryStored(text="t", vectors=Vectors(fingerprint=fingerprint, dims=len(windows[0]), rows=rows))


def reembedded(texts: Sequence[int], windows: Sequence[Sequence[np.ndarray]], fingerprint: str = PRINT) -> Event:
    rows = tuple(tuple(np.asarray(w, "<f2").tobytes() for w in text) for text in windows)
    return MemoriesReembedded(fingerprint=fingerprint, dims=4, texts=tuple(texts), rows=rows)


def log_of(events: Sequence[Event], start: int = 1) -> list[Recorded]:
    return [Recorded(seq=start + k, recorded_at=k, clock=k, id=None, event=event) for k, event in enumerate(events)]


def texts_log(vectors: np.ndarray) -> list[Recorded]:
    return log_of([stored(vector) for vector in vectors])


def built(root: Path, log: Sequence[Recorded], fingerprint: str = PRINT) -> VectorIndex:
    index = VectorIndex.open(root, fingerprint)
    index.apply(log)
    return index


def random_log(seed: int, length: int, dims: int = 4) -> list[Recorded]:
    """Every kind of event that an index must tell apart, and some it must skip."""
    rng = np.random.default_rng(seed)
    events: list[Event] = []
    for _ in range(length):
        texts = [k + 1 for k, e in enumerate(events) if isinstance(e, MemoryStored | ErasedEvent)]
        draw = rng.integers(0, 9)
        vector = unit(rng.integers(-2, 3, dims) + 0.25)
        if draw < 4:
            events.append(stored(*[unit(rng.integers(-2, 3, dims) + 0.25) for _ in range(rng.integers(1, 4))]))
        elif draw == 4:
            events.append(stored(vector, fingerprint=OTHER))
        elif draw == 5:
            bad = (np.zeros(dims), np.full(dims, np.nan), np.full(dims, 2.0))[rng.integers(0, 3)]
            events.append(stored(bad.astype(np.float16)))
        elif draw == 6:
            events.append(ErasedEvent(kind="memory_stored"))
        elif draw == 7 and texts:
            chosen = rng.choice(texts, min(len(texts), 3))
            fingerprint = (PRINT, OTHER)[rng.integers(0, 2)]
            events.append(reembedded(chosen.tolist(), [[vector]] * len(chosen), fingerprint))
        else:
            events.append(PruneTicked(clock=1))
    return log_of(events)


def exact_cosine(left: np.ndarray, right: np.ndarray) -> np.float32:
    """The canonical cosine by rational arithmetic."""
    total = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(left, right, strict=True)), Fraction(0))
    return np.float32(float(min(max(total, Fraction(-1)), Fraction(1))))


def brute(vectors: np.ndarray, query: np.ndarray, allowed: np.ndarray, floor: float, limit: int):
    """Ordinals and cosines of the nearest rows, by sorting everything."""
    dots = np.clip((vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1), -1, 1).astype(np.float32)
    pairs = sorted((-float(dots[k]), k) for k in np.flatnonzero(allowed) if float(dots[k]) >= floor)
    kept = [p for p in pairs if len(pairs) <= limit or p[0] <= pairs[limit - 1][0]]
    return [k for _, k in kept], [-c for c, _ in kept]
