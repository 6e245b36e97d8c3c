"""The vectors of one embedder in the order they were recorded: one row a window.

A row has a vector, a code (two bits a dimension), the ordinal of its text
and the sequence number of the event that brought it. Rows only ever grow, so
the state at an earlier event is a prefix of every array here.

The matrix is float32 with float16 values, so that scans need no conversion. Its
published part is memory-mapped, piece by piece; only the tail is in memory. The
narrow columns are in memory whole, about 108 bytes a row at 256 dimensions.

Signs are kept twice: who looks at the signs of all rows wants them side by side,
and who looks at the codes of some rows wants each as one line of the cache.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray, HalfArray
from .. import compiled
from .cosine import canonical

Array = NDArray[Any]
Rows64 = NDArray[np.int64]

GATHER = 2_048
"""Rows copied at a time: they stay in the caches."""

LARGE = 0.85
"""From here on a number of a vector is large, in units of 1 / sqrt(dims): the root mean square of them all."""


LINE = 64
"""Bytes of a line of the cache."""


class Growing:
    """An array that grows along its first axis by doubling, and begins with a line of the cache."""

    def __init__(self, dtype: str, width: tuple[int, ...] = ()) -> None:
        self._data: Array = np.empty((0, *width), dtype)
        self.array: Array = self._data
        """What it holds now; stays valid and unchanged when more is appended."""

    def __len__(self) -> int:
        return len(self.array)

    def append(self, values: Array) -> None:
        """Add `values` at the end."""
        before, end = len(self.array), len(self.array) + len(values)
        if end > len(self._data):
            data = _room((max(end, 2 * len(self._data), 64), *self._data.shape[1:]), self._data.dtype)
            data[:before] = self.array
            self._data = data
        self._data[before:end] = values
        self.array = self._data[:end]


def _room(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array with nothing in it yet."""
    size = math.prod(shape) * dtype.itemsize
    whole = np.empty(size + LINE, np.uint8)
    first = -int(whole.__array_interface__["data"][0]) % LINE
    return whole[first : first + size].view(dtype).reshape(shape)


class Matrix:
    """A float32 matrix of mapped pieces and a growing tail."""

    def __init__(self, dims: int, pieces: Sequence[FloatArray] = ()) -> None:
        self._pieces = [piece for piece in pieces if len(piece)]
        self._starts = list(itertools.accumulate(map(len, self._pieces), initial=0))
        self._tail = Growing("f4", (dims,))

    def __len__(self) -> int:
        return self._starts[-1] + len(self._tail)

    def append(self, vectors: FloatArray) -> None:
        """Add rows to the tail."""
        self._tail.append(vectors)

    @property
    def whole(self) -> tuple[FloatArray, ...]:
        """All rows, piece by piece."""
        return (*self._pieces, self._tail.array)

    def pieces(self, start: int, stop: int) -> Iterator[FloatArray]:
        """Views that together are the rows from `start` to `stop`."""
        for first, piece in zip(self._starts, self.whole, strict=True):
            low, high = max(start - first, 0), min(stop - first, len(piece))
            if low < high:
                yield piece[low:high]

    def take(self, rows: Rows64) -> FloatArray:
        """A copy of these rows, shape (len(rows), dims); `rows` ascending."""
        cuts = np.searchsorted(rows, self._starts)
        bounds = [*cuts.tolist(), len(rows)]
        parts = [
            piece.take(rows[low:high] - first, axis=0)
            for piece, first, low, high in zip(self.whole, self._starts, bounds[:-1], bounds[1:], strict=True)
            if low < high
        ]
        return parts[0] if len(parts) == 1 else np.concatenate([*parts, self._tail.array[:0]])


