"""How various the contexts are in which a memory was a cause: centroid and spread, for many memories at once.

Welford's running variance carried to cosine distance, as the original system
has it; rules: docs/fold.md, "Effectiveness". It is the one part of learning
that reads vectors, and the one that no other constant but the causal threshold
and ramp can change. The first context of another embedder begins anew, so the
contexts of a memory fall into *runs* of one embedder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Corrupted
from ..arithmetic import tree_sum
from .exposures import Context

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

WIDE = 4
"""Runs from which a step of all of them at once is cheaper than one by one."""

HELD = 32_768
"""Contexts that are held as numbers at once, unless one run has more."""

ABREAST = 128
"""Runs that are walked side by side: more would not stay in the processor's cache."""


class Centroids:
    """Unit vectors by number; those that were saved stay where they are mapped until they change."""

    def __init__(self, values: FloatArray | None = None, dims: Sequence[int] = ()) -> None:
        self._values = np.empty(0) if values is None else values
        self._ends = np.cumsum(np.array(dims, np.int64))
        self._changed: dict[int, FloatArray] = {}
        self._count = len(dims)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> FloatArray:
        """One centroid; not to be changed in place."""
        found = self._changed.get(number)
        if found is not None:
            return found
        first = int(self._ends[number - 1]) if number else 0
        return self._values[first : int(self._ends[number])]

    def __setitem__(self, number: int, centroid: FloatArray) -> None:
        """Put another in its place, or the next at the end."""
        self._changed[number] = centroid
        self._count = max(self._count, number + 1)

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[number] for number in range(self._count))


class Runs(NamedTuple):
    """Which contexts belong together, one row a run.

    The contexts of a run stand together: `size` of them from the place `first`. `known` is how many it had before,
    and `spread` and `centroid` what those came to (0 and None for none).
    """

    first: IntArray
    size: IntArray
    known: IntArray
    spread: FloatArray
    centroid: Sequence[FloatArray | None]


Contexts = Callable[[IntArray], Sequence[Context]]
"""The contexts at these places; equal objects are read once."""


def widen_all(runs: Runs, contexts: Contexts) -> tuple[FloatArray, list[FloatArray]]:
    """Take the contexts of all runs: the spread after every context, by place, and each run's centroid at its end."""
    spread = np.zeros(int(runs.size.sum()))
    centroids: list[FloatArray] = [np.empty(0)] * len(runs.first)
    for some in _portions(runs.size):
        sizes = runs.size[some]
        begins = np.cumsum(sizes) - sizes
        places = np.repeat(runs.first[some] - begins, sizes) + np.arange(int(sizes.sum()))
        width, row, vectors = _read(contexts(places))
        if (width != np.repeat(width[begins], sizes)).any():
            raise Corrupted(
                "contexts of one embedder have different lengths", remedy="see which events `helix verify` names"
            )
        for dims, matrix in vectors.items():
            fitting = np.flatnonzero(width[begins] == dims)
            fitting = fitting[np.argsort(-sizes[fitting], kind="stable")]
            for low in range(0, len(fitting), ABREAST):
                chosen = fitting[low : low + ABREAST]
                _Abreast(runs, some[chosen], begins[chosen], (matrix, row)).take(spread, centroids)
    return spread, centroids


def _portions(size: IntArray) -> Iterator[IntArray]:
    """Runs, some at a time."""
    portion = (np.cumsum(size) - 1) // HELD
    for cut in np.split(np.arange(len(size)), np.flatnonzero(np.diff(portion)) + 1):
        if len(cut):
            yield cut


def _read(contexts: Sequence[Context]) -> tuple[IntArray, IntArray, dict[int, FloatArray]]:
    """Of each context the number of dimensions, and its row among the different vectors that have as many."""
    numbers: dict[int, int] = {}
    which = [numbers.setdefault(id(context), len(numbers)) for context in contexts]
    _, firsts = np.unique(which, return_index=True)
    forms: dict[tuple[str, int], list[int]] = {}
    for number, first in enumerate(firsts.tolist()):
        context = contexts[first]
        forms.setdefault((context.dtype, len(context.row)), []).append(number)
    width, row = np.zeros(len(firsts), np.int64), np.zeros(len(firsts), np.int64)
    vectors: dict[int, FloatArray] = {}
    for (dtype, _), members in forms.items():
        joined = b"".join(contexts[first].row for first in firsts[members].tolist())
        matrix = np.frombuffer(joined, dtype).reshape(len(members), -1).astype(np.float64)
        dims = matrix.shape[1]
        before = vectors.get(dims, np.empty((0, dims)))
        width[members], row[members] = dims, np.arange(len(members)) + len(before)
        vectors[dims] = np.concatenate([before, matrix])
    return width[which], row[which], vectors


