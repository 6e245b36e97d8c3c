"""Candidates by codes of two bits a dimension, compared by counting bits.

Two sieves, then scores. Both ask how well codes agree with the query, each
dimension counting by its size in the query (as RaBitQ does, Gao and Long 2024).

The first sees all rows, one bit of each dimension: its sign (for two vectors at
angle a a random hyperplane parts them with probability a / pi: Charikar 2002).
A dimension counts or does not: those in which the query is near 0 say
nothing but noise, and leaving them out lets less than half as many rows pass.

The second sees those that pass, two bits of each dimension: sign and whether it
is large. Weights are 0 to 3, and what comes out is a cosine of the coarse
vectors. What passes both is scored.

How many pass grows with the square root of `limit` times the rows visible:
measured on 100,000 real texts (256 dimensions, static embeddings), overlap
with the exact answer is then .999 for the best 10 and .987 for the best 100.
Shorter codes are noisier, so more pass.
Nothing is trained, and a prefix of the codes is a prefix.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray
from .. import compiled
from .exact import Nearest, Visible, ranked, settle
from .rows import Rows, Rows64, packed

WIDTH = 4.0
"""Rows that pass the first sieve at 256 dimensions or more, in units of sqrt(limit * visible rows)."""
SECOND = 10
"""One in so many of these passes the second sieve."""
LEAST = 2_000
TELLING = 0.8
"""Dimensions of the query that count in the first sieve are at least so large, in units of the mean size."""
_PLANES = 2
_BLOCK = 1 << 17
_GROUP, _EVERY, _SAMPLED_FROM = 8, 128, 32_000

Words = list[NDArray[np.uint64]]
Mask = NDArray[np.bool_]
Distances = NDArray[Any]
Array = NDArray[Any]


class Asked:
    """A query in bits: `signs` and `telling` are words; `planes` are the bits of the weights, `weight` their sum."""

    def __init__(self, query: FloatArray) -> None:
        self.query = query
        # In float64 the sum is exact in any order, as that of a cosine is.
        size = np.abs(query, dtype=np.float64)
        mean, top = size.sum() / len(query), (1 << _PLANES) - 1
        weights = np.minimum(np.rint(size * (top / (3 * mean))), top).astype(np.uint8)
        bits = [query > 0, size >= TELLING * mean, *(weights >> plane & 1 for plane in range(_PLANES))]
        self.signs, self.telling, *self.planes = packed(np.array(bits, np.bool_))
        self.weight = int(weights.sum())


class Wanted(NamedTuple):
    """About how many rows shall pass each sieve."""

    first: int
    second: int


def nearest(rows: Rows, query: FloatArray, visible: Visible, *, floor: float, limit: int) -> Nearest:
    """The nearest texts among the rows that are probably near; arguments as in `exact.settle`."""
    width = math.sqrt(limit * visible.total) * WIDTH * max(1.0, 256 / rows.dims)
    wanted = Wanted(max(LEAST, int(width)), max(LEAST // 2, int(width / SECOND)))
    few = visible.total < visible.stop // 4
    if compiled.vectors is not None and not few:
        found, cosines = _compiled(compiled.vectors, rows, query, visible, wanted)
        return ranked(rows, found, cosines, floor=floor, limit=limit, complete=False)
    found = _sieved(rows, Asked(query), visible, wanted, few=few)
    return settle(rows, query, found, rows.score(found, query), floor=floor, limit=limit, complete=False)


def _compiled(
    work: ModuleType, rows: Rows, query: FloatArray, visible: Visible, wanted: Wanted
) -> tuple[Rows64, FloatArray]:
    """What `_sieved` gives, with the canonical cosines."""
    found, cosines = work.sieve(
        rows.signs,
        rows.codes,
        query,
        rows.matrix.whole,
        visible.mask,
        visible.stop,
        rows.dims,
        *wanted,
    )
    return np.frombuffer(found, np.int64), np.frombuffer(cosines, np.float32)


def _sieved(rows: Rows, asked: Asked, visible: Visible, wanted: Wanted, *, few: bool) -> Rows64:
    """The rows that pass both sieves, ascending."""
    if few:
        # Gathering the codes of a few visible rows beats counting bits of all; at a quarter both cost the same.
        chosen = visible.rows()
        found = chosen[_closest(_distances([word.take(chosen) for word in rows.signs], asked), None, wanted.first)]
    else:
        distances = _distances([word[: visible.stop] for word in rows.signs], asked)
        found = _closest(distances, visible.mask, wanted.first)
    if len(found) > wanted.second:
        cosines = _coarse_cosines(rows.codes, found, asked, rows.dims)
        place = len(found) - wanted.second
        found = found[cosines >= np.partition(cosines, place)[place]]
    return found


def _closest(distances: Distances, mask: Mask | None, wanted: int) -> Rows64:
    """Positions, within the mask, of about `wanted` smallest distances, with all ties."""
    # The histogram of a sixteenth tells well enough how many a distance admits, unless the mask is against it.
    for sampled in (True, False) if len(distances) > _SAMPLED_FROM else (False,):
        seen = _sample(distances) if sampled else distances
        if mask is not None:
            seen = seen[_sample(mask) if sampled else mask]
        admitted = np.bincount(seen).cumsum() * (_EVERY // _GROUP if sampled else 1)
        passed = np.flatnonzero(distances <= int(np.searchsorted(admitted, wanted)))
        passed = passed if mask is None else passed[mask.take(passed)]
        if 2 * len(passed) >= wanted:
            break
    return passed


def _sample(values: Array) -> Array:
    """The first few of every so many, which lie side by side in memory."""
    return values[: len(values) // _EVERY * _EVERY].reshape(-1, _EVERY)[:, :_GROUP].ravel()


def _distances(signs: Words, asked: Asked) -> Distances:
    """In how many of the telling bits each code differs from the query, block by block within the core's cache."""
    highest = int(np.bitwise_count(asked.telling).sum())
    distances: Distances = np.zeros(len(signs[0]), np.uint8 if highest < 1 << 8 else np.uint16)
    for start in range(0, len(distances), _BLOCK):
        block = distances[start : start + _BLOCK]
        for word, sign, telling in zip(signs, asked.signs, asked.telling, strict=True):
            bits = word[start : start + _BLOCK] ^ sign
            bits &= telling
            block += np.bitwise_count(bits)
    return distances


