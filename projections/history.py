"""What the state was before it changed, so that any earlier point is read without folding again.

Whoever changes a cell of a table, or an entry beside the tables, leaves here
what stood there and the event that replaced it. The state at event n is
today's, with everything that was replaced after n put back, the oldest last.
So it is the same state to the bit, and costs what has changed since.

Rows that a later event added need no note: they are cut off by their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Column, Table

Value = Any
"""What an entry held: something MessagePack can hold."""

Number = float | np.generic
"""What a cell holds."""


TERMS = "terms"
"""The name under which the terms of a memory are noted, by their numbers."""


class Entry(NamedTuple):
    """An entry of a dict, or a single value (key 0), that event `seq` replaced."""

    seq: int
    name: str
    key: int
    old: Value


class History:
    """The notes of one fold.

    Attributes:
        seq: The event that is being applied.
        start: The earliest event whose state can be read; 0 when every change was noted.
        earlier: Loads the notes that were saved, if there are any, when somebody first asks for them.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.start = 0
        self.entries: list[Entry] = []
        self.cells: dict[str, Cells] = {}
        self.earlier: Callable[[History], None] | None = None

    def load(self) -> None:
        """Have the saved notes at hand, below those made since."""
        earlier, self.earlier = self.earlier, None
        if earlier is not None:
            earlier(self)

    def cells_of(self, name: str, table: Table) -> Cells:
        """The notes of one table, which from now on is changed through them."""
        self.cells[name] = cells = Cells(self, table)
        return cells

    def entry(self, name: str, key: int, old: Value) -> None:
        """Note an entry before it changes."""
        self.entries.append(Entry(self.seq, name, key, old))

    def entries_after(self, seq: int, name: str) -> list[Entry]:
        """What events after `seq` replaced under one name, the newest first."""
        found = []
        for entry in reversed(self.entries):
            if entry.seq <= seq:
                break
            if entry.name == name:
                found.append(entry)
        return found

    def value_at(self, seq: int, name: str, now: Value) -> Value:
        """A single value as it was at event `seq`."""
        later = self.entries_after(seq, name)
        return later[-1].old if later else now

    def dict_at(self, seq: int, name: str, now: dict[int, Any]) -> dict[int, Any]:
        """A dict as it was at event `seq`; an entry that held None was not there."""
        then = dict(now)
        for entry in self.entries_after(seq, name):
            if entry.old is None:
                then.pop(entry.key, None)
            else:
                then[entry.key] = entry.old
        return then


NOTE = {"seq": "i8", "column": "u1", "row": "i4", "old": "i8"}
"""A changed cell: the event, the column's number, the row, and what stood there.

Whole numbers stand for themselves, others as the bits of a float64."""


class Cells:
    """The changed cells of one table: the event, the column, the row and what stood there, oldest first."""

    def __init__(self, history: History, table: Table) -> None:
        self._history, self.table = history, table
        self._names = list(table.schema)
        self._codes = {name: code for code, name in enumerate(self._names)}
        self._noted: list[tuple[int, int, int, Number]] = []
        self.watched: frozenset[str] = frozenset()
        self.touched: set[int] = set()
        """Rows of which a watched column was changed; to be cleared by who watches."""
        self.notes = {name: Column(np.empty(0, dtype)) for name, dtype in NOTE.items()}

    def put(self, name: str, row: int, value: Number) -> None:
        """Change one cell."""
        column = self.table[name]
        old = column[row]
        if old != value:
            self._noted.append((self._history.seq, self._codes[name], row, old))
            column[row] = value
            if name in self.watched:
                self.touched.add(row)

    def put_many(self, name: str, rows: NDArray[np.integer[Any]], value: Number) -> None:
        """Give several rows, each once, the same value."""
        column = self.table[name]
        changing = rows[column[rows] != value]
        if not len(changing):
            return
        self.settle()
        count = len(changing)
        seqs, codes = np.full(count, self._history.seq), np.full(count, self._codes[name])
        self._extend(seqs, codes, changing, _all_bits(column[changing]))
        column[changing] = value
        if name in self.watched:
            self.touched.update(changing.tolist())

    def _extend(self, *parts: Sequence[int] | NDArray[Any]) -> None:
        for column, part in zip(self.notes.values(), parts, strict=True):
            column.extend(part)

    def rewrite(self, name: str, values: NDArray[Any], left: Sequence[tuple[int, int, int]]) -> None:
        """Give a column other values and another past: (event, row, what stood there), in the order of the log."""
        self.settle()
        code = self._codes[name]
        kept = self.notes["column"].values != code
        seqs, rows, olds = zip(*left, strict=True) if left else ((), (), ())
        fresh = {"seq": seqs, "column": [code] * len(left), "row": rows, "old": olds}
        parts = {
            column: np.concatenate([notes.values[kept], np.array(fresh[column], NOTE[column])])
            for column, notes in self.notes.items()
        }
        order = np.argsort(parts["seq"], kind="stable")
        self.notes = {column: Column(part[order]) for column, part in parts.items()}
        self.table[name][:] = values

    def settle(self) -> None:
        """Move what was noted one by one into the columns."""
        noted, self._noted = self._noted, []
        if not noted:
            return
        seqs, codes, rows, olds = zip(*noted, strict=True)
        self._extend(seqs, codes, rows, [_bits(old) for old in olds])

    def precede(self, notes: Mapping[str, NDArray[Any]]) -> None:
        """Put notes that were saved before those made since."""
        self.settle()
        for name, column in self.notes.items():
            later = column.values
            self.notes[name] = Column(notes[name])
            self.notes[name].extend(later)

    def at(self, seq: int, size: int) -> Table:
        """The first `size` rows as they were at event `seq`."""
        self.settle()
        start = int(np.searchsorted(self.notes["seq"].values, seq, "right"))
        columns, rows, olds = (self.notes[name].values[start:][::-1] for name in ("column", "row", "old"))
        then = self.table.copy_of(size)
        there = rows < size
        for code in np.flatnonzero(np.bincount(columns[there])).tolist():
            chosen = there & (columns == code)
            column = then[self._names[code]]
            bits = olds[chosen]
            # Of several assignments to one row the last one stays: that of the earliest event.
            column[rows[chosen]] = bits.view(np.float64) if column.dtype.kind == "f" else bits
        return then


def _bits(old: Number) -> int:
    return int(np.float64(old).view(np.int64)) if isinstance(old, np.floating) else int(old)


def _all_bits(olds: NDArray[Any]) -> NDArray[np.int64]:
    return olds.astype(np.float64).view(np.int64) if olds.dtype.kind == "f" else olds.astype(np.int64)
