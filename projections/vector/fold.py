"""The fold of the log into the vectors of one embedder.

It keeps the vectors that carry one fingerprint. A text whose vectors carry
another, that has none, whose payload was erased, or whose vector is no finite
unit vector has no rows. Vectors come with the text, or later with
`memories_reembedded`; a text keeps the first that it gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InvalidInput
from ...eventlog.events import ErasedEvent, MemoriesReembedded, MemoryStored, Recorded
from .cosine import is_unit
from .rows import Growing, Rows

_STORED = str(MemoryStored.__struct_config__.tag)
_DTYPE = "<f2"


class Fold:
    """State after event `seq`: of each text its event, of each vector its text and its event."""

    def __init__(self, fingerprint: str, rows: Rows | None = None) -> None:
        self.fingerprint = fingerprint
        self.seq = 0
        self.rows = Rows(0) if rows is None else rows
        self.seqs = Growing("i8")
        self.holes = Growing("?")
        self._wanting = Growing("?")

    @property
    def texts(self) -> int:
        """How many texts there are, with rows or without."""
        return len(self.seqs)

    def apply(self, batch: Sequence[Recorded]) -> None:
        """Apply events in order; see `Projection.apply`.

        Raises:
            InvalidInput: An event is missing in between; nothing after the gap was applied.
        """
        pending = _Pending(self.texts)
        try:
            for recorded in batch:
                if recorded.seq <= self.seq:
                    continue
                if recorded.seq != self.seq + 1:
                    raise InvalidInput(
                        f"event {recorded.seq} was given to a vector index at {self.seq}",
                        remedy="apply the events of the log in order, without gaps",
                    )
                event = recorded.event
                if isinstance(event, MemoryStored):
                    pending.store(recorded.seq, event, self.fingerprint)
                elif isinstance(event, ErasedEvent) and event.kind == _STORED:
                    pending.hole(recorded.seq)
                elif isinstance(event, MemoriesReembedded):
                    self._add(pending)
                    pending = self._reembedded(recorded.seq, event)
                    self._add(pending)
                    pending = _Pending(self.texts)
                self.seq = recorded.seq
        finally:
            self._add(pending)

    def add_texts(self, seqs: ArrayLike, holes: ArrayLike) -> None:
        """Add texts by the sequence numbers of their events."""
        self.seqs.append(np.asarray(seqs, np.int64))
        self.holes.append(np.asarray(holes, np.bool_))
        self._wanting.append(~np.asarray(holes, np.bool_))

    def settle(self) -> None:
        """Note which texts have rows, after rows were added from outside."""
        self._wanting.array[self.rows.ordinals] = False

    def digest(self) -> str:
        """Hex digest of the canonical state."""
        facts = f"{self.fingerprint} {self.seq} {self.texts} {len(self.rows)} {self.rows.dims}"
        hashed = blake2b(facts.encode(), digest_size=16)
        for column in (self.seqs.array, self.holes.array, self.rows.ordinals, self.rows.recorded):
            hashed.update(np.ascontiguousarray(column).data)
        for piece in self.rows.matrix.pieces(0, len(self.rows)):
            for start in range(0, len(piece), 4096):
                hashed.update(piece[start : start + 4096].astype(_DTYPE).tobytes())
        return hashed.hexdigest()

    def _reembedded(self, seq: int, event: MemoriesReembedded) -> _Pending:
        """Vectors for texts already stored that have none yet; of a text named twice, the first."""
        pending = _Pending(self.texts)
        if event.fingerprint != self.fingerprint or event.dtype != _DTYPE:
            return pending
        seqs, seen = self.seqs.array, set()
        for text, windows in zip(event.texts, event.rows, strict=False):
            ordinal = int(np.searchsorted(seqs, text))
            known = ordinal < len(seqs) and seqs[ordinal] == text and ordinal not in seen
            if known and self._wanting.array[ordinal]:
                seen.add(ordinal)
                pending.windows += [_Window(ordinal, seq, row) for row in windows]
        return pending

    def _add(self, pending: _Pending) -> None:
        """Take over texts and windows; a window that is no unit vector of the index's dimensions is left out."""
        self.add_texts(pending.seqs, pending.holes)
        windows = pending.windows
        size = 2 * self.rows.dims or _first_size(windows)
        windows = [window for window in windows if len(window.row) == size]
        if not windows:
            return
        vectors = np.frombuffer(b"".join(window.row for window in windows), _DTYPE).reshape(len(windows), -1)
        good = is_unit(vectors)
        ordinals = np.fromiter((window.ordinal for window in windows), np.int64, len(windows))[good]
        recorded = np.fromiter((window.recorded for window in windows), np.int64, len(windows))[good]
        if not self.rows.dims and len(ordinals):
            self.rows = Rows(vectors.shape[1])
        if len(ordinals):
            self.rows.append(vectors[good].astype(np.float16, copy=False), ordinals, recorded)
            self._wanting.array[ordinals] = False


class _Window(NamedTuple):
    ordinal: int
    recorded: int
    row: bytes


class _Pending:
    """Texts and windows of a stretch of events, before they are made arrays."""

    def __init__(self, texts: int) -> None:
        self._first = texts
        self.seqs: list[int] = []
        self.holes: list[bool] = []
        self.windows: list[_Window] = []

    def store(self, seq: int, event: MemoryStored, fingerprint: str) -> None:
        vectors = event.vectors
        if vectors is not None and vectors.fingerprint == fingerprint and vectors.dtype == _DTYPE:
            ordinal = self._first + len(self.seqs)
            self.windows += [_Window(ordinal, seq, row) for row in vectors.rows]
        self.seqs.append(seq)
        self.holes.append(False)

    def hole(self, seq: int) -> None:
        self.seqs.append(seq)
        self.holes.append(True)


def _first_size(windows: Sequence[_Window]) -> int:
    """The byte length of the first window that is a unit vector: it decides the dimensions of the index."""
    for window in windows:
        size = len(window.row)
        if size and size % 2 == 0 and is_unit(np.frombuffer(window.row, _DTYPE)[None])[0]:
            return size
    return 0
