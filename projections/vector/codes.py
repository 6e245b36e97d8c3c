"""Candidates by sign codes: one bit a dimension, compared by counting bits.

For two vectors at angle a, a random hyperplane parts them with probability
a / pi (Goemans and Williamson 1995; Charikar 2002), so among d bits about d * a / pi differ,
with a standard deviation of sqrt(d p (1 - p)). That tells how far to look: the
closest codes are scored first; the k-th best dot among them bounds
the angle that still matters, and every code within `SIGMAS` deviations of the
bits expected there is scored as well. An easy query reads a thousand rows, a
hard one more, up to `WIDEST` of those visible.

Nothing is trained, a prefix is a prefix, and hidden rows cost nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray
from .exact import Visible, kth_text
from .rows import Rows, Rows64, sign_codes

FIRST = 1_000
SIGMAS = 2.0
WIDEST = 0.2
_BLOCK = 1 << 14
_SAMPLE = 16


def candidates(
    rows: Rows, query: FloatArray, visible: Visible, *, floor: float, limit: int
) -> tuple[Rows64, FloatArray]:
    """Rows that are probably near, ascending, and their float32 dots."""
    chosen = visible.rows() if visible.total < visible.stop // 4 else None
    distances = _distances(rows, query, visible, chosen)
    # Counting bits of every sixteenth row is enough to know how many rows a distance admits.
    admitted = np.bincount(distances[::_SAMPLE], minlength=rows.dims + 2).cumsum() * _SAMPLE
    near = int(np.searchsorted(admitted, max(FIRST, 8 * limit)))
    widest = int(np.searchsorted(admitted, max(FIRST, 8 * limit, WIDEST * visible.total)))
    found, dots = _within(rows, query, chosen, distances <= min(near, rows.dims))
    far = min(reach(rows.dims, max(kth_text(rows, found, dots, limit), floor)), widest, rows.dims)
    if far > near:
        more, more_dots = _within(rows, query, chosen, (distances > near) & (distances <= far))
        order = np.argsort(merged := np.concatenate([found, more]), kind="stable")
        return merged[order], np.concatenate([dots, more_dots])[order]
    return found, dots


def reach(dims: int, cosine: float) -> int:
    """How many bits may differ between vectors of at least this cosine, all but a few times."""
    parted = math.acos(min(max(cosine, -1.0), 1.0)) / math.pi
    return int(dims * parted + SIGMAS * math.sqrt(dims * parted * (1 - parted)))


def _within(
    rows: Rows, query: FloatArray, chosen: Rows64 | None, inside: NDArray[np.bool_]
) -> tuple[Rows64, FloatArray]:
    found = np.flatnonzero(inside)
    found = found if chosen is None else chosen[found]
    return found, rows.score(found, query)


def _distances(rows: Rows, query: FloatArray, visible: Visible, chosen: Rows64 | None) -> NDArray[np.uint16]:
    """Bits that differ, for the chosen rows or for all before `stop`; a hidden row differs in dims + 1."""
    words = [word[: visible.stop] if chosen is None else word.take(chosen) for word in rows.codes]
    code = sign_codes(query.astype(np.float16)[None])[:, 0]
    distances = np.zeros(len(words[0]), np.uint16)
    for start in range(0, len(distances), _BLOCK):
        block = distances[start : start + _BLOCK]
        for word, bits in zip(words, code, strict=True):
            block += np.bitwise_count(word[start : start + _BLOCK] ^ bits)
    if chosen is None and visible.mask is not None:
        np.copyto(distances, np.uint16(rows.dims + 1), where=~visible.mask)
    return distances
