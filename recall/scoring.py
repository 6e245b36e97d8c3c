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

    `cosine` is NaN without a vector (of the text or of the query). `ties` is 0 while the relation weight is.
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
    ties: Floats

    @property
    def use(self) -> Floats:
        """The factor that effectiveness puts on a score, in [.5, 1]."""
        return 0.5 + 0.5 * self.adjusted

    def at(self, places: Ordinals) -> Signals:
        """Those of some of the texts."""
        return Signals._make(column[places] for column in self)

    def factor(self, constants: Constants) -> Floats:
        """Everything a fused rank is multiplied with."""
        factor = self.use * self.recency * self.activity
        if constants.salience_weight:
            factor = factor * (1.0 + constants.salience_weight * self.salience)
        if constants.relation_weight:
            factor = factor * (1.0 + constants.relation_weight * self.ties)
        return factor


def learned(view: View, leads: Ordinals) -> Signals:
    """What the beliefs say of some lead texts at the view's point: all but cosine and BM25, which are NaN and 0."""
    beliefs, constants = view.beliefs, view.beliefs.constants
    roots = beliefs.memories.table["root"][leads].astype(np.int64)
    value, adjusted, days, velocity = beliefs.effectiveness.standing(roots, view.point.clock)
    return Signals(
        leads=leads,
        roots=roots,
        cosine=np.full(len(leads), np.nan, np.float32),
        bm25=np.zeros(len(leads)),
        effectiveness=value,
        adjusted=adjusted,
        days=days,
        recency=np.maximum(constants.recency_floor, 1.0 - constants.recency_per_day * days),
        velocity=velocity,
        activity=1.0 + np.minimum(constants.velocity_cap, constants.velocity_per_use * velocity),
        salience=beliefs.memories.table["salience"][roots],
        ties=np.zeros(len(leads)),
    )


def measured(view: View, question: Question, found: Signals, population: Mask | None, cosines: Cosines) -> Signals:
    """The same with cosine and BM25, which no score needs: they hold hops back, and are shown."""
    bm25 = view.text.scores(question.text, found.leads, texts=view.texts, population=population)
    return found._replace(cosine=cosines.of(found.leads), bm25=bm25)


def fuse(lists: dict[str, Ordinals], constants: Constants) -> tuple[Ordinals, Floats]:
    """The texts of all lists, ascending, and their fused ranks."""
    weights = {
        "vector": constants.vector_weight,
        "keyword": constants.keyword_weight,
        "entity": constants.entity_weight,
    }
    texts: Ordinals = np.concatenate([np.empty(0, np.int64), *lists.values()])
    texts.sort()
    texts = texts[np.diff(texts, prepend=-1).nonzero()[0]]
    rrf = np.zeros(len(texts))
    for name in sorted(lists):
        ranks = np.arange(1, len(lists[name]) + 1)
        rrf[np.searchsorted(texts, lists[name])] += weights[name] / (constants.rrf_k + ranks)
    return texts, rrf
