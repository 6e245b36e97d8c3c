"""The earlier texts near a new one: what evidence records, and what a fold computes beyond it.

The cosine of two texts of several windows each is that of their worst matched
window: every window is paired with the best one of the other text, both ways,
and the lowest counts. So a text is near another only if all of it is, and a
shared paragraph does not make two documents one. With one window each this is
the plain canonical cosine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..eventlog.events import MemoryStored, Vectors
from .ledger.guards import features, guard_features
from .ledger.membership import Pair
from .ledger.texts import Texts
from .vector.index import VectorIndex

Half = NDArray[np.float16]
EVERYTHING = 1 << 40


class Near(NamedTuple):
    """Pairs, nearest first; the cosine down to which they are all there is; whether nothing was cut by an accelerator."""

    pairs: list[Pair]
    horizon: float
    complete: bool


class Nearby:
    """Finds and measures pairs among the texts of one vector index."""

    def __init__(self, texts: Texts, index: VectorIndex, body: Callable[[int], MemoryStored]) -> None:
        self._texts, self._index, self._body = texts, index, body

    def pairs(
        self, text: str, rows: Half, partition: int, *, before: int, floor: float, limit: int, exact: bool = False
    ) -> Near:
        """The `limit` nearest earlier texts of a partition with cosine >= floor, each indexed form once.

        Args:
            text: The fact.
            rows: float16, shape (windows, dims), unit rows; at least one.
            partition: Its label code.
            before: Only texts with lower ordinals.
            floor: Lowest cosine.
            limit: Most pairs.
            exact: No accelerator.
        """
        table = self._texts.table
        allowed = (table["partition"] == partition) & (table["repeat"] == 0) & (table["erased"] == 0)
        found = self._index.nearest(
            rows[0], texts=before, allowed=allowed[:before], floor=floor, limit=limit, exact=exact
        )
        measured = [(self._cosine(rows, int(o), float(c)), int(o)) for o, c in zip(found.ordinals, found.cosines, strict=True)]
        cut = len(measured) >= limit
        lowest = min((float(c) for c in found.cosines), default=floor)
        kept = sorted(((c, o) for c, o in measured if c >= floor), key=lambda pair: (-pair[0], pair[1]))
        horizon = max(floor, lowest) if cut else floor
        if len(kept) > limit:
            horizon = max(horizon, float(np.nextafter(np.float32(kept[limit][0]), np.float32(2.0))))
            kept = kept[:limit]
        mine = features(text) if kept else None
        pairs = [
            Pair(ordinal, cosine, guard_features(mine, features(self._body(ordinal).text)))
            for cosine, ordinal in kept
            if mine is not None
        ]
        return Near(pairs, horizon, found.complete)

    def _cosine(self, rows: Half, ordinal: int, best: float) -> float:
        """The cosine of two texts, given that of the first window to the best window of the other."""
        if len(rows) == 1 and not self._windows(ordinal):
            return best
        return matched(rows, rows_of(self._body(ordinal).vectors))

    def _windows(self, ordinal: int) -> bool:
        vectors = self._body(ordinal).vectors
        return vectors is not None and len(vectors.rows) > 1

    def complete(self, ordinal: int, floor: float) -> list[Pair]:
        """Every pair of a stored text at or above `floor`, computed exactly; see `membership.Completer`."""
        event = self._body(ordinal)
        rows = rows_of(event.vectors)
        if not len(rows):
            return []
        partition = int(self._texts.table["partition"][ordinal])
        return self.pairs(
            event.text, rows, partition, before=ordinal, floor=floor, limit=EVERYTHING, exact=True
        ).pairs


def rows_of(vectors: Vectors | None) -> Half:
    """The rows of recorded vectors, shape (windows, dims)."""
    if vectors is None or not vectors.rows:
        return np.empty((0, 0), np.float16)
    return np.stack([np.frombuffer(row, vectors.dtype) for row in vectors.rows])


def matched(first: Half, second: Half) -> float:
    """The cosine of the worst matched window of two texts; canonical float32 value."""
    if not len(first) or not len(second):
        return -1.0
    products = first.astype(np.float64) @ second.astype(np.float64).T
    cosines = np.clip(products, -1.0, 1.0).astype(np.float32)
    return float(min(cosines.max(axis=0).min(), cosines.max(axis=1).min()))
