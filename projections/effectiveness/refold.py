"""Learning from the same exposures under other constants: no log, no membership, one pass over columns.

Membership is given: the memory that an exposure was of is that of the fold the
exposures come from. So this serves every constant that membership does not
read; a fold under another `duplicate` threshold has exposures of its own.

The order of the uses is worked out once (`Refolder`), for any number of sets of
constants. Spread is that of the fold for memories that have the same causes;
where a causal threshold makes others, it is made anew from the recorded
contexts. They are read from the log, which is the one slow case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, OUTCOMES, Constants
from ...errors import InvalidInput
from .exposures import BEGUN, OBSERVED, SCHEMA, STATE, Array, Columns, Context
from .learning import Effectiveness
from .starts import starts
from .steps import Learned, Mask, State, Steps, Widths, adjusted, learn
from .verdicts import weights
from .widths import NOTHING, widths

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Refolder:
    """Folds the exposures of a fold again.

    Args:
        learned: The fold: at the head, or as of an earlier event (`Effectiveness.as_of`). What it learns later is not
            seen.

    Raises:
        InvalidInput: Its earlier exposures were lost.
    """

    def __init__(self, learned: Effectiveness) -> None:
        if learned.start:
            raise InvalidInput("not all exposures are there", remedy="fold the log first: `helix rebuild`")
        self.learned = learned
        table, exposures = learned.table, learned.exposures
        self.observed: Columns = exposures.columns(OBSERVED)
        self.steps = steps = Steps(self.observed)
        self.texts = len(table)
        self._causal: Mask = exposures.take("weight", steps.rows) >= 0.0
        before = {name: exposures.take(name, steps.rows) for name in NOTHING}
        self._widths = Widths(before, {name: table[name][steps.memories] for name in NOTHING})
        size = len(steps.memories)
        self._base = {name: np.full(size, fill, dtype) for name, (dtype, fill) in STATE.items()}

    def fold(self, constants: Constants) -> Refold:
        """What is learned under these constants: that of a fold of the log with this membership, to the bit."""
        steps, texts = self.steps, self.learned.texts
        weight = weights(self.observed, constants, texts.labels)
        begun = starts(texts, constants, steps.memories)
        found = learn(
            steps, weight[steps.rows], constants, base=self._base | begun._asdict(), starts=begun, widths=self._widen
        )
        return Refold(self, constants, weight, found)

    def _widen(self, causal: Mask) -> Widths:
        """The spread with these causes."""
        steps = self.steps
        others = np.flatnonzero((causal != self._causal) & (steps.context >= 0))
        if not others.size:
            return self._widths
        changed = np.zeros(len(steps.memories), np.bool_)
        changed[steps.of[others]] = True
        at_step = changed[steps.of]
        made, _ = widths(steps, causal & at_step, self._base, lambda _: None, self.contexts)
        return Widths(
            _either(at_step, made.before, self._widths.before), _either(changed, made.after, self._widths.after)
        )

    def are_causes(self, causal: Mask) -> bool:
        """Whether these are the causes of the fold, by step."""
        return np.array_equal(causal, self._causal)

    def contexts(self, rows: IntArray) -> list[Context]:
        """The contexts of these rows."""
        return self.learned.recorded(self.observed["seq"][rows])

    @cached_property
    def uses(self) -> IntArray:
        """The steps that are uses, in the order of the log."""
        places = np.full(len(self.observed["seq"]), -1)
        places[self.steps.rows] = np.where(self.steps.begun, -1, np.arange(len(self.steps)))
        found: IntArray = places[places >= 0]
        return found

    def windows(self, window: int) -> IntArray:
        """For each step, the first row that is at most `window` nanoseconds before it."""
        times = np.maximum.accumulate(np.where(self.observed["said"] == BEGUN, 0, self.observed["recorded_at"]))
        low: IntArray = np.searchsorted(times, times - window, "right")
        return low[self.steps.rows]


class Uses(NamedTuple):
    """Every use in the order of the log, and what was believed of its memory just before; arrays of one length.

    `seq`, `recorded_at` and `root` say which; `weight` is -1 for a use without effect, else in [0, 1]; `outcome` in
    [0, 1] is what was reported. `value` is the effectiveness with decay, `adjusted` and `recency_days` go with it,
    `uses` and `hits` are those before.
    """

    seq: IntArray
    recorded_at: IntArray
    root: NDArray[np.int32]
    weight: FloatArray
    outcome: FloatArray
    value: FloatArray
    adjusted: FloatArray
    recency_days: IntArray
    uses: IntArray
    hits: IntArray


class Refold:
    """What one set of constants makes of the exposures."""

    def __init__(self, refolder: Refolder, constants: Constants, weight: FloatArray, found: Learned) -> None:
        self.constants = constants
        self._of, self._weight, self._found = refolder, weight, found

    @property
    def found(self) -> Learned:
        """What was learned at every step of the refolder."""
        return self._found

    @property
    def same_causes(self) -> bool:
        """Whether every use is a cause here that was one in the fold, and no other."""
        return self._of.are_causes(self._found.causal)

    def uses(self) -> Uses:
        """Every use, with what was believed before it."""
        of, constants = self._of, self.constants
        chosen, before = of.uses, self._found.before
        rows = of.steps.rows[chosen]
        seq, times, root = (of.observed[name][rows] for name in ("seq", "recorded_at", "root"))
        value, uses, hits = self._found.value[chosen], before["uses"][chosen], before["hits"][chosen]
        outcomes = np.array([constants.outcome(label) for label in OUTCOMES])
        return Uses(
            seq=seq,
            recorded_at=times,
            root=root,
            weight=self._weight[rows],
            outcome=outcomes[of.observed["outcome"][rows]],
            value=value,
            adjusted=adjusted(constants, value, uses, hits),
            recency_days=np.maximum(0, (times - before["anchor"][chosen]) // DAY),
            uses=uses,
            hits=hits,
        )

    def velocity(self) -> IntArray:
        """For each of `uses`, the causes of its memory within the window that ends there, itself left out."""
        steps, causal = self._of.steps, self._found.causal
        low = self._of.windows(round(self.constants.velocity_window_days * DAY))
        memory = steps.of.astype(np.int64) << 32
        first = np.maximum(np.searchsorted(memory | steps.rows, memory | low), steps.opening[steps.life])
        before = np.append(0, np.cumsum(causal))
        found: IntArray = np.maximum(0, before[np.arange(len(steps))] - before[first])
        return found[self._of.uses]

    def state(self, seq: int | None = None, texts: int | None = None) -> Effectiveness:
        """What is learned after all exposures, or at event `seq`, when there were so many texts; to be read only.

        Asking here for another `seq` is faster than asking the answer for its past.
        """
        of, steps, found = self._of, self._of.steps, self._found
        count = len(self._weight) if seq is None else int(np.searchsorted(of.observed["seq"], seq, "right"))
        size = of.texts if texts is None else texts
        then = Effectiveness(self.constants, of.learned.texts, of.learned.contexts)
        then.add(slice(0, size))
        done = np.bincount(steps.of[steps.rows < count], minlength=len(steps.memories))
        ended = done == steps.last - steps.first + 1
        at = np.where(ended, steps.last, steps.first + done)
        there = steps.memories < size
        for name in STATE:
            values = np.where(ended, found.after[name], found.before[name][at])
            then.table[name][steps.memories[there]] = values[there]
        rows = _Rows(of, self._weight, found, count)
        then.exposures.adopt(rows)
        then.count_causes(rows, self._weight[:count])
        then.forget_centroids()
        return then


class _Rows(Mapping[str, Array]):
    """The first rows with what was learned of them, as columns that are made when they are asked for."""

    def __init__(self, refolder: Refolder, weight: FloatArray, found: Learned, count: int) -> None:
        self._of, self._weight, self._found, self._count = refolder, weight, found, count

    def __getitem__(self, name: str) -> Array:
        if name in OBSERVED:
            return self._of.observed[name][: self._count]
        if name == "weight":
            return self._weight[: self._count]
        dtype, fill = STATE[name]
        column = np.full(len(self._weight), fill, dtype)
        column[self._of.steps.rows] = self._found.before[name]
        return column[: self._count]

    def __iter__(self) -> Iterator[str]:
        return iter(SCHEMA)

    def __len__(self) -> int:
        return len(SCHEMA)


def _either(mask: Mask, first: State, second: State) -> State:
    return {name: np.where(mask, first[name], second[name]) for name in NOTHING}
