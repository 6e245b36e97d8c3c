"""How well each memory has served: learning from outcomes, decay, and what is read of both.

Rules: docs/fold.md, "Effectiveness". Exposures are only put down when their
event is applied (`exposures.py`); they are learned from, many at once
(`steps.py`), when somebody reads. What was read before each of them stays
beside it, so any earlier point is read and not folded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, Constants
from .. import compiled
from ..columns import Column, Table
from ..ledger.texts import Texts
from .exposures import BEGUN, LEARNED, OBSERVED, STATE, Columns, Context, Exposures, Feedback, Shown
from .spread import Centroids
from .starts import starts
from .steps import Learned, Mask, Steps, Widths, adjusted, decay_steps, decay_times, learn, left_after
from .verdicts import weights
from .widths import widths

SCHEMA = {**STATE, "centroid": ("i4", -1), "velocity_from": ("i8", 0)}
"""One row a text; only rows of roots mean something. `velocity_from` is the first velocity row that counts."""

READ = ("effectiveness", "anchor", "settled", "spread", "uses", "hits", "velocity_from")
RULES = ("decay_rate", "decay_discount", "spread_min", "spread_cap", "causal_floor", "causal_min_uses")
"""The columns and the constants that `_standing.c` takes, in its order."""

MOST_FRESH = 32_768
"""Exposures that wait to be learned from; their contexts are kept in memory until then."""

Reader = Callable[[Sequence[int]], Iterable[Context]]
"""The contexts that feedback events recorded, by their sequence numbers; a pure function of the log."""


class Use(NamedTuple):
    """One use of one memory, as a feedback reported it."""

    root: int
    recorded_at: int
    causal: bool
    weight: float
    outcome: float


class Standing(NamedTuple):
    """What is read of some memories when they are ranked; arrays of one length.

    `value` is effectiveness with decay, `adjusted` that, lowered by how seldom the uses were causes; `days` are whole
    days since the anchor, from 0; `velocity` counts causal feedbacks in the window that ends at the time.
    """

    value: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    days: NDArray[np.int64]
    velocity: NDArray[np.int64]


class Effectiveness:
    """The effectiveness table under one set of constants.

    Args:
        constants: Under which.
        texts: What begins memories.
        contexts: Reads contexts again, where centroids have to be made anew.
    """

    def __init__(self, constants: Constants, texts: Texts, contexts: Reader | None = None) -> None:
        self.constants = constants
        self.texts = texts
        self.contexts = contexts
        self.exposures = Exposures()
        self._table = Table(SCHEMA)
        self._centroids: Centroids | None = Centroids()
        self._velocity_roots = Column(np.empty(0, np.int32))
        self._velocity_times = Column(np.empty(0, np.int64))
        self._window = round(constants.velocity_window_days * DAY)
        self._counted: tuple[int, int, NDArray[np.int32]] | None = None
        self._rules = (DAY, *decay_times(constants), *(getattr(constants, name) for name in RULES))

    def adopt(self, table: Table, roots: NDArray[np.int32], times: NDArray[np.int64], centroids: Centroids) -> None:
        """Take what was saved."""
        self._table, self._centroids = table, centroids
        self._velocity_roots, self._velocity_times = Column(roots), Column(times)

    # -- writing ---------------------------------------------------------------

    def add(self, rows: slice) -> None:
        """Rows for new texts, each as the beginning of a memory."""
        begun = starts(self.texts, self.constants, rows)
        self._table.grow(rows.stop - rows.start)
        for name, values in begun._asdict().items():
            self._table[name][rows] = values

    def begin(self, seq: int, root: int) -> None:
        """The event `seq` lets a memory begin anew."""
        self.exposures.begin(seq, root, int(self.texts.table["recorded_at"][root]))

    def show(self, feedback: Feedback, shown: Sequence[Shown]) -> None:
        """A feedback exposed memories. It is learned from when somebody reads."""
        self.exposures.show(feedback, shown)
        if self.exposures.fresh >= MOST_FRESH:
            self.flush()

    def flush(self) -> None:
        """Learn from every exposure that has not been learned from."""
        exposures = self.exposures
        if not exposures.fresh:
            return
        start, count = exposures.learned, exposures.fresh
        observed = exposures.columns(OBSERVED, start)
        weight = weights(observed, self.constants, self.texts.labels)
        learned = {name: np.full(count, fill, dtype) for name, (dtype, fill) in LEARNED.items()}
        learned["weight"] = weight
        steps = Steps(observed)
        if len(steps):
            found = self._learn(steps, weight[steps.rows], lambda rows: [exposures.contexts[start + r] for r in rows])
            for name in STATE:
                learned[name][steps.rows] = found.before[name]
            self.count_causes(observed, weight)
        exposures.learn(learned)

    def _learn(
        self, steps: Steps, weight: NDArray[np.float64], contexts: Callable[[Any], Sequence[Context]]
    ) -> Learned:
        table, memories = self._table, steps.memories
        base = {name: table[name][memories] for name in STATE}
        moved: dict[int, NDArray[np.float64]] = {}

        def widening(causal: Mask) -> Widths:
            found, centroids = widths(steps, causal, base, lambda place: self._centroid(int(memories[place])), contexts)
            moved.update(centroids)
            return found

        begun = starts(self.texts, self.constants, memories)
        found = learn(steps, weight, self.constants, base=base, starts=begun, widths=widening)
        for name, values in found.after.items():
            table[name][memories] = values
        table["centroid"][memories[found.after["contexts"] == 0]] = -1
        self._move(memories, moved)
        return found

    def _move(self, memories: NDArray[np.int64], moved: dict[int, NDArray[np.float64]]) -> None:
        """Put down other centroids, by the places of their memories."""
        centroids, numbers = self._held(), self._table["centroid"]
        for place, centroid in moved.items():
            root = int(memories[place])
            if numbers[root] < 0:
                numbers[root] = len(centroids)
            centroids[int(numbers[root])] = centroid

    def count_causes(self, observed: Columns, weight: NDArray[np.float64]) -> None:
        """Velocity rows of the causes; where a memory began anew, those before do not count."""
        causes = np.flatnonzero(weight >= 0.0)
        for row in np.flatnonzero(observed["said"] == BEGUN).tolist():
            earlier = len(self._velocity_times) + int(np.searchsorted(causes, row))
            self._table["velocity_from"][observed["root"][row]] = earlier
        self._velocity_roots.extend(observed["root"][causes])
        self._velocity_times.extend(observed["recorded_at"][causes])
        self._counted = None

    # -- the past --------------------------------------------------------------

    @property
    def start(self) -> int:
        """The earliest event `as_of` can go back to: 0, or beyond all where rows were lost."""
        self.exposures.load()
        return 0 if not self.exposures.start else sys.maxsize

    def as_of(self, seq: int, texts: int) -> Effectiveness:
        """What was learned at event `seq`, when there were so many texts; to be read, never to be added to.

        Everything in it is as a fold of the first `seq` events has it, to the bit. Nothing is folded but the
        centroids, and those only if somebody asks for them.

        Args:
            seq: From `start` on.
            texts: Texts stored by then.
        """
        self.flush()
        self.exposures.load()
        exposures, count = self.exposures, self.exposures.until(seq)
        then = Effectiveness(self.constants, self.texts, self.contexts)
        then.exposures = exposures.first(count)
        then._table = table = self._table.copy_of(texts)
        later, roots = exposures.firsts(count, texts)
        for name in STATE:
            table[name][roots] = exposures.take(name, later)
        causes = exposures.causes(count)
        then._velocity_roots = Column(self._velocity_roots.values[:causes])
        then._velocity_times = Column(self._velocity_times.values[:causes])
        self._begin_velocity(then, count, texts)
        then.forget_centroids()
        return then

    def forget_centroids(self) -> None:
        """Let the centroids be made from the recorded contexts if somebody asks for them."""
        table = self._table
        having = np.flatnonzero(table["contexts"] > 0)
        table["centroid"][:] = -1
        table["centroid"][having] = np.arange(len(having))
        self._centroids = None

    def keep_centroids(self, other: Effectiveness) -> None:
        """Take those of another fold of the same exposures, which found the same causes."""
        self._table["centroid"][:] = other.table["centroid"]
        self._centroids = other._centroids

    def _begin_velocity(self, then: Effectiveness, count: int, texts: int) -> None:
        """Let velocity count from where it did, for memories that began anew since."""
        exposures = self.exposures
        begun = np.flatnonzero(exposures.column("said") == BEGUN)
        roots = exposures.take("root", begun)
        for root in np.unique(roots[begun >= count]).tolist():
            earlier = begun[(roots == root) & (begun < count)]
            if root < texts:
                then._table["velocity_from"][root] = exposures.causes(int(earlier[-1])) if earlier.size else 0

    # -- reading ---------------------------------------------------------------

    @property
    def table(self) -> Table:
        """The state of every memory, all exposures learned from."""
        self.flush()
        return self._table

    @property
    def velocity_roots(self) -> Column:
        """The memory of each causal feedback, in order."""
        self.flush()
        return self._velocity_roots

    @property
    def velocity_times(self) -> Column:
        """The time of each causal feedback."""
        self.flush()
        return self._velocity_times

    @property
    def centroids(self) -> Centroids:
        """The centroids, by the numbers in the table's column `centroid`."""
        self.flush()
        return self._held()

    def _held(self) -> Centroids:
        if self._centroids is None:
            self._centroids = self._made_anew()
        return self._centroids

    def _centroid(self, root: int) -> NDArray[np.float64] | None:
        number = int(self._table["centroid"][root])
        return None if number < 0 else self._held()[number]

    def _made_anew(self) -> Centroids:
        """The centroids from the recorded contexts, for who had none so far; what waits to be learned from left out."""
        exposures, made = self.exposures, Centroids()
        observed = exposures.columns(OBSERVED, 0, exposures.learned)
        steps = Steps(observed)
        nothing = {name: np.full(len(steps.memories), fill, dtype) for name, (dtype, fill) in STATE.items()}
        causal = exposures.take("weight", steps.rows) >= 0.0
        _, moved = widths(steps, causal, nothing, lambda _: None, lambda rows: self.recorded(observed["seq"][rows]))
        for place, centroid in moved.items():
            made[int(self._table["centroid"][steps.memories[place]])] = centroid
        return made

    def recorded(self, seqs: NDArray[np.int64]) -> list[Context]:
        """The contexts of these feedbacks, equal ones as one object.

        Raises:
            LookupError: Nobody here can read the log.
        """
        if self.contexts is None:
            raise LookupError("contexts are asked for, and there is no log to read them from")
        different, places = np.unique(seqs, return_inverse=True)
        found = list(self.contexts(different.tolist()))
        return [found[place] for place in places.tolist()]

    def learned(self, use: Use) -> float:
        """Effectiveness of a memory after one more use."""
        constants = self.constants
        effectiveness = float(self.value(np.array([use.root]), use.recorded_at)[0])
        if use.causal:
            weight = constants.learning_rate * use.weight
            return effectiveness * (1.0 - weight) + use.outcome * weight
        if effectiveness > 0.5:
            effectiveness += (0.5 - effectiveness) * constants.erosion_rate
        return effectiveness

    def value(self, roots: NDArray[np.int64], times: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """Effectiveness at `times`, decay included; float64 in [0, 1], shape of `roots`."""
        table = self.table
        effectiveness: NDArray[np.float64] = table["effectiveness"][roots]
        steps = decay_steps(self.constants, table["anchor"][roots], times) - table["settled"][roots]
        falling = ((effectiveness > 0.5) & (steps > 0)).nonzero()[0]
        if falling.size:
            left = left_after(self.constants, table["spread"][roots[falling]], steps[falling])
            effectiveness[falling] = 0.5 + (effectiveness[falling] - 0.5) * left
        return effectiveness

    def standing(self, roots: NDArray[np.int64], time: int) -> Standing:
        """How memories stand at a time."""
        if compiled.standing is not None:
            return self._standing(compiled.standing, roots, time)
        value = self.value(roots, time)
        days = np.maximum(0, (time - self.table["anchor"][roots]) // DAY)
        return Standing(value, self.adjusted(roots, value), days, self.velocity(roots, time))

    def _standing(self, work: ModuleType, roots: NDArray[np.int64], time: int) -> Standing:
        """`standing`, one memory after the other."""
        table, (low, high) = self.table, self._window_until(time)
        columns, counts = tuple(table[name] for name in READ), self._counts(low, high)
        roots = np.ascontiguousarray(roots, np.int64)
        *found, days, velocity, again = work.standing(columns, roots, counts, time, low, self._rules)
        value, adjusted = (np.frombuffer(floats, np.float64) for floats in found)
        velocities = np.frombuffer(velocity, np.int64)
        if again:
            velocities = self._begun_anew(roots, velocities.copy(), low, high)
        return Standing(value, adjusted, np.frombuffer(days, np.int64), velocities)

    def adjusted(self, roots: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """`values` of `value`, lowered by how seldom the uses were causes; float64, shape of `roots`."""
        uses, hits = self.table["uses"][roots], self.table["hits"][roots]
        return adjusted(self.constants, values, uses, hits)

    def velocity(self, roots: NDArray[np.int64], time: int) -> NDArray[np.int64]:
        """Causal feedbacks in the window that ends at `time`."""
        low, high = self._window_until(time)
        # Beyond the counts nobody was a cause lately; the last place is kept for them.
        result = self._counts(low, high).take(roots, mode="clip").astype(np.int64)
        return self._begun_anew(roots, result, low, high)

    def _window_until(self, time: int) -> tuple[int, int]:
        """The velocity rows of the window that ends at `time`."""
        times = self.velocity_times.values
        low, high = times.searchsorted((time - self._window, time), "right").tolist()
        return low, high

    def _counts(self, low: int, high: int) -> NDArray[np.int32]:
        """How many of these velocity rows each memory has, up to the last that has any; then 0."""
        if self._counted is None or self._counted[:2] != (low, high):
            counts = np.append(np.bincount(self.velocity_roots.values[low:high]), 0).astype(np.int32)
            self._counted = (low, high, counts)
        return self._counted[2]

    def _begun_anew(
        self, roots: NDArray[np.int64], counts: NDArray[np.int64], low: int, high: int
    ) -> NDArray[np.int64]:
        """The counts, without what lies before the beginning of a memory that began anew in the window."""
        begun = self.table["velocity_from"][roots]
        for index in ((begun > low) & (counts > 0)).nonzero()[0]:
            rows = self.velocity_roots.values[int(begun[index]) : high]
            counts[index] = int((rows == roots[index]).sum())
        return counts
