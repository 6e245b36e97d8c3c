"""What exposures say of their memories: a weight for a cause, -1 for a use without effect, NaN for nothing.

Rules: docs/fold.md, "Effectiveness". All exposures of a memory in one feedback
are one use; it is the first of their rows that carries its weight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants
from ...eventlog.events import FeedbackGiven
from ..columns import Names
from .exposures import BEGUN, UNUSED, USED, Columns

FloatArray = NDArray[np.float64]


def weights(observed: Columns, constants: Constants, labels: Names) -> FloatArray:
    """The weight of every row as a use.

    Args:
        observed: The columns `similarity`, `said`, `again` and `print`, of whole feedbacks; 0 or more rows.
        constants: With the causal thresholds.
        labels: Names of embedders by their codes.
    """
    said = observed["said"]
    weight = _by_similarity(observed["similarity"], observed["print"], constants, labels)
    if said.any():
        weight[said == USED] = 1.0
        weight[said == UNUSED] = -1.0
        weight[said == BEGUN] = np.nan
    return _once(weight, observed["again"])


def _by_similarity(
    similarity: FloatArray, prints: NDArray[np.int32], constants: Constants, labels: Names
) -> FloatArray:
    """Weights of exposures that only a cosine speaks for."""
    causal = _causal(constants, labels)
    if len(causal) > 1:
        causal = causal[prints]
    ramp = 1.0 - causal if constants.causal_ramp is None else np.full(len(causal), constants.causal_ramp)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        weight = np.minimum(1.0, (similarity - causal) / ramp)
    if (ramp <= 0.0).any():
        weight[(ramp <= 0.0) & ~np.isnan(similarity)] = 1.0
    weight[similarity < causal] = -1.0
    return weight


def _causal(constants: Constants, labels: Names) -> FloatArray:
    """The causal threshold by the code of its embedder, that of none last; a single one where all are equal."""
    causal = np.full(len(labels) + 1, constants.threshold(None).causal)
    for fingerprint, row in constants.thresholds.items():
        code = labels.find(fingerprint)
        if code >= 0 and fingerprint:
            causal[code] = row.causal
    return causal if (causal != causal[-1]).any() else causal[-1:]


def _once(weight: FloatArray, again: NDArray[np.int32]) -> FloatArray:
    """One weight a memory and feedback: that of the first cause, else of the first row that says something."""
    later = np.flatnonzero(again)
    if later.size:
        rows = np.concatenate([np.unique(later - again[later]), later])
        firsts, found = rows - again[rows], weight[rows]
        rank = np.where(found >= 0.0, 0, np.where(found < 0.0, 1, 2))
        order = np.lexsort((rows, rank, firsts))
        best = order[np.flatnonzero(np.diff(firsts[order], prepend=-1))]
        weight[later] = np.nan
        weight[firsts[best]] = found[best]
    return weight


def exposed(event: FeedbackGiven, constants: Constants, resolve: Callable[[str], int]) -> dict[int, float | None]:
    """What a feedback says of each memory: a weight in [0, 1] for a cause, -1 for none, None where nothing is known.

    `resolve` gives the root of an id, or -1.
    """
    used = None if event.used is None else {resolve(memory) for memory in event.used}
    causal = constants.threshold(event.fingerprint).causal
    ramp = 1.0 - causal if constants.causal_ramp is None else constants.causal_ramp
    result: dict[int, float | None] = {}
    for exposure in event.exposures:
        root = resolve(exposure.id)
        if root < 0:
            continue
        weight: float | None = None
        if used is not None:
            weight = 1.0 if root in used else -1.0
        elif exposure.similarity is not None:
            weight = -1.0
            if exposure.similarity >= causal:
                weight = 1.0 if ramp <= 0.0 else min(1.0, (exposure.similarity - causal) / ramp)
        before = result.setdefault(root, weight)
        if before is None or (before < 0.0 and weight is not None and weight >= 0.0):
            result[root] = weight
    return result
