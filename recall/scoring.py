"""From ranks to scores.

score = rrf * (.5 + .5 adjusted) * recency * (1 + min(cap, per_use * velocity)),
with rrf = sum of weight / (K + rank) over the lists that hold the text (Cormack
et al., Reciprocal Rank Fusion, 2009) and a missing list contributing nothing.
Being recalled appears nowhere in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from .candidates import Cosines
from .question import Question
from .view import View
from .visibility import Mask

Floats = NDArray[np.float64]
Ordinals = NDArray[np.int64]


class Signals(NamedTuple):
    """What is known of each text in `leads`; arrays of one length.

    `cosine` is NaN without a vector (of the text or of the query).
    """

    leads: Ordinals
    roots: Ordinals
    cosine: NDArray[np.float32]
    bm25: Floats
    effectiveness: Floats
    adjusted: Floats
    days: Ordinals
    recency: Floats
    velocity: Ordinals
    activity: Floats
    salience: Floats

    @property
    def use(self) -> Floats:
        """The factor that effectiveness puts on a score, in [.5, 1]."""
        return 0.5 + 0.5 * self.adjusted

    def factor(self, constants: Constants) -> Floats:
        """Everything a fused rank is multiplied with."""
        factor = self.use * self.recency * self.activity
        if constants.salience_weight:
            factor = factor * (1.0 + constants.salience_weight * self.salience)
        return factor


def signals(view: View, question: Question, leads: Ordinals, population: Mask | None, cosines: Cosines) -> Signals:
    """The signals of some lead texts at the view's point."""
    beliefs, clock = view.beliefs, view.point.clock
    learned, constants = beliefs.effectiveness, beliefs.constants
    roots = beliefs.memories.table["root"][leads].astype(np.int64)
    value = learned.value(roots, clock)
    days = learned.recency_days(roots, clock)
    velocity = learned.velocity(roots, clock)
    return Signals(
        leads=leads,
        roots=roots,
        cosine=cosines.of(leads),
        bm25=view.text.scores(question.text, leads, texts=view.texts, population=population),
        effectiveness=value,
        adjusted=learned.adjusted(roots, value),
        days=days,
        recency=np.maximum(constants.recency_floor, 1.0 - constants.recency_per_day * days),
        velocity=velocity,
        activity=1.0 + np.minimum(constants.velocity_cap, constants.velocity_per_use * velocity),
        salience=beliefs.memories.table["salience"][roots],
    )


def fuse(lists: dict[str, Ordinals], constants: Constants) -> tuple[Ordinals, Floats]:
    """The texts of all lists, ascending, and their fused ranks."""
    weights = {"vector": constants.vector_weight, "keyword": constants.keyword_weight, "entity": constants.entity_weight}
    texts: Ordinals = np.unique(np.concatenate([np.empty(0, np.int64), *lists.values()]))
    rrf = np.zeros(len(texts))
    for name in sorted(lists):
        ranks = np.arange(1, len(lists[name]) + 1)
        rrf[np.searchsorted(texts, lists[name])] += weights[name] / (constants.rrf_k + ranks)
    return texts, rrf
