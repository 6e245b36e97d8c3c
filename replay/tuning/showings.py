"""What a log holds that constants can be judged by.

A *showing* is one memory in a recorded recall that a feedback judged: of what
it returned, some memories were causes of a good outcome and some were not. The
showings of one feedback are a *group*. Everything here is what was observed, or
follows from memberships and causes, which no tuned constant changes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ...constants import DAY, Constants
from ...projections.columns import Names
from ...projections.effectiveness.exposures import BEGUN
from ...projections.effectiveness.learning import Effectiveness
from ...projections.effectiveness.refold import Refold, Refolder
from ...projections.effectiveness.steps import adjusted, decay_steps, left_after

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Showings(NamedTuple):
    """Arrays of one length, by group.

    `step` is the memory's first step after the recall: what is known before it is what the recall saw. `time` is the
    recall's clock (UTC ns). `rrf` is the score as shown without the factors of what was learned. `root` breaks ties,
    the higher first. `relevant`: a cause of the good outcome.
    """

    group: Numbers
    step: Numbers
    time: Numbers
    rrf: Floats
    root: Numbers
    relevant: Flags

    def at(self, places: Numbers) -> Showings:
        """Some of them."""
        return Showings._make(column[places] for column in self)


class Evidence(NamedTuple):
    """All that can be judged: what folds again, what was shown, and of each group the event of its feedback."""

    refolder: Refolder
    showings: Showings
    feedback: Numbers


class PlainTexts(NamedTuple):
    """What a fold again reads of texts, without their store."""

    table: Mapping[str, NDArray[Any]]
    labels: Names


class PlainFold(NamedTuple):
    """A fold without its store."""

    texts: PlainTexts


def portable(evidence: Evidence) -> Evidence:
    """The same, so that it can be sent to another process.

    Contexts of feedback stay behind: they are asked for only where constants make other causes.
    """
    refolder, texts = copy.copy(evidence.refolder), evidence.refolder.learned.texts
    names = ("origin", "prior", "prior_uses", "prior_hits", "recorded_at")
    plain = PlainFold(PlainTexts({name: np.array(texts.table[name]) for name in names}, texts.labels))
    refolder.learned = cast("Effectiveness", plain)
    return evidence._replace(refolder=refolder)


def factors(evidence: Evidence, refold: Refold) -> Floats:
    """What the fused rank of each showing is multiplied with: effectiveness, recency and activity."""
    constants, before, shown = refold.constants, refold.found.before, evidence.showings
    state = {
        name: before[name][shown.step] for name in ("effectiveness", "settled", "anchor", "uses", "hits", "spread")
    }
    value = state["effectiveness"]
    steps = decay_steps(constants, state["anchor"], shown.time) - state["settled"]
    left = left_after(constants, state["spread"], np.maximum(0, steps))
    value = np.where(value > 0.5, 0.5 + (value - 0.5) * left, value)
    use = 0.5 + 0.5 * adjusted(constants, value, state["uses"], state["hits"])
    days = np.maximum(0, (shown.time - state["anchor"]) // DAY)
    recency = np.maximum(constants.recency_floor, 1.0 - constants.recency_per_day * days)
    activity = 1.0 + np.minimum(constants.velocity_cap, constants.velocity_per_use * _velocity(evidence, refold))
    found: Floats = use * recency * activity
    return found


def _velocity(evidence: Evidence, refold: Refold) -> Numbers:
    """Causes of each showing's memory within the window before it."""
    steps, observed, shown = evidence.refolder.steps, evidence.refolder.observed, evidence.showings
    times = np.maximum.accumulate(np.where(observed["said"] == BEGUN, 0, observed["recorded_at"]))
    window = round(refold.constants.velocity_window_days * DAY)
    low = np.searchsorted(times, shown.time - window, "right")
    memory = steps.of.astype(np.int64) << 32
    first = np.searchsorted(memory | steps.rows, memory[shown.step] | low)
    first = np.maximum(first, steps.opening[steps.life[shown.step]])
    causes = np.append(0, np.cumsum(refold.found.causal))
    found: Numbers = np.maximum(0, causes[shown.step] - causes[np.minimum(first, shown.step)])
    return found


def factors_under(evidence: Evidence, constants: Constants) -> Floats:
    """`factors` of all showings under these constants."""
    return factors(evidence, evidence.refolder.fold(constants))
