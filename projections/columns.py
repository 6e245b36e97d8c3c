"""Columns that grow, and the small indexes beside them.

A `Table` holds one numpy array a column, with room to spare, so that adding a
row moves nothing. It is saved as one block of bytes and opened again as a
private mapping: pages are read when touched and copied when changed, so that
opening a table of a million rows costs next to nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NONE = int(np.iinfo(np.int64).min)
"""Stands for "no time" in an int64 column."""

Schema = Mapping[str, tuple[str, Any]]
"""Column name to (numpy dtype, the value of a row that says nothing)."""


class Table:
    """Rows of typed columns, appended and changed in place."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.size = 0
        self._room = 0
        self._arrays: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, (dtype, _) in schema.items()}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column's rows, writable; a view that the next `grow` may leave behind."""
        return self._arrays[name][: self.size]

    def replace(self, name: str, values: NDArray[Any]) -> None:
        """Put another array in the place of a column; as long as the table, which has no room to grow then."""
        self._arrays[name] = values

    def grow(self, rows: int) -> slice:
        """Add `rows` rows that say nothing; returns where they are."""
        start, end = self.size, self.size + rows
        if end > self._room:
            self._room = spare(end)
            for name, array in self._arrays.items():
                larger = np.empty(self._room, array.dtype)
                larger[:start] = array[:start]
                self._arrays[name] = larger
        for name, (_, fill) in self.schema.items():
            self._arrays[name][start:end] = fill
        self.size = end
        return slice(start, end)

    def first(self, size: int) -> Table:
        """The first `size` rows, sharing their memory; for rows that never change."""
        return self._of(size, lambda array: array[:size])

    def copy_of(self, size: int) -> Table:
        """The first `size` rows, on their own."""
        return self._of(size, lambda array: array[:size].copy())

    def _of(self, size: int, take: Callable[[NDArray[Any]], NDArray[Any]]) -> Table:
        table = Table(self.schema)
        table.size = table._room = size
        table._arrays = {name: take(array) for name, array in self._arrays.items()}
        return table

    def pack(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """All columns as one block, with room to grow, and what `mapped` needs to find them."""
        room = spare(self.size)
        parts: list[NDArray[np.uint8]] = []
        offsets: dict[str, int] = {}
        position = 0
        for name, array in self._arrays.items():
            padded = np.zeros(-(-room * array.dtype.itemsize // 64) * 64, np.uint8)
            used = np.ascontiguousarray(array[: self.size]).view(np.uint8).reshape(-1)
            padded[: used.size] = used
            offsets[name] = position
            position += padded.size
            parts.append(padded)
        block = np.concatenate(parts) if parts else np.empty(0, np.uint8)
        return block, {"size": self.size, "room": room, "offsets": offsets}

    @classmethod
    def mapped(cls, path: Path, meta: Mapping[str, Any], schema: Schema) -> Table:
        """A table over the block saved at `path` (a .npy file), copied page by page when changed."""
        block = np.asarray(np.load(path, mmap_mode="c"))
        table = cls(schema)
        table.size, table._room = int(meta["size"]), int(meta["room"])
        for name, (dtype, _) in schema.items():
            start = int(meta["offsets"][name])
            table._arrays[name] = block[start : start + table._room * np.dtype(dtype).itemsize].view(dtype)
        return table


def spare(size: int) -> int:
    """Room for `size` rows and some to come."""
    return size + max(64, size // 8)


class Column:
    """One growing array without a table."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._array = values
        self.size = len(values)

    def __len__(self) -> int:
        return self.size

    @property
    def values(self) -> NDArray[Any]:
        """What is there, as a view."""
        return self._array[: self.size]

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        """Append values."""
        if not len(values):
            return  # an array that is mapped to be read takes not even nothing
        end = self.size + len(values)
        if end > len(self._array):
            larger = np.empty(spare(end), self._array.dtype)
            larger[: self.size] = self._array[: self.size]
            self._array = larger
        self._array[self.size : end] = values
        self.size = end


class Pieces:
    """A long array that only grows: what is on disk, and what came since."""

    def __init__(self, base: NDArray[Any]) -> None:
        self.base = base
        self.tail = Column(np.empty(0, base.dtype))

    def __len__(self) -> int:
        return len(self.base) + len(self.tail)

    def extend(self, values: NDArray[Any]) -> None:
        """Append values."""
        self.tail.extend(values)

    def first(self, count: int) -> Pieces:
        """The first `count` values, sharing their memory."""
        then = Pieces(self.base[:count])
        then.tail = Column(self.tail.values[: max(0, count - len(self.base))])
        return then

    def part(self, start: int, count: int) -> NDArray[Any]:
        """`count` values from `start`, which were appended together."""
        if start < len(self.base):
            return self.base[start : start + count]
        start -= len(self.base)
        return self.tail.values[start : start + count]

    def range(self, start: int, stop: int) -> NDArray[Any]:
        """The values from `start` to `stop`, wherever they came from."""
        cut = len(self.base)
        if start >= cut or stop <= cut:
            return self.part(start, stop - start)
        return np.concatenate([self.base[start:], self.tail.values[: stop - cut]])

    def pieces(self) -> list[NDArray[Any]]:
        """Everything, in order."""
        return [self.base, self.tail.values]


class Names:
    """Strings by number, in the order they were first seen."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = list(names)
        self._codes: dict[str, int] | None = None
        self._beginnings: set[str] = set()
        self._begun = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def beginnings(self) -> set[str]:
        """What a name of several words begins with, word for word: of "a b c" "a" and "a b"."""
        if self._begun < len(self.names):
            # Nothing is ever taken out, so it does no harm if two threads put in the same.
            count = len(self.names)
            for name in self.names[self._begun : count]:
                if " " in name:
                    self._beginnings.update(name[:place] for place, letter in enumerate(name) if letter == " ")
            self._begun = count
        return self._beginnings

    @property
    def codes(self) -> dict[str, int]:
        """Every name's number; made when first asked for."""
        if self._codes is None:
            self._codes = {name: code for code, name in enumerate(self.names)}
        return self._codes

    def find(self, name: str | None) -> int:
        """The number of `name`, or -1."""
        return -1 if name is None else self.codes.get(name, -1)

    def code(self, name: str | None) -> int:
        """The number of `name`, given to it now if it is new; -1 for None."""
        if name is None:
            return -1
        codes = self.codes
        found = codes.get(name)
        if found is None:
            found = codes[name] = len(self.names)
            self.names.append(name)
        return found


Key = int | bytes | np.generic
"""What a lookup is asked for."""

Parts = tuple[NDArray[Any], NDArray[np.int32], dict[Key, list[int]]]
"""What a lookup consists of."""


class Lookup:
    """From a key to the rows that carry it: a sorted base, and a dict for what came later."""

    def __init__(self, keys: NDArray[Any], rows: NDArray[np.int32]) -> None:
        self.keys = keys
        self.rows = rows
        self._later: dict[Key, list[int]] = {}

    @classmethod
    def over(cls, keys: NDArray[Any]) -> Lookup:
        """The lookup of a whole column."""
        order = np.argsort(keys, kind="stable").astype(np.int32)
        return cls(keys[order], order)

    def before(self, stop: int) -> LookupBefore:
        """The same for rows below `stop` alone."""
        return LookupBefore(self, stop)

    def add(self, key: Key, row: int) -> None:
        """A row came."""
        self._later.setdefault(key, []).append(row)

    def find(self, key: Key) -> list[int]:
        """The rows with this key, lowest first."""
        later = self._later.get(key, [])
        if not len(self.keys):
            return later
        first, last = self._range(key)
        return self.rows[first:last].tolist() + later if first < last else later

    def count(self, key: Key) -> int:
        """How many rows carry this key."""
        first, last = self._range(key)
        return last - first + len(self._later.get(key, ()))

    def find_array(self, key: Key) -> NDArray[np.int32]:
        """`find` as an array, for keys that many rows carry; to be read only."""
        first, last = self._range(key)
        later = self._later.get(key)
        return np.concatenate([self.rows[first:last], np.array(later, np.int32)]) if later else self.rows[first:last]

    @property
    def parts(self) -> Parts:
        """All sorted keys, the row of each, and by key the rows that came later; for loops that look up themselves.

        A view of the past has rows that came after it as well.
        """
        return self.keys, self.rows, self._later

    def find_many(self, keys: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """The rows with any of these keys, and the place in `keys` of each; those of one key together, lowest first."""
        typed = keys.astype(self.keys.dtype)
        first = self.keys.searchsorted(typed, "left")
        counts = self.keys.searchsorted(typed, "right") - first
        place = np.repeat(np.arange(len(keys)), counts)
        rows = self.rows[np.arange(len(place)) + np.repeat(first - (np.cumsum(counts) - counts), counts)]
        later = (
            [(k, row) for k, key in enumerate(keys.tolist()) for row in self._later.get(key, ())] if self._later else []
        )
        if not later:
            return place, rows
        places, more = zip(*later, strict=True)
        place, rows = np.concatenate([place, places]), np.concatenate([rows, np.array(more, np.int32)])
        order = place.argsort(kind="stable")
        return place[order], rows[order]

    def _range(self, key: Key) -> tuple[int, int]:
        """Where the key stands in the base; made of the base's type, lest numpy converts the whole base instead."""
        typed = np.asarray(key, self.keys.dtype)
        return int(self.keys.searchsorted(typed, "left")), int(self.keys.searchsorted(typed, "right"))


class LookupBefore(Lookup):
    """A lookup in which rows from `stop` on are not there."""

    def __init__(self, whole: Lookup, stop: int) -> None:
        super().__init__(whole.keys[:0], whole.rows[:0])
        self._whole, self._stop = whole, stop

    def find(self, key: Key) -> list[int]:
        """See `Lookup`."""
        rows = self._whole.find(key)
        return rows[: bisect_left(rows, self._stop)]

    def count(self, key: Key) -> int:
        """See `Lookup`."""
        return len(self.find_array(key))

    def find_array(self, key: Key) -> NDArray[np.int32]:
        """See `Lookup`."""
        rows = self._whole.find_array(key)
        return rows[: int(np.searchsorted(rows, self._stop))]

    @property
    def parts(self) -> Parts:
        """See `Lookup`."""
        return self._whole.parts

    def find_many(self, keys: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """See `Lookup`."""
        place, rows = self._whole.find_many(keys)
        kept = rows < self._stop
        return place[kept], rows[kept]