class _Abreast:
    """Some runs, longest first, of vectors with one number of dimensions; so few that their numbers stay at hand.

    `begins` is where the contexts of each begin among those that `vectors` (a matrix, and the row of each) holds.
    """

    def __init__(self, runs: Runs, some: IntArray, begins: IntArray, vectors: tuple[FloatArray, IntArray]) -> None:
        self._runs, self._some, self._begins = runs, some, begins
        self._matrix, self._which = vectors
        width = self._matrix.shape[1]
        known = [runs.centroid[run] for run in some.tolist()]
        self._centroids = np.stack([np.zeros(width) if centroid is None else centroid for centroid in known])
        self._spread = runs.spread[some]

    def take(self, spread: FloatArray, centroids: list[FloatArray]) -> None:
        """Take all contexts; fills `spread` by place and `centroids` by run."""
        runs, some = self._runs, self._some
        counts = runs.size[some]
        done, live = 0, len(some)
        while live >= WIDE:
            self._step(live, done)
            spread[runs.first[some[:live]] + done] = self._spread[:live]
            done += 1
            live = int(np.searchsorted(-counts[:live], -done, "left"))
        for number in range(live):
            self._follow(number, done, spread)
        for run, centroid in zip(some.tolist(), self._centroids, strict=True):
            centroids[run] = centroid.copy()

    def _step(self, live: int, done: int) -> None:
        """The next context of the first `live` runs."""
        context = self._matrix[self._which[self._begins[:live] + done]]
        count = self._runs.known[self._some[:live]] + done + 1
        mean = self._centroids[:live] * ((count - 1) / count)[:, None] + context / count[:, None]
        unit = _unit(mean)
        unit[count == 1] = context[count == 1]
        self._centroids[:live] = unit
        spread = self._spread[:live]
        spread[count == 1] = 0.0
        third = np.flatnonzero(count >= 3)
        many = count[third]
        distance = _distance(context[third], unit[third])
        spread[third] = spread[third] * ((many - 2) / (many - 1)) + distance / (many - 1)

    def _follow(self, number: int, done: int, spread: FloatArray) -> None:
        """`_step` for what is left of one run; what does not wait for the centroid is done for many at once."""
        run = int(self._some[number])
        left, known = int(self._runs.size[run]) - done, int(self._runs.known[run]) + done
        centroid, level = self._centroids[number].copy(), float(self._spread[number])
        begin, place = int(self._begins[number]) + done, int(self._runs.first[run]) + done
        for first in range(0, left, BLOCK):
            contexts = self._matrix[self._which[begin + first : begin + min(left, first + BLOCK)]]
            counts = np.arange(known + first + 1, known + first + 1 + len(contexts))
            units = _move(centroid, contexts, counts)
            centroid = units[-1]
            distances, found = _distance(contexts, units).tolist(), []
            for count, distance in zip(counts.tolist(), distances, strict=True):
                if count == 1:
                    level = 0.0
                elif count >= 3:
                    level = level * ((count - 2) / (count - 1)) + distance / (count - 1)
                found.append(level)
            spread[place + first : place + first + len(found)] = found
        self._centroids[number] = centroid


BLOCK = 512
"""Contexts of one run that are prepared together."""


def _move(centroid: FloatArray, contexts: FloatArray, counts: IntArray) -> FloatArray:
    """The centroids after each of the contexts, the `counts`-th of one run; float64, shape of `contexts`."""
    shares, kept = contexts / counts[:, None], ((counts - 1) / counts).tolist()
    width = contexts.shape[1]
    halves = 1 << max(0, width - 1).bit_length()
    squares, units = np.zeros(halves), np.empty_like(contexts)
    own, folds = squares[:width], []
    while halves > 1:
        halves //= 2
        folds.append((squares[:halves], squares[halves : 2 * halves]))
    for number, (share, unit) in enumerate(zip(shares, units, strict=True)):
        if counts[number] == 1:
            unit[:] = contexts[number]
        else:
            np.multiply(centroid, kept[number], out=unit)
            np.add(unit, share, out=unit)
            np.multiply(unit, unit, out=own)
            for low, high in folds:  # `tree_sum`, in place
                np.add(low, high, out=low)
            length = math.sqrt(squares[0])
            if length > 0.0:
                np.divide(unit, length, out=unit)
        centroid = unit
    return units


def _unit(mean: FloatArray) -> FloatArray:
    length = np.sqrt(tree_sum(mean * mean))
    length[~(length > 0.0)] = 1.0
    return mean / length[:, None]


def _distance(context: FloatArray, unit: FloatArray) -> FloatArray:
    distance = 1.0 - tree_sum(context * unit)
    return np.where(distance > 0.0, distance, 0.0)


def widen(centroid: FloatArray, spread: float, context: FloatArray, count: int) -> tuple[FloatArray, float]:
    """Centroid and spread of one memory after its `count`-th context, count >= 2; the same bits as `widen_all`."""
    mean = centroid * ((count - 1) / count) + context / count
    unit = _unit(mean[None])[0]
    if count == 2:
        return unit, spread
    distance = float(_distance(context[None], unit[None])[0])
    return unit, spread * ((count - 2) / (count - 1)) + distance / (count - 1)