class Rows:
    """All rows of one embedder; `len` rows are complete in every column."""

    def __init__(self, dims: int, pieces: Sequence[FloatArray] = ()) -> None:
        self.dims = dims
        self.matrix = Matrix(dims, pieces)
        self._signs = [Growing("u8") for _ in range(words(dims))]
        self._codes = Growing("u8", (2 * words(dims),))
        self._ordinals = Growing("i4")
        self._recorded = Growing("i8")
        self._last = -1
        self.dense = True
        """Row k belongs to text k, for all rows."""
        self.ordered = True
        """Texts never fall from row to row; untrue once earlier texts were embedded anew."""
        self.single = True
        """No text has two rows. The rows of one text are always neighbours."""

    def __len__(self) -> int:
        return len(self._recorded)

    @property
    def ordinals(self) -> NDArray[np.int32]:
        """The text of each row."""
        return self._ordinals.array

    @property
    def recorded(self) -> Rows64:
        """The sequence number of the event each row came with; never falls."""
        return self._recorded.array

    @property
    def codes(self) -> NDArray[np.uint64]:
        """The words of `two_bit_codes`, shape (rows, 2 words)."""
        return self._codes.array

    @property
    def signs(self) -> tuple[NDArray[np.uint64], ...]:
        """The first half of these words, one array each."""
        return tuple(word.array for word in self._signs)

    def append(self, vectors: HalfArray, ordinals: Array, recorded: Array) -> None:
        """Add rows: float16 unit vectors of shape (n, dims), the text and the event of each."""
        self.matrix.append(vectors.astype(np.float32))
        self.append_columns(two_bit_codes(vectors), ordinals, recorded)

    def append_columns(self, codes: NDArray[np.uint64], ordinals: Array, recorded: Array) -> None:
        """Add the narrow columns of rows whose vectors are in the matrix; `codes` has shape (2 words, n)."""
        if not len(ordinals):
            return
        before = len(self)
        self.dense &= bool((ordinals == np.arange(before, before + len(ordinals))).all())
        steps = np.diff(ordinals, prepend=self._last)
        self.ordered &= bool((steps >= 0).all())
        self.single &= bool((steps != 0).all())
        self._last = int(ordinals[-1])
        for column, word in zip(self._signs, codes[: len(self._signs)], strict=True):
            column.append(word)
        self._codes.append(codes.T)
        self._ordinals.append(ordinals)
        self._recorded.append(recorded)

    def of(self, ordinals: Rows64) -> tuple[Rows64, Rows64]:
        """The rows of these texts, and for each row the position of its text in `ordinals`."""
        if self.dense:
            owner = (ordinals < len(self)).nonzero()[0]
            return ordinals[owner].astype(np.int64, copy=False), owner
        order = None if self.ordered else np.argsort(self.ordinals, kind="stable")
        by_text = self.ordinals if order is None else self.ordinals[order]
        first = np.searchsorted(by_text, ordinals)
        counts = np.searchsorted(by_text, ordinals, side="right") - first
        owner = np.repeat(np.arange(len(ordinals)), counts)
        place = np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(len(owner))
        return (place if order is None else order[place]), owner

    def score(self, rows: Rows64, query: FloatArray) -> FloatArray:
        """float32 dots of these (ascending) rows, within `margin` of the canonical cosines."""
        dots = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), GATHER):
            part = slice(start, start + GATHER)
            np.vecdot(self.matrix.take(rows[part]), query, out=dots[part])
        return dots

    def scan(self, stop: int, query: FloatArray) -> FloatArray:
        """float32 dots of the first `stop` rows.

        `vecdot` and not `@`: OpenBLAS would share the product among threads, and waits for all of them; with busy
        cores that was measured at 24 to 570 ms where one thread needs 11.
        """
        dots = np.empty(stop, np.float32)
        start = 0
        for piece in self.matrix.pieces(0, stop):
            np.vecdot(piece, query, out=dots[start : start + len(piece)])
            start += len(piece)
        return dots

    def cosines(self, rows: Rows64, query: FloatArray) -> FloatArray:
        """Canonical cosines of these rows, in any order."""
        if compiled.vectors is not None:
            asked = np.ascontiguousarray(rows, np.int64)
            found = compiled.vectors.cosines(self.matrix.whole, asked, query, self.dims)
            return np.frombuffer(found, np.float32)
        cosines, order = np.empty(len(rows), np.float32), np.argsort(rows, kind="stable")
        for start in range(0, len(rows), GATHER):
            part = order[start : start + GATHER]
            cosines[part] = canonical(self.matrix.take(rows[part]), query)
        return cosines


def words(dims: int) -> int:
    """How many 64-bit words hold a bit for each dimension."""
    return -(-dims // 64)


def two_bit_codes(vectors: HalfArray) -> NDArray[np.uint64]:
    """Each number of vectors of shape (n, dims) in two bits, packed into shape (2 words, n).

    The first words have the high bits: set above 0. The others have the low bits: set where it is above 0 and large, or
    neither of both. So the two bits, 0 to 3, stand for -3, -1, 1 and 3 times a same number. Missing dimensions are 0.
    """
    above = vectors > 0
    large = np.abs(vectors) >= np.float16(LARGE / math.sqrt(max(1, vectors.shape[1])))
    return np.ascontiguousarray(np.concatenate([packed(above), packed(above == large)], axis=1).T)


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bits of shape (n, dims) in words, shape (n, words): bit j of word w is dimension 64 w + j; missing bits are 0."""
    padded = np.zeros((len(bits), 8 * words(bits.shape[1])), np.uint8)
    octets = np.packbits(bits, axis=1, bitorder="little")
    padded[:, : octets.shape[1]] = octets
    return padded.view("<u8").astype(np.uint64, copy=False)
