"""Where each memory begins, before anybody has said how it served."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants
from ..ledger.texts import Texts


class Starts(NamedTuple):
    """One row a text, as if it began a memory: effectiveness in [0, 1], anchor in nanoseconds, uses and hits."""

    effectiveness: NDArray[np.float64]
    anchor: NDArray[np.int64]
    uses: NDArray[np.int32]
    hits: NDArray[np.int32]


def starts(texts: Texts, constants: Constants, rows: slice | NDArray[np.integer] = slice(None)) -> Starts:
    """Where the memories of these texts begin: as their prior says, else where their origin does."""
    table, labels = texts.table, texts.labels.names
    origins = table["origin"][rows]
    initial = np.full(len(origins), constants.initial("normal"))
    for code in set(origins.tolist()) - {-1}:
        initial[origins == code] = constants.initial(labels[code])
    prior = table["prior"][rows]
    return Starts(
        np.where(np.isnan(prior), initial, prior),
        table["recorded_at"][rows].copy(),
        table["prior_uses"][rows].copy(),
        table["prior_hits"][rows].copy(),
    )
