"""The uses of many memories in order, and what each of them does; one use after another only where it must be.

Rules: docs/fold.md, "Effectiveness". The uses of one memory are its *steps*;
that it began anew is one too, and what lies between two beginnings is a *life*.
Uses, hits, anchors, settled steps of decay and the spread before each step are
known from the columns alone; only the moving average (`average.py`) goes step
by step. `Steps` is the order, in which no constant has a part, so that it
serves any number of constants; `learn` is one set of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, OUTCOMES, Constants
from ..arithmetic import ipow_array
from .average import Chunks, Course, Fall
from .exposures import BEGUN, UNSAID, Columns
from .starts import Starts

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Mask = NDArray[np.bool_]
State = dict[str, NDArray[Any]]
"""The columns of `exposures.STATE`."""


TABLED = 256
"""Powers of the decay that are kept, at least."""


class Steps:
    """The steps among some rows: those of one memory together, in order, memories by their number.

    Attributes:
        rows: Of each step, its row among those given.
        memories: The roots that have steps, ascending; `first` and `last` are their first and last step, `of` the place
            among them of each step's own.
        life: Of each step, the life that it ends or changes; `opening` is the first step of each life, `memory` the
            place in `memories` of the one that lives it, and `anew` marks lives that began by a step.
    """

    def __init__(self, observed: Columns) -> None:
        said = observed["said"]
        self.rows, roots = _by_memory(observed["root"], np.flatnonzero(told(observed)))
        size = len(self.rows)
        self.begun: Mask = said[self.rows] == BEGUN
        self.times: IntArray = observed["recorded_at"][self.rows]
        self.outcome = observed["outcome"][self.rows]
        self.context = observed["context"][self.rows]
        fresh = np.diff(roots, prepend=-1) != 0
        self.first = np.flatnonzero(fresh)
        self.memories = roots[self.first]
        count = np.diff(self.first, append=size)
        self.last = self.first + count - 1
        after = np.flatnonzero(self.begun) + 1
        fresh[after[after < size]] = True
        self.opening = np.flatnonzero(fresh)
        self.life = np.repeat(np.arange(len(self.opening)), np.diff(self.opening, append=size))
        self.memory = np.searchsorted(self.first, self.opening, "right") - 1
        self.anew: Mask = self.first[self.memory] != self.opening
        self.of = np.repeat(np.arange(len(self.first)), count)
        self.chunks = Chunks(self.first, count)

    def __len__(self) -> int:
        return len(self.rows)

    def latest(self, marked: Mask) -> IntArray:
        """The last marked step before each step in its life, or -1."""
        latest = np.full(len(self) + 1, -1)
        latest[1:] = np.where(marked, np.arange(len(self)), -1)
        found = np.maximum.accumulate(latest)[:-1]
        found[found < self.opening[self.life]] = -1
        return found


def told(observed: Columns) -> Mask:
    """The rows that are steps: beginnings, and of a memory's rows in one feedback the first, if any says something."""
    said, again = observed["said"], observed["again"]
    telling: Mask = (said != UNSAID) | ~np.isnan(observed["similarity"])
    later = np.flatnonzero(again)
    if later.size:
        telling[later[telling[later]] - again[later[telling[later]]]] = True
        telling[later] = False
    return telling


def _by_memory(roots: NDArray[np.int32], rows: IntArray) -> tuple[IntArray, IntArray]:
    """The rows by memory, then in order, and their memories; numbers are sorted much faster than places."""
    keys = np.sort((roots[rows].astype(np.int64) << 32) | rows)
    return keys & 0xFFFFFFFF, keys >> 32


class Widths(NamedTuple):
    """`spread`, `contexts` and `context_print`: before every step, and of every memory after its last."""

    before: State
    after: State


class Learned(NamedTuple):
    """What one set of constants makes of the steps.

    `before` is the state before every step and `value` what e has decayed to by then; `after` the state of every
    memory after its last.
    """

    before: State
    value: FloatArray
    after: State
    causal: Mask


def learn(
    steps: Steps,
    weight: FloatArray,
    constants: Constants,
    *,
    base: State,
    starts: Starts,
    widths: Callable[[Mask], Widths],
) -> Learned:
    """Learn from the steps.

    Args:
        steps: What happened.
        weight: Of every step, as `verdicts.weights` gives it.
        constants: Under which.
        base: The state of `steps.memories` before the first of their steps.
        starts: Where those memories begin, when they begin anew.
        widths: The spread at every step, given which of them are causes.
    """
    causal: Mask = (weight >= 0.0) & ~steps.begun
    before, reached = _known(steps, causal, constants, base, starts)
    spread = widths(causal)
    before |= spread.before
    falls = np.flatnonzero((reached > before["settled"]) & ~steps.begun)
    steps_down = (reached - before["settled"])[falls]
    fall = Fall(falls, left_after(constants, before["spread"][falls], steps_down))
    course = _course(steps, weight, constants, starts, fall)
    before["effectiveness"], last = steps.chunks.follow(course, base["effectiveness"])
    ends, begun = steps.last, steps.begun[steps.last]
    sets = begun | causal[ends]
    after = {
        "effectiveness": last,
        "settled": np.where(sets, 0, reached[ends]),
        "anchor": np.where(sets, steps.times[ends], before["anchor"][ends]),
        "uses": np.where(begun, starts.uses, before["uses"][ends] + 1),
        "hits": np.where(begun, starts.hits, before["hits"][ends] + causal[ends]),
        **spread.after,
    }
    return Learned(before, fall.of(before["effectiveness"]), after, causal)


