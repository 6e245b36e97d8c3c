"""The earlier texts near a new one: what evidence records, and what a fold computes beyond it.

The cosine of two texts of several windows each is that of their worst matched
window: every window is paired with the best one of the other text, both ways,
and the lowest counts. So a text is near another only if all of it is, and a
shared paragraph does not make two documents one. With one window each this is
the plain canonical cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..eventlog.events import MemoryStored, Vectors
from .ledger.guards import UNREAD, guard
from .ledger.membership import NO_PAIRS, Pair, Pairs
from .ledger.texts import Texts
from .vector.exact import Nearest, nothing, rank
from .vector.index import VectorIndex

Half = NDArray[np.float16]
EVERYTHING = 1 << 40
NEVER = 2.0
"""A cosine that no pair reaches."""


class Near(NamedTuple):
    """Pairs, nearest first; the cosine down to which they are all there is; whether no accelerator cut any."""

    pairs: list[Pair]
    horizon: float
    complete: bool


class New(NamedTuple):
    """A text that is about to be stored.

    `ordinal` is the one it will have, `rows` its float16 unit rows, one a window, `form` the hash of its indexed form,
    `repeat` whether that form came before.
    """

    ordinal: int
    text: str
    rows: Half
    form: int
    repeat: bool


class _Context(NamedTuple):
    """What a text is measured among: new texts by ordinal, and whether all it may meet have one window."""

    peers: Mapping[int, New]
    single: bool


ALONE = _Context({}, single=False)
"""Of a text that no others are stored with."""


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
        floor: float,
        limit: int,
        read_from: float,
    ) -> Near:
        """The `limit` nearest earlier texts of a partition with cosine >= floor, each indexed form once.

        Args:
            text: The fact.
            rows: float16, shape (windows, dims), unit rows; at least one.
            partition: Its label code.
            before: Only texts with lower ordinals.
            floor: Lowest cosine.
            limit: Most pairs.
            read_from: Lowest cosine at which the guards compare the texts; below it they are unread.
        """
        allowed = self._allowed(partition, before)
        found = self._index.nearest(rows[0], texts=before, allowed=allowed, floor=floor, limit=limit)
        return self._settled(text, rows, found, ALONE, floor=floor, limit=limit, read_from=read_from)

    def pairs_of_batch(
        self, batch: Sequence[New], partition: int, *, floor: float, limit: int, read_from: float
    ) -> list[Near]:
        """What `pairs` would give for new texts of one partition, were each stored before the next is asked for.

        Args:
            batch: The texts, in the order they will be stored in, each with at least one row.
            partition: Its label code.
            floor: Lowest cosine.
            limit: Most pairs.
            read_from: As in `pairs`.
        """
        before = len(self._texts)
        first = np.stack([new.rows[0] for new in batch])
        if self._index.rows:
            allowed, texts = self._allowed(partition, before), np.full(len(batch), before, np.int64)
            earlier = self._index.nearest_many(first, texts=texts, allowed=allowed, floor=floor, limit=limit)
        else:
            earlier = [nothing()] * len(batch)
        peers = [new for new in batch if not new.repeat]
        ordinals = np.array([new.ordinal for new in peers], np.int64)
        cosines = _best_windows(first, peers)
        single = all(len(new.rows) == 1 for new in peers) and self._single([found.ordinals for found in earlier])
        among = _Context({new.ordinal: new for new in peers}, single)
        result = []
        for number, (new, found) in enumerate(zip(batch, earlier, strict=True)):
            near = (ordinals < new.ordinal) & (cosines[number].astype(np.float64) >= floor)
            both = (
                np.concatenate([found.ordinals, ordinals[near]]),
                np.concatenate([found.cosines, cosines[number][near]]),
            )
            ranked = rank(*both, floor=floor, limit=limit, complete=found.complete)
            result.append(
                self._settled(new.text, new.rows, ranked, among, floor=floor, limit=limit, read_from=read_from)
            )
        return result

    def _single(self, ordinals: Sequence[NDArray[np.int64]]) -> bool:
        """Whether all of these texts have one window at most."""
        union = np.unique(np.concatenate(ordinals))
        _, owner = self._index.windows(union)
        return len(owner) == len(np.unique(owner))

    def _settled(
        self,
        text: str,
        rows: Half,
        found: Nearest,
        among: _Context,
        *,
        floor: float,
        limit: int,
        read_from: float,
    ) -> Near:
        """The pairs of a text, given the texts nearest to its first window."""
        ordinals, cosines, horizon = self._kept(rows, found, among, floor=floor, limit=limit)
        near, read = ordinals.tolist(), int(np.count_nonzero(cosines >= read_from))
        guards = [guard(text, self._text(ordinal, among)) for ordinal in near[:read]]
        pairs = map(Pair, near, cosines.tolist(), [*guards, *repeat(UNREAD, len(near) - read)])
        return Near(list(pairs), horizon, found.complete)

    def _kept(
        self, rows: Half, found: Nearest, among: _Context, *, floor: float, limit: int, seq: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
        """Of the texts nearest to the first window: the `limit` nearest, their cosines, and how far these reach."""
        lowest = float(found.cosines.min()) if len(found.cosines) >= limit else floor
        ordinals, cosines = self._measured(rows, found.ordinals, found.cosines, seq, among)
        count, horizon = int(np.count_nonzero(cosines >= floor)), max(floor, lowest)
        if count > limit:
            horizon = max(horizon, float(np.nextafter(np.float32(cosines[limit]), np.float32(2.0))))
            count = limit
        return ordinals[:count], cosines[:count], horizon

    def _text(self, ordinal: int, among: _Context) -> str:
        return among.peers[ordinal].text if ordinal in among.peers else self._body(ordinal).text

    def _allowed(self, partition: int, before: int) -> NDArray[np.bool_]:
        table = self._texts.table
        allowed: NDArray[np.bool_] = (table["partition"] == partition) & (table["repeat"] == 0) & (table["erased"] == 0)
        return allowed[:before]

    def _measured(
        self,
        rows: Half,
        ordinals: NDArray[np.int64],
        best: NDArray[np.float32],
        seq: int | None,
        among: _Context,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest text of each indexed form, of equals the earlier one, and the cosines; nearest first.

        `best` are the cosines of the first window; a text of one window that is compared with one is done with that.
        """
        cosines = best.astype(np.float64)
        if len(rows) > 1 or not among.single:
            self._match(cosines, rows, ordinals, seq, among.peers)
        stored, forms = ordinals < len(self._texts), np.empty(len(ordinals), np.uint64)
        forms[stored] = self._texts.table["form"][ordinals[stored]]
        forms[~stored] = [among.peers[ordinal].form for ordinal in ordinals[~stored].tolist()]
        order = np.lexsort((ordinals, -cosines))
        first = np.sort(np.unique(forms[order], return_index=True)[1])
        chosen = order[first]
        return ordinals[chosen], cosines[chosen]

    def _match(
        self,
        cosines: NDArray[np.float64],
        rows: Half,
        ordinals: NDArray[np.int64],
        seq: int | None,
        peers: Mapping[int, New],
    ) -> None:
        """Put the cosine of all windows in the place of that of the first, where there are several."""
        stored = np.flatnonzero(ordinals < len(self._texts))
        windows, owner = self._index.windows(ordinals[stored], seq=seq)
        counts = np.bincount(owner, minlength=len(stored))
        for place in np.flatnonzero((counts > 1) | (len(rows) > 1)):
            cosines[stored[place]] = matched(rows, windows[owner == place])
        for place in np.flatnonzero(ordinals >= len(self._texts)):
            other = peers[int(ordinals[place])].rows
            if len(other) > 1 or len(rows) > 1:
                cosines[place] = matched(rows, other)

    def complete(self, ordinal: int, floor: float) -> tuple[Pairs, int]:
        """Every pair of a stored text at or above `floor`, exact and unread; how many forms it was compared with."""
        event, table = self._body(ordinal), self._texts.table
        rows = rows_of(event.vectors)
        if event.vectors is None or not len(rows) or event.vectors.fingerprint != self._index.fingerprint:
            return NO_PAIRS, 0
        partition, seq = int(table["partition"][ordinal]), int(table["seq"][ordinal])
        allowed = self._allowed(partition, ordinal)
        found = self._index.nearest(
            rows[0], texts=ordinal, allowed=allowed, floor=floor, limit=EVERYTHING, seq=seq, exact=True
        )
        ordinals, cosines, _ = self._kept(rows, found, ALONE, floor=floor, limit=EVERYTHING, seq=seq)
        earlier = np.flatnonzero(allowed)
        known = earlier[~np.isnan(self._index.cosines(rows[0], earlier, seq=seq))]
        pairs = Pairs(ordinals, cosines, np.full(len(ordinals), UNREAD, np.uint8))
        return pairs, len(np.unique(table["form"][known]))


