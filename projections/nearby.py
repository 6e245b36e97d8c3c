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
        self,
        text: str,
        rows: Half,
        partition: int,
        *,
        before: int,
        seq: int | None = None,
        floor: float,
        limit: int,
        exact: bool = False,
    ) -> Near:
        """The `limit` nearest earlier texts of a partition with cosine >= floor, each indexed form once.

        Args:
            text: The fact.
            rows: float16, shape (windows, dims), unit rows; at least one.
            partition: Its label code.
            before: Only texts with lower ordinals.
            seq: Only vectors recorded up to this event.
            floor: Lowest cosine.
            limit: Most pairs.
            exact: No accelerator.
        """
        found = self._index.nearest(
            rows[0], texts=before, allowed=self._allowed(partition, before), floor=floor, limit=limit, seq=seq, exact=exact
        )
        lowest = float(found.cosines.min()) if len(found.cosines) >= limit else floor
        measured = self._measured(rows, found.ordinals, found.cosines, seq)
        kept = [(cosine, ordinal) for cosine, ordinal in measured if cosine >= floor]
        horizon = max(floor, lowest)
        if len(kept) > limit:
            horizon = max(horizon, float(np.nextafter(np.float32(kept[limit][0]), np.float32(2.0))))
        mine = features(text) if kept else None
        pairs = [
            Pair(ordinal, cosine, guard_features(mine, features(self._body(ordinal).text)))
            for cosine, ordinal in kept[:limit]
            if mine is not None
        ]
        return Near(pairs, horizon, found.complete)

    def _allowed(self, partition: int, before: int) -> NDArray[np.bool_]:
        table = self._texts.table
        allowed: NDArray[np.bool_] = (table["partition"] == partition) & (table["repeat"] == 0) & (table["erased"] == 0)
        return allowed[:before]

    def _measured(
        self, rows: Half, ordinals: NDArray[np.int64], best: NDArray[np.float32], seq: int | None
    ) -> list[tuple[float, int]]:
        """(cosine, ordinal) of each indexed form, nearest first, of equals the earlier text.

        `best` are the cosines of the first window; a text of one window that is compared with one is done with that.
        """
        cosines = best.astype(np.float64)
        windows, owner = self._index.windows(ordinals, seq=seq)
        counts = np.bincount(owner, minlength=len(ordinals))
        for place in np.flatnonzero((counts > 1) | (len(rows) > 1)):
            cosines[place] = matched(rows, windows[owner == place])
        forms = self._texts.table["form"]
        first: dict[int, tuple[float, int]] = {}
        for place in np.lexsort((ordinals, -cosines)).tolist():
            ordinal = int(ordinals[place])
            first.setdefault(int(forms[ordinal]), (float(cosines[place]), ordinal))
        return list(first.values())

    def complete(self, ordinal: int, floor: float) -> tuple[list[Pair], int]:
        """Every pair of a stored text at or above `floor`, computed exactly, and how many forms it was compared with."""
        event, table = self._body(ordinal), self._texts.table
        rows = rows_of(event.vectors)
        if not len(rows):
            return [], 0
        partition, seq = int(table["partition"][ordinal]), int(table["seq"][ordinal])
        near = self.pairs(
            event.text, rows, partition, before=ordinal, seq=seq, floor=floor, limit=EVERYTHING, exact=True
        )
        earlier = np.flatnonzero(self._allowed(partition, ordinal))
        known = earlier[~np.isnan(self._index.cosines(rows[0], earlier, seq=seq))]
        return near.pairs, len(np.unique(table["form"][known]))


def rows_of(vectors: Vectors | None) -> Half:
    """The rows of recorded vectors, shape (windows, dims)."""
    if vectors is None or not vectors.rows:
        return np.empty((0, 0), np.float16)
    return np.stack([np.frombuffer(row, vectors.dtype) for row in vectors.rows])


def matched(first: NDArray[np.floating], second: NDArray[np.floating]) -> float:
    """The cosine of the worst matched window of two texts; canonical float32 value."""
    if not len(first) or not len(second):
        return -1.0
    products = first.astype(np.float64) @ second.astype(np.float64).T
    cosines = np.clip(products, -1.0, 1.0).astype(np.float32)
    return float(min(cosines.max(axis=0).min(), cosines.max(axis=1).min()))
