"""How well constants would have done: NDCG@k, MRR and a calibration error, one number for each judged feedback.

A group of showings is one query. Relevance is binary: a cause of a good outcome
or not. NDCG after Jarvelin and Kekalainen (2002) with gain 1 and discount
log2(rank + 1); MRR is one over the rank of the first relevant. Ties are broken
as recall breaks them, newer first. The calibration error of a feedback is the mean
squared distance of the effectiveness of its causes, just before it, to its
outcome (Brier 1950).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from ...constants import Constants
from .showings import Evidence, Floats, Numbers, factors

Objective = Literal["ndcg", "mrr", "calibration"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
SMALLER_IS_BETTER = frozenset({"calibration"})
GOOD = 0.5
"""Outcomes above this are good: it is where a memory begins."""

TIE_DIGITS = 14
"""Decimals of a score from which on two are equal: a score is divided and multiplied again."""


class Measured(NamedTuple):
    """`ndcg` and `mrr` of each group, `calibration` of each feedback that named a cause; all in [0, 1]."""

    ndcg: Floats
    mrr: Floats
    calibration: Floats


class Judge:
    """Measures constants by what a log holds.

    Args:
        evidence: What it holds.
        held: The constants in force, whose outcomes are what effectiveness should foretell.
        k: Ranks that NDCG looks at.
    """

    def __init__(self, evidence: Evidence, held: Constants, k: int) -> None:
        self.evidence, self.k = evidence, k
        shown = evidence.showings
        self.groups = len(evidence.feedback)
        self._starts = np.searchsorted(shown.group, np.arange(self.groups))
        discounts = 1.0 / np.log2(np.arange(2, k + 2))
        relevant = np.bincount(shown.group, weights=shown.relevant, minlength=self.groups).astype(np.int64)
        self._ideal = np.concatenate([[0.0], np.cumsum(discounts)])[np.minimum(relevant, k)]
        uses = evidence.refolder.fold(held).uses()
        self._causes = np.flatnonzero(uses.weight >= 0.0)
        self._target = uses.outcome[self._causes]
        self.judged, self._first, self._feedback = np.unique(
            uses.seq[self._causes], return_index=True, return_inverse=True
        )

    def feedbacks(self, objective: Objective) -> Numbers:
        """The event of the feedback behind each number of a measure, ascending."""
        return self.judged if objective == "calibration" else self.evidence.feedback

    def good(self) -> Numbers:
        """Whether each feedback with causes went well, as 0 or 1."""
        return (self._target[self._first] > GOOD).astype(np.int64)

    def measure(self, constants: Constants) -> Measured:
        """Every objective, for every judged feedback."""
        refold = self.evidence.refolder.fold(constants)
        shown = self.evidence.showings
        scores = np.round(shown.rrf * factors(self.evidence, refold), TIE_DIGITS)
        order = np.lexsort((-shown.root, -scores, shown.group))
        rank = np.arange(len(order)) - self._starts[shown.group[order]] + 1
        hit = shown.relevant[order]
        group, rank = shown.group[order][hit], rank[hit]
        counted = rank <= self.k
        gained = np.bincount(group[counted], weights=1.0 / np.log2(rank[counted] + 1.0), minlength=self.groups)
        best = np.full(self.groups, np.inf)
        np.minimum.at(best, group, rank)
        error = (refold.uses().value[self._causes] - self._target) ** 2
        size = len(self.judged)
        causes = np.bincount(self._feedback, minlength=size)
        return Measured(
            ndcg=gained / self._ideal,
            mrr=1.0 / best,
            calibration=np.bincount(self._feedback, weights=error, minlength=size) / causes,
        )


def goodness(objective: Objective, values: Floats) -> Floats:
    """The values of a measure so that more is better."""
    return -values if objective in SMALLER_IS_BETTER else values
