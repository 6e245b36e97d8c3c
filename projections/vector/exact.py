"""Neighbours by scoring every visible row, with a certificate.

Scores are float32 dots, whose distance from the canonical cosine is bounded.
Whatever could, within that bound, be among the best is then scored
canonically. So the answer is exact by proof, not by luck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray
from .. import compiled
from .cosine import bar, margin
from .rows import Rows, Rows64


class Nearest(NamedTuple):
    """The nearest texts: by falling cosine, then rising ordinal.

    `ordinals` int64 and `cosines` float32 (canonical, best window) have one entry a text. There are as many as were
    asked for, plus all that tie with the last, unless fewer are visible and at or above the floor. `complete` is
    false where an accelerator chose the candidates, so that a near text may be missing.
    """

    ordinals: NDArray[np.int64]
    cosines: FloatArray
    complete: bool


class Visible(NamedTuple):
    """The rows that may answer: those before `stop`, where `mask` (None: all of them) is true; `total` of them."""

    stop: int
    mask: NDArray[np.bool_] | None
    total: int

    def rows(self, start: int = 0) -> Rows64:
        """The visible rows from `start`, ascending."""
        if self.mask is None:
            return np.arange(start, self.stop)
        return np.flatnonzero(self.mask[start:]) + start


def nothing(*, complete: bool = True) -> Nearest:
    """No neighbours."""
    return Nearest(np.empty(0, np.int64), np.empty(0, np.float32), complete)


def scan(rows: Rows, query: FloatArray, visible: Visible) -> tuple[Rows64 | None, FloatArray]:
    """Every visible row and its float32 dot; None for "all rows from 0", where a hidden row's dot is -inf."""
    if visible.total < visible.stop // 2:
        chosen = visible.rows()
        return chosen, rows.score(chosen, query)
    dots = rows.scan(visible.stop, query)
    if visible.mask is not None:
        np.copyto(dots, -np.inf, where=~visible.mask)
    return None, dots


def settle(
    rows: Rows, query: FloatArray, chosen: Rows64 | None, dots: FloatArray, *, floor: float, limit: int, complete: bool
) -> Nearest:
    """The best of candidates whose float32 dots are known.

    Args:
        rows: The index.
        query: float32 with float16 values, shape (dims,).
        chosen: The candidates' rows, ascending; None for all rows from 0.
        dots: Their float32 dots; -inf hides a row.
        floor: Lowest canonical cosine wanted, inclusive, compared in float64.
        limit: Number of texts wanted.
        complete: Whether the candidates were all there are.
    """
    slack = margin(rows.dims)
    kept = np.flatnonzero(dots >= bar(-np.inf, floor, slack))
    dots = dots[kept]
    kept = kept if chosen is None else chosen[kept]
    near = dots >= bar(kth_text(rows, kept, dots, limit), floor, slack)
    kept = kept[near]
    return ranked(rows, kept, rows.cosines(kept, query), floor=floor, limit=limit, complete=complete)


def ranked(rows: Rows, chosen: Rows64, cosines: FloatArray, *, floor: float, limit: int, complete: bool) -> Nearest:
    """The best of candidates whose canonical cosines are known; arguments as in `settle`."""
    best, first = best_windows(rows, chosen, cosines)
    chosen = chosen[first]
    if compiled.vectors is not None and rows.ordered:
        order = np.frombuffer(compiled.vectors.best(best, floor, limit), np.int64)
        return Nearest(rows.ordinals[chosen[order]].astype(np.int64), best[order], complete)
    return rank(rows.ordinals[chosen].astype(np.int64), best, floor=floor, limit=limit, complete=complete)


def rank(ordinals: NDArray[np.int64], cosines: FloatArray, *, floor: float, limit: int, complete: bool) -> Nearest:
    """The `limit` best of distinct texts at or above `floor`, with all that tie with the last of them."""
    passing = cosines.astype(np.float64) >= floor
    if len(cosines) > limit:
        # Most candidates come after the last that is wanted, and are not worth an order.
        passing &= cosines >= np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
    kept = passing.nonzero()[0]
    ordinals, cosines = ordinals[kept], cosines[kept]
    order = np.lexsort((ordinals, -cosines))
    return Nearest(ordinals[order], cosines[order], complete)


def kth_text(rows: Rows, chosen: Rows64, dots: FloatArray, limit: int) -> float:
    """The `limit`-th largest best dot of a text; -inf when there are fewer texts."""
    best, _ = best_windows(rows, chosen, dots)
    if len(best) <= limit:
        return -np.inf
    return float(np.partition(best, len(best) - limit)[len(best) - limit])


def best_windows(rows: Rows, chosen: Rows64, values: FloatArray) -> tuple[FloatArray, NDArray[np.int64] | slice]:
    """The largest value of each text among ascending rows, and where in `chosen` each text's first row is."""
    if rows.single or not len(chosen):
        return values, slice(None)
    first = np.flatnonzero(np.diff(rows.ordinals[chosen], prepend=-1))
    best: FloatArray = np.maximum.reduceat(values, first)
    return best, first
