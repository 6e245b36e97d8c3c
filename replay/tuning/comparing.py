"""Whether one set of constants is better than another: a split by time, and paired bootstrap intervals.

Resamples are drawn over judged feedbacks, the same ones for both sets (Efron and
Tibshirani 1993, percentile interval).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .objectives import Judge, Measured, Objective, goodness
from .showings import Flags, Floats, Numbers

Chance = Callable[[int, int], Numbers]
"""`chance(below, size)`: whole numbers from 0, evenly drawn."""

RESAMPLES = 2_000
LEVEL = 0.95
DRAWS = 500_000
"""Feedbacks drawn at once."""

LEAST = 30
"""Judged feedbacks that each part of the split must have."""

LEAST_OF_A_KIND = 5
"""Good and bad outcomes that each part must have for a calibration error to mean anything."""


class Gain(NamedTuple):
    """How much better, on average, and the interval that holds it with 95 % confidence; above 0 is better."""

    value: float
    interval: tuple[float, float]

    @property
    def proven(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.interval[0] > 0.0

    @property
    def lost(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.interval[1] < 0.0


class Split(NamedTuple):
    """Judged feedbacks learned from and reported on, and the feedback whose event begins the later part, or None."""

    learn: int
    report: int
    first: int | None


def split(judge: Judge, objective: Objective, share: float) -> Split:
    """The earlier `share` of what the objective judges is learned from, the rest reported on."""
    feedbacks = judge.feedbacks(objective)
    learn = int(share * len(feedbacks))
    first = int(feedbacks[learn]) if learn < len(feedbacks) else None
    return Split(learn, len(feedbacks) - learn, first)


def missing(judge: Judge, objective: Objective, parts: Split) -> str | None:
    """What there is too little of to say anything, or None."""
    word = "feedbacks that name a cause" if objective == "calibration" else "judged recalls"
    for part, count in (("earlier", parts.learn), ("later", parts.report)):
        if count < LEAST:
            return f"{count} {word} in the {part} part, {LEAST} are needed"
    if objective == "calibration":
        for part, rows in (("earlier", slice(None, parts.learn)), ("later", slice(parts.learn, None))):
            kinds = np.bincount(judge.good()[rows], minlength=2)
            if kinds.min() < LEAST_OF_A_KIND:
                kind = ("bad", "good")[int(kinds.argmin())]
                return f"{kinds.min()} {kind} outcomes in the {part} part, {LEAST_OF_A_KIND} are needed"
    return None


def part(judge: Judge, objective: Objective, parts: Split, *, later: bool) -> Flags:
    """Which numbers of a measure belong to a part."""
    feedbacks = judge.feedbacks(objective)
    late: Flags = np.zeros(len(feedbacks), np.bool_) if parts.first is None else feedbacks >= parts.first
    return late if later else ~late


def score(judge: Judge, measured: Measured, objective: Objective, parts: Split) -> float:
    """What the search makes large: the mean over the earlier part, so that more is better."""
    values: Floats = getattr(measured, objective)
    return float(goodness(objective, values[part(judge, objective, parts, later=False)]).mean())


def gain(before: Floats, after: Floats, objective: Objective, chance: Chance) -> Gain:
    """How much better `after` is than `before`, number by number."""
    better = goodness(objective, after) - goodness(objective, before)
    size = len(better)
    at_once = max(1, min(RESAMPLES, DRAWS // size))
    means = np.concatenate(
        [
            better[chance(size, size * min(at_once, RESAMPLES - done)).reshape(-1, size)].mean(axis=1)
            for done in range(0, RESAMPLES, at_once)
        ]
    )
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Gain(float(better.mean()), (float(low), float(high)))
