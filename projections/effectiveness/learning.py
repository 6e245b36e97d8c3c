"""Learning from outcomes: the moving average, erosion, decay and spread, for many memories at once.

Rules: docs/fold.md, "Effectiveness". Feedback of one memory is sequential,
feedback of different memories is independent, so a batch is worked off in
rounds: round r takes the r-th feedback of every memory. Each round is element
by element, and few memories are done one at a time by the same formulas, so
that the bits are those of the sequential fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, Constants
from ..arithmetic import ipow, ipow_array, tree_sum
from ..columns import Column, Table

SCHEMA = {
    "effectiveness": ("f8", 0.5),
    "settled": ("i8", 0),
    "anchor": ("i8", 0),
    "uses": ("i4", 0),
    "hits": ("i4", 0),
    "spread": ("f8", 0.0),
    "contexts": ("i4", 0),
    "centroid": ("i4", -1),
    "context_print": ("i4", -1),
    "velocity_from": ("i8", 0),
}
"""One row a text; only rows of roots mean something. `settled` is k0, `velocity_from` the first
velocity row that counts, `context_print` the embedder of the centroid (a label's code)."""


WORTH_A_VECTOR = 32
"""Rounds with fewer memories are worked off one at a time."""


class Use(NamedTuple):
    """One use of one memory, as a feedback reported it."""

    root: int
    recorded_at: int
    causal: bool
    weight: float
    outcome: float
    context: NDArray[np.float64] | None
    context_print: int = -1


class Effectiveness:
    """The effectiveness table under one set of constants."""

    def __init__(self, constants: Constants, table: Table | None = None) -> None:
        self.constants = constants
        self.table = Table(SCHEMA) if table is None else table
        self.centroids: list[NDArray[np.float64]] = []
        self.velocity_roots = Column(np.empty(0, np.int32))
        self.velocity_times = Column(np.empty(0, np.int64))
        self._pending: list[Use] = []
        self._after = round(constants.decay_after_days * DAY)
        self._unit = round(constants.decay_unit_days * DAY)
        self._window = round(constants.velocity_window_days * DAY)
        self._counted: tuple[int, int, NDArray[np.int32]] | None = None

    # -- writing ---------------------------------------------------------------

    def add(
        self,
        rows: slice,
        *,
        effectiveness: NDArray[np.float64],
        uses: NDArray[np.int32],
        hits: NDArray[np.int32],
        recorded_at: NDArray[np.int64],
    ) -> None:
        """Rows for new texts, each as the beginning of a memory; arrays of the length of `rows`."""
        self.table.grow(rows.stop - rows.start)
        values = {"effectiveness": effectiveness, "anchor": recorded_at, "uses": uses, "hits": hits}
        for name, value in values.items():
            self.table[name][rows] = value

    def begin(self, root: int, *, effectiveness: float, uses: int, hits: int, recorded_at: int) -> None:
        """A memory begins anew."""
        values: dict[str, float] = {
            "effectiveness": effectiveness,
            "settled": 0,
            "anchor": recorded_at,
            "uses": uses,
            "hits": hits,
            "spread": 0.0,
            "contexts": 0,
            "centroid": -1,
            "context_print": -1,
            "velocity_from": len(self.velocity_times),
        }
        for name, value in values.items():
            self.table[name][root] = value

    def use(self, use: Use) -> None:
        """Take note of a use; it counts from the next `flush`."""
        self._pending.append(use)
        if use.causal:
            self.velocity_roots.extend((use.root,))
            self.velocity_times.extend((use.recorded_at,))
            self._counted = None

    def flush(self) -> None:
        """Learn from every use noted."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        for chosen in rounds([use.root for use in pending]):
            if len(chosen) < WORTH_A_VECTOR:
                for index in chosen:
                    self._learn_one(pending[index])
            else:
                self._learn([pending[index] for index in chosen])

    def _learn_one(self, use: Use) -> None:
        """Settle and learn for one use; the same formulas and bits as `_learn`."""
        table, root = self.table, use.root
        table["effectiveness"][root], table["settled"][root] = self.learned(use)
        table["uses"][root] += 1
        if use.causal:
            table["anchor"][root] = use.recorded_at
            table["hits"][root] += 1
            if use.context is not None:
                self._spread(root, use.context, use.context_print)

    def learned(self, use: Use) -> tuple[float, int]:
        """Effectiveness and settled steps of a memory after one more use."""
        table, constants, root = self.table, self.constants, use.root
        effectiveness = float(table["effectiveness"][root])
        steps = max(0, (use.recorded_at - int(table["anchor"][root]) - self._after) // self._unit)
        fallen = steps - int(table["settled"][root])
        if effectiveness > 0.5 and fallen > 0:
            rate = self._rate(float(table["spread"][root]))
            effectiveness = 0.5 + (effectiveness - 0.5) * ipow(1.0 - rate, fallen)
        if use.causal:
            weight = constants.learning_rate * use.weight
            return effectiveness * (1.0 - weight) + use.outcome * weight, 0
        if effectiveness > 0.5:
            effectiveness += (0.5 - effectiveness) * constants.erosion_rate
        return effectiveness, steps

    def _rate(self, spread: float) -> float:
        """Share of the distance to .5 that one step of decay takes."""
        constants = self.constants
        generality = min(1.0, spread / constants.spread_cap) if spread >= constants.spread_min else 0.0
        return constants.decay_rate * (1.0 - constants.decay_discount * generality)

    def _learn(self, uses: Sequence[Use]) -> None:
        """Settle and learn for uses of different memories."""
        table, constants = self.table, self.constants
        roots = np.array([use.root for use in uses], np.int64)
        times = np.array([use.recorded_at for use in uses], np.int64)
        causal = np.array([use.causal for use in uses], np.bool_)
        effectiveness = self.value(roots, times)
        settled = self._steps(roots, times)
        weight = constants.learning_rate * np.array([use.weight for use in uses], np.float64)
        outcome = np.array([use.outcome for use in uses], np.float64)
        learned = effectiveness * (1.0 - weight) + outcome * weight
        eroded = np.where(
            effectiveness > 0.5, effectiveness + (0.5 - effectiveness) * constants.erosion_rate, effectiveness
        )
        table["effectiveness"][roots] = np.where(causal, learned, eroded)
        table["settled"][roots] = np.where(causal, 0, settled)
        table["anchor"][roots] = np.where(causal, times, table["anchor"][roots])
        table["uses"][roots] += 1
        table["hits"][roots] += causal.astype(np.int32)
        for use in uses:
            if use.causal and use.context is not None:
                self._spread(use.root, use.context, use.context_print)

    def _spread(self, root: int, context: NDArray[np.float64], fingerprint: int) -> None:
        """One more context in which a memory was a cause; the first of another embedder begins anew."""
        table = self.table
        row = int(table["centroid"][root])
        if row < 0 or table["context_print"][root] != fingerprint:
            table["centroid"][root] = len(self.centroids)
            table["context_print"][root] = fingerprint
            table["contexts"][root], table["spread"][root] = 1, 0.0
            self.centroids.append(context)
            return
        count = int(table["contexts"][root]) + 1
        table["contexts"][root] = count
        centroid, spread = widen(self.centroids[row], float(table["spread"][root]), context, count)
        self.centroids[row] = centroid
        table["spread"][root] = spread

    # -- reading ---------------------------------------------------------------

    def _steps(self, roots: NDArray[np.int64], times: NDArray[np.int64] | int) -> NDArray[np.int64]:
        idle: NDArray[np.int64] = (times - self.table["anchor"][roots] - self._after) // self._unit
        return np.maximum(0, idle)

    def value(self, roots: NDArray[np.int64], times: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """Effectiveness at `times`, decay included; float64 in [0, 1], shape of `roots`."""
        table, constants = self.table, self.constants
        effectiveness: NDArray[np.float64] = table["effectiveness"][roots]
        steps = self._steps(roots, times) - table["settled"][roots]
        falling = np.flatnonzero((effectiveness > 0.5) & (steps > 0))
        if not falling.size:
            return effectiveness
        spread = table["spread"][roots[falling]]
        generality = np.where(spread >= constants.spread_min, np.minimum(1.0, spread / constants.spread_cap), 0.0)
        rate = constants.decay_rate * (1.0 - constants.decay_discount * generality)
        effectiveness[falling] = 0.5 + (effectiveness[falling] - 0.5) * ipow_array(1.0 - rate, steps[falling])
        return effectiveness

    def adjusted(self, roots: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """`values` of `value`, lowered by how seldom the uses were causes; float64, shape of `roots`."""
        uses, hits = self.table["uses"][roots], self.table["hits"][roots]
        share = np.maximum(self.constants.causal_floor, hits / np.maximum(uses, 1))
        return np.where(uses < self.constants.causal_min_uses, values, values * share)

    def recency_days(self, roots: NDArray[np.int64], time: int) -> NDArray[np.int64]:
        """Whole days since the anchor, from 0."""
        days: NDArray[np.int64] = (time - self.table["anchor"][roots]) // DAY
        return np.maximum(0, days)

    def velocity(self, roots: NDArray[np.int64], time: int) -> NDArray[np.int64]:
        """Causal feedbacks in the window that ends at `time`."""
        times = self.velocity_times.values
        low = int(np.searchsorted(times, time - self._window, "right"))
        high = int(np.searchsorted(times, time, "right"))
        if self._counted is None or self._counted[:2] != (low, high):
            counts = np.bincount(self.velocity_roots.values[low:high], minlength=0).astype(np.int32)
            self._counted = (low, high, counts)
        counts = self._counted[2]
        known = roots < len(counts)
        result = np.zeros(len(roots), np.int64)
        result[known] = counts[roots[known]]
        for index in np.flatnonzero((self.table["velocity_from"][roots] > low) & (result > 0)):
            start = max(low, int(self.table["velocity_from"][roots[index]]))
            result[index] = int((self.velocity_roots.values[start:high] == roots[index]).sum())
        return result


def rounds(roots: Sequence[int]) -> list[list[int]]:
    """Positions in `roots`, split so that round r has the r-th position of every root, in order."""
    seen: dict[int, int] = {}
    result: list[list[int]] = []
    for position, root in enumerate(roots):
        number = seen.get(root, 0)
        seen[root] = number + 1
        if number == len(result):
            result.append([])
        result[number].append(position)
    return result


def widen(
    centroid: NDArray[np.float64], spread: float, context: NDArray[np.float64], count: int
) -> tuple[NDArray[np.float64], float]:
    """Centroid and spread after the `count`-th context, count >= 2.

    Welford's running variance carried to cosine distance, as the original system has it.
    """
    mean = centroid * ((count - 1) / count) + context / count
    length = np.sqrt(tree_sum(mean * mean))
    unit = mean / length if length > 0.0 else mean
    if count == 2:
        return unit, spread
    distance = max(0.0, 1.0 - float(tree_sum(context * unit)))
    return unit, spread * ((count - 2) / (count - 1)) + distance / (count - 1)


def context_of(rows: Sequence[bytes], dtype: str) -> NDArray[Any] | None:
    """The first window of a recorded context as float64, or None."""
    return np.frombuffer(rows[0], dtype).astype(np.float64) if rows else None
