"""How effectiveness is learned, eroded and decays: formulas over one memory.

Every function is pure but `learn`, `erode` and the `_settle` in front of both.
Times are UTC nanoseconds; whole days become nanoseconds before any comparison.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, Constants
from ..arithmetic import ipow, tree_sum
from .memory import Memory

FloatArray = NDArray[np.float64]


def nanoseconds(days: float) -> int:
    """Whole nanoseconds in so many days, the nearest."""
    return round(days * DAY)


def decay_steps(constants: Constants, memory: Memory, t: int) -> int:
    """k(t): whole decay units since the anchor, less those before decay begins."""
    idle = t - memory.anchor - nanoseconds(constants.decay_after_days)
    return max(0, idle // max(1, nanoseconds(constants.decay_unit_days)))


def decay_rate(constants: Constants, memory: Memory) -> float:
    """Share of the distance to .5 lost in one unit; less for what helped in many contexts."""
    generality = min(1.0, memory.spread / constants.spread_cap) if memory.spread >= constants.spread_min else 0.0
    return constants.decay_rate * (1 - constants.decay_discount * generality)


def value(constants: Constants, memory: Memory, t: int) -> float:
    """Effectiveness in [0, 1] at t."""
    steps = decay_steps(constants, memory, t) - memory.k0
    if memory.e <= 0.5 or steps <= 0:
        return memory.e
    return 0.5 + (memory.e - 0.5) * ipow(1 - decay_rate(constants, memory), steps)


def adjusted(constants: Constants, memory: Memory, t: int) -> float:
    """Effectiveness at t, lowered by the share of uses that had no effect."""
    if memory.uses < constants.causal_min_uses:
        return value(constants, memory, t)
    return value(constants, memory, t) * max(constants.causal_floor, memory.hits / memory.uses)


def velocity(constants: Constants, memory: Memory, t: int) -> int:
    """Causal feedbacks within the window that ends at t, its begin excluded."""
    begin = t - nanoseconds(constants.velocity_window_days)
    return sum(begin < recorded_at <= t for recorded_at in memory.velocity)


def recency_days(memory: Memory, t: int) -> int:
    """Whole days since the memory was stored or last had an effect."""
    return max(0, (t - memory.anchor) // DAY)


def causal_weight(constants: Constants, fingerprint: str | None, similarity: float) -> float | None:
    """How much an exposure of this cosine to the context learns, in [0, 1]; None when it was not causal."""
    causal = constants.threshold(fingerprint).causal
    if not similarity >= causal:
        return None
    ramp = 1 - causal if constants.causal_ramp is None else constants.causal_ramp
    return 1.0 if ramp <= 0 else min(1.0, (similarity - causal) / ramp)


def learn(constants: Constants, memory: Memory, recorded_at: int, outcome: float, weight: float) -> None:
    """A causal feedback: the moving average takes the outcome and decay begins anew."""
    _settle(constants, memory, recorded_at)
    rate = constants.learning_rate * weight
    memory.e = memory.e * (1 - rate) + outcome * rate
    memory.uses += 1
    memory.hits += 1
    memory.velocity.append(recorded_at)
    memory.anchor = recorded_at
    memory.k0 = 0


def erode(constants: Constants, memory: Memory, recorded_at: int) -> None:
    """A use without effect: what is above .5 sinks towards it."""
    _settle(constants, memory, recorded_at)
    if memory.e > 0.5:
        memory.e += (0.5 - memory.e) * constants.erosion_rate
    memory.uses += 1


def _settle(constants: Constants, memory: Memory, recorded_at: int) -> None:
    settled = value(constants, memory, recorded_at)
    memory.k0 = decay_steps(constants, memory, recorded_at)
    memory.e = settled


def widen(memory: Memory, fingerprint: str, context: FloatArray) -> None:
    """Take one more context of a causal feedback into centroid and spread (Welford's update, in cosine distance).

    Vectors of two embedders are never compared: the first context of another one begins anew.
    """
    if memory.centroid is None or memory.context_fingerprint != fingerprint:
        memory.context_fingerprint = fingerprint
        memory.centroid, memory.spread, memory.contexts = context, 0.0, 1
        return
    memory.contexts += 1
    n = memory.contexts
    memory.centroid = _unit(memory.centroid * ((n - 1) / n) + context / n)
    if n >= 3:
        distance = max(0.0, 1 - float(tree_sum(context * memory.centroid)))
        memory.spread = memory.spread * ((n - 2) / (n - 1)) + distance / (n - 1)


def _unit(vector: FloatArray) -> FloatArray:
    length = math.sqrt(float(tree_sum(vector * vector)))
    return vector / length if length > 0 else vector
