"""What was before agents and how it went, as columns: one row an exposure, and what its memory was just before it.

The first columns say what the log said and no constant of learning can change
it, so that the log need not be read to learn with other constants. They rest on
membership alone: `root` is the memory that the exposed id belonged to then. The
others are what was learned under the constants in force, so that the past is
read and not folded: the state of a memory at event n is what stood before its
first row after n.

Rows only ever come to the end. A row waits as bytes, then as a row that has
not been learned from, until somebody reads what was learned.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...eventlog.events import Exposure
from ..columns import Table

Array = NDArray[Any]
Columns = Mapping[str, Array]

UNSAID, UNUSED, USED, BEGUN = range(4)
"""`said`: nobody said what was used; it was others; it was this one; and no exposure at all: the memory began anew."""

OBSERVED = {
    "seq": ("i8", 0),
    "recorded_at": ("i8", 0),
    "root": ("i4", -1),
    "similarity": ("f8", np.nan),
    "said": ("u1", UNSAID),
    "again": ("i4", 0),
    "outcome": ("u1", 0),
    "print": ("i4", -1),
    "context": ("i4", -1),
}
"""`similarity` is NaN where none was recorded, `outcome` a place in `OUTCOMES`, `print` the embedder of the similarity,
and `context` that of the context where it has one that counts (labels' codes). `again` says how many rows back the same
feedback exposed the same memory first; 0 means that this is the first. Where a memory began anew, `recorded_at` is when
its text was stored."""

STATE = {
    "effectiveness": ("f8", 0.5),
    "settled": ("i8", 0),
    "anchor": ("i8", 0),
    "uses": ("i4", 0),
    "hits": ("i4", 0),
    "spread": ("f8", 0.0),
    "contexts": ("i4", 0),
    "context_print": ("i4", -1),
}
"""What is learned of one memory but its centroid; `settled` is k0, `context_print` the embedder of the contexts."""

LEARNED = {**STATE, "weight": ("f8", np.nan)}
"""The state before the row, and its weight as a use: NaN for none, -1 for one without effect, else in [0, 1]."""

SCHEMA = {**OBSERVED, **LEARNED}


_ROW = np.dtype([(name, dtype) for name, (dtype, _) in OBSERVED.items()])
_pack = struct.Struct("=qqidBiBii").pack
"""Puts a row of `OBSERVED` down as bytes: a million tuples take long to become columns."""


class Shown(NamedTuple):
    """A memory that a feedback exposed; see `OBSERVED`."""

    root: int
    similarity: float
    said: int
    again: int


def similarity_of(exposure: Exposure) -> float:
    """The recorded cosine; NaN where there is none, below any threshold where it is no number."""
    similarity = exposure.similarity
    if similarity is None:
        return math.nan
    return -math.inf if math.isnan(similarity) else similarity


class Context(NamedTuple):
    """The vector of a context, as it was recorded."""

    row: bytes
    dtype: str

    @property
    def vector(self) -> NDArray[np.float64]:
        """The numbers."""
        return np.frombuffer(self.row, self.dtype).astype(np.float64)


class Feedback(NamedTuple):
    """What is the same for all that one feedback exposed; see `OBSERVED`. `context` is the one that counts, if any."""

    seq: int
    recorded_at: int
    outcome: int
    fingerprint: int
    context_print: int
    context: Context | None


class Exposures:
    """The rows of a log prefix.

    Attributes:
        start: The event after which every row is here; 0 when all are.
        learned: How many of the rows at hand have been learned from.
        contexts: Of rows that have not, the contexts, by row.
        earlier: Loads the rows that were saved, if there are any, when somebody first asks for them.
    """

    def __init__(self) -> None:
        self.start = 0
        self.learned = 0
        self.contexts: dict[int, Context] = {}
        self.earlier: Callable[[], Sequence[Columns] | None] | None = None
        self._pieces: list[Columns] = []
        self._tail = Table(SCHEMA)
        self._size = 0
        self._waiting = bytearray()

    def __len__(self) -> int:
        """How many rows are at hand."""
        return self._size

    @property
    def fresh(self) -> int:
        """How many rows have not been learned from."""
        return self._size - self.learned

    def load(self) -> None:
        """Have the saved rows at hand, before those that came since."""
        earlier, self.earlier = self.earlier, None
        pieces = None if earlier is None else earlier()
        if pieces is None:
            return
        count = sum(len(piece["seq"]) for piece in pieces)
        self._pieces[:0] = pieces
        self.contexts = {row + count: context for row, context in self.contexts.items()}
        self.learned += count
        self._size += count
        self.start = 0

    # -- writing ---------------------------------------------------------------

    def show(self, feedback: Feedback, shown: Sequence[Shown]) -> None:
        """Add what one feedback exposed."""
        seq, recorded_at, outcome, fingerprint, context_print, context = feedback
        for one in shown:
            self._waiting += _pack(seq, recorded_at, *one, outcome, fingerprint, context_print)
        if context is not None:
            self.contexts.update(dict.fromkeys(range(self._size, self._size + len(shown)), context))
        self._size += len(shown)

    def begin(self, seq: int, root: int, recorded_at: int) -> None:
        """Add that a memory, whose text was stored at `recorded_at`, began anew."""
        self._waiting += _pack(seq, recorded_at, root, math.nan, BEGUN, 0, 0, -1, -1)
        self._size += 1

    def _settle(self) -> None:
        if self._waiting:
            waiting = np.frombuffer(self._waiting, _ROW)
            rows = self._tail.grow(len(waiting))
            for name in OBSERVED:
                self._tail[name][rows] = waiting[name]
            self._waiting = bytearray()

    def learn(self, learned: Columns) -> None:
        """Take what all fresh rows were found to be, in arrays of `LEARNED`."""
        self._settle()
        for name in LEARNED:
            self._tail[name][len(self._tail) - self.fresh :] = learned[name]
        self.learned = self._size
        self.contexts.clear()

    # -- reading ---------------------------------------------------------------

    def _parts(self, name: str) -> list[Array]:
        """A column, piece by piece."""
        self._settle()
        return [*(piece[name] for piece in self._pieces), self._tail[name]]

    def column(self, name: str, start: int = 0, stop: int | None = None) -> Array:
        """One column of the rows from `start`; a view where they stand together, not to be changed."""
        stop = len(self) if stop is None else stop
        parts, first = [], 0
        for whole in self._parts(name):
            part = whole[max(0, start - first) : max(0, stop - first)]
            if len(part):
                parts.append(part)
            first += len(whole)
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([np.empty(0, SCHEMA[name][0]), *parts])

    def columns(self, names: Iterable[str], start: int = 0, stop: int | None = None) -> dict[str, Array]:
        """Several columns by name; see `column`."""
        return {name: self.column(name, start, stop) for name in names}

    def take(self, name: str, rows: NDArray[np.int64]) -> Array:
        """One column at these rows."""
        parts = [part for part in self._parts(name) if len(part)]
        if len(parts) == 1:
            return parts[0][rows]
        found, first = np.empty(len(rows), SCHEMA[name][0]), 0
        for part in parts:
            here = (rows >= first) & (rows < first + len(part))
            found[here] = part[rows[here] - first]
            first += len(part)
        return found

    def until(self, seq: int) -> int:
        """How many rows events up to `seq` made."""
        return sum(int(np.searchsorted(part, seq, "right")) for part in self._parts("seq"))

    def causes(self, count: int) -> int:
        """How many causes there are among the first `count` rows."""
        return int(np.count_nonzero(self.column("weight", 0, count) >= 0.0))

    def firsts(self, count: int, texts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first row from `count` on that changed each memory, of the memories below `texts`; and those memories."""
        rows = np.flatnonzero((self.column("said", count) == BEGUN) | ~np.isnan(self.column("weight", count)))
        roots = self.column("root", count)[rows]
        rows, roots = rows[roots < texts], roots[roots < texts]
        first = np.full(texts, -1)
        first[roots[::-1]] = rows[::-1]  # of several assignments to one place the last one stays
        touched = np.flatnonzero(first >= 0)
        return first[touched] + count, touched

    def first(self, count: int) -> Exposures:
        """The first `count` rows, sharing their memory; they must have been learned from."""
        self._settle()
        then = Exposures()
        then.start = self.start
        tail: Columns = {name: self._tail[name] for name in SCHEMA}
        for piece in (*self._pieces, tail):
            rows = min(len(piece["seq"]), count - len(then))
            if rows > 0:
                then.adopt({name: piece[name][:rows] for name in SCHEMA})
        return then

    def adopt(self, columns: Columns) -> None:
        """Take rows that have been learned from, after those that were taken before."""
        self._pieces.append(columns)
        self._size += len(columns["seq"])
        self.learned = self._size


def packed(columns: Columns) -> NDArray[np.uint8]:
    """The columns of `SCHEMA` as one block of bytes."""
    parts = [np.ascontiguousarray(columns[name], dtype).view(np.uint8) for name, (dtype, _) in SCHEMA.items()]
    return np.concatenate([np.pad(part, (0, -len(part) % 8)) for part in parts])


def unpacked(block: NDArray[np.uint8], count: int) -> Columns:
    """The `count` rows that were `packed`, as views."""
    columns: dict[str, Array] = {}
    place = 0
    for name, (dtype, _) in SCHEMA.items():
        size = count * np.dtype(dtype).itemsize
        columns[name] = block[place : place + size].view(dtype)
        place += size + -size % 8
    return columns