def _known(steps: Steps, causal: Mask, constants: Constants, base: State, starts: Starts) -> tuple[State, IntArray]:
    """What stands before every step and does not depend on e or the contexts, and the steps of decay until then."""
    opening = steps.opening[steps.life]
    base_of = {name: _lives(steps, base[name], start) for name, start in _starting(starts).items()}
    latest = steps.latest(causal | steps.begun)
    anchor = np.where(latest < 0, base_of["anchor"][steps.life], steps.times[latest])
    reached = decay_steps(constants, anchor, steps.times)
    settled = np.zeros_like(reached)
    settled[1:] = np.where(causal[:-1], 0, reached[:-1])
    settled[steps.opening] = base_of["settled"]
    hits: IntArray = np.cumsum(causal) - causal
    return {
        "settled": settled,
        "anchor": anchor,
        "uses": base_of["uses"][steps.life] + np.arange(len(steps)) - opening,
        "hits": base_of["hits"][steps.life] + hits - hits[opening],
    }, reached


def _starting(starts: Starts) -> dict[str, NDArray[Any] | int]:
    return {"anchor": starts.anchor, "settled": 0, "uses": starts.uses, "hits": starts.hits}


def _lives(steps: Steps, base: NDArray[Any], start: NDArray[Any] | float) -> NDArray[Any]:
    """What each life begins with."""
    values = base[steps.memory].copy()
    if steps.anew.any():
        values[steps.anew] = start[steps.memory[steps.anew]] if isinstance(start, np.ndarray) else start
    return values


def decay_times(constants: Constants) -> tuple[int, int]:
    """After how many nanoseconds decay begins, and how many make a step of it."""
    return round(constants.decay_after_days * DAY), max(1, round(constants.decay_unit_days * DAY))


def decay_steps(constants: Constants, anchor: IntArray, times: IntArray | int) -> IntArray:
    """k(t): whole units of decay since the anchor, from 0."""
    after, unit = decay_times(constants)
    idle: IntArray = (times - anchor - after) // unit
    return np.maximum(0, idle)


def left_after(constants: Constants, spread: FloatArray, steps: IntArray) -> FloatArray:
    """The share of what is above .5 that so many steps of decay leave."""
    generality = np.where(spread >= constants.spread_min, np.minimum(1.0, spread / constants.spread_cap), 0.0)
    base = 1.0 - constants.decay_rate * (1.0 - constants.decay_discount * generality)
    most = int(steps.max(initial=0))
    if most >= max(len(steps), TABLED):
        return ipow_array(base, steps)
    # Memories without a spread, most of them, decay alike: one table has the powers of their base.
    left = _powers(1.0 - constants.decay_rate, max(TABLED, 1 << most.bit_length()))[steps]
    others = np.flatnonzero(base != 1.0 - constants.decay_rate)
    left[others] = ipow_array(base[others], steps[others])
    return left


@lru_cache(maxsize=8)
def _powers(base: float, count: int) -> FloatArray:
    """The first powers of a number, from 0; not to be written to."""
    powers = ipow_array(np.full(count, base), np.arange(count))
    powers.setflags(write=False)
    return powers


def _course(steps: Steps, weight: FloatArray, constants: Constants, starts: Starts, fall: Fall) -> Course:
    rate = constants.learning_rate * weight
    outcomes = np.array([constants.outcome(label) for label in OUTCOMES])
    kept, gained = 1.0 - rate, outcomes[steps.outcome] * rate
    begun = np.flatnonzero(steps.begun)
    if begun.size:  # e * 0 + start is the start
        kept[begun] = 0.0
        gained[begun] = starts.effectiveness[steps.of[begun]]
    eroding: Mask = ~(weight >= 0.0) & ~steps.begun
    return Course(kept, gained, eroding, constants.erosion_rate, fall)


def adjusted(
    constants: Constants, values: NDArray[np.float64], uses: NDArray[Any], hits: NDArray[Any]
) -> NDArray[np.float64]:
    """Values lowered by how seldom the uses were causes; arrays of one shape."""
    share = np.maximum(constants.causal_floor, hits / np.maximum(uses, 1))
    return np.where(uses < constants.causal_min_uses, values, values * share)