def rows_of(vectors: Vectors | None) -> Half:
    """The rows of recorded vectors, shape (windows, dims)."""
    if vectors is None or not vectors.rows:
        return np.empty((0, 0), np.float16)
    return np.stack([np.frombuffer(row, vectors.dtype) for row in vectors.rows])


def _best_windows(queries: Half, peers: Sequence[New]) -> NDArray[np.float32]:
    """The canonical cosine of each query to the best window of each peer; float32, shape (queries, peers)."""
    if not peers:
        return np.empty((len(queries), 0), np.float32)
    windows = np.concatenate([new.rows for new in peers]).astype(np.float64)
    cosines = np.clip(queries.astype(np.float64) @ windows.T, -1.0, 1.0).astype(np.float32)
    starts = np.cumsum([0, *(len(new.rows) for new in peers[:-1])])
    best: NDArray[np.float32] = np.maximum.reduceat(cosines, starts, axis=1)
    return best


def matched(first: NDArray[np.floating], second: NDArray[np.floating]) -> float:
    """The cosine of the worst matched window of two texts; canonical float32 value."""
    if not len(first) or not len(second):
        return -1.0
    products = first.astype(np.float64) @ second.astype(np.float64).T
    cosines = np.clip(products, -1.0, 1.0).astype(np.float32)
    return float(min(cosines.max(axis=0).min(), cosines.max(axis=1).min()))