def _coarse_cosines(codes: NDArray[np.uint64], found: Rows64, asked: Asked, dims: int) -> FloatArray:
    """Cosines of the coarse query to the coarse vectors of these rows, but for a factor that all have in common."""
    half = len(asked.signs)
    differing = np.empty((2 * half, len(found)), np.uint64)
    np.bitwise_xor(codes.take(found, axis=0).T, np.tile(asked.signs, 2)[:, None], out=differing)
    high, low = differing[:half], differing[half:]
    room = high ^ low
    # The values are 2 (2 high + low) - 3, so the square of each is 9 where the bits are alike and else 1.
    norms = _counted(room).astype(np.float32)
    norms *= -8
    norms += 9 * dims
    missed = np.zeros(len(found), np.float32)
    for bits, value in ((high, 2), (low, 1)):
        for plane, weights in enumerate(asked.planes):
            missed += _counted(np.bitwise_and(bits, weights[:, None], out=room)) * np.float32(value << plane)
    missed *= -2
    missed += 3 * asked.weight
    missed /= np.sqrt(norms, out=norms)
    return missed


def _counted(bits: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """The bits of each column of words of shape (words, n)."""
    counts = np.bitwise_count(bits)
    total: NDArray[np.uint16] = counts[0].astype(np.uint16)
    for count in counts[1:]:
        total += count
    return total
