"""Random logs that are mostly feedback, their folds, and all that can be read of what was learned."""

from __future__ import annotations

from random import Random

import numpy as np
from helixlog.constants import DAY
from helixlog.projections.beliefs import Beliefs
from production import Production
from strategies import random_log

BUSY = {"feedback": 45, "campaign": 6, "different": 8, "same": 6, "restore": 6, "adopt_embedder": 3}
"""What happens often in these logs; and no constants are adopted, since a fold is under those it is given."""

LATER = (0, 3 * DAY, 50 * DAY)


def busy_log(rng: Random, size: int):
    return random_log(rng, size, **BUSY, adopt_constants=0)


def learned(beliefs: Beliefs, clock: int) -> dict[str, object]:
    """What was learned of every memory, to the bit: the state, what is read of it, centroids and velocity events."""
    found, table = beliefs.effectiveness, beliefs.effectiveness.table
    roots = np.unique(beliefs.memories.table["root"])
    told: dict[str, object] = {"roots": roots.tolist()}
    for name in ("effectiveness", "settled", "anchor", "uses", "hits", "spread", "contexts"):
        column = table[name][roots]
        told[name] = column.view(np.int64).tolist() if column.dtype.kind == "f" else column.tolist()
    names = found.texts.labels.names
    told["print"] = [None if code < 0 else names[code] for code in table["context_print"][roots].tolist()]
    numbers = table["centroid"][roots].tolist()
    told["centroids"] = [None if number < 0 else found.centroids[number].tolist() for number in numbers]
    for later in LATER:
        value, adjusted, days, velocity = found.standing(roots, clock + later)
        told[f"value {later}"] = value.view(np.int64).tolist()
        told[f"adjusted {later}"] = adjusted.view(np.int64).tolist()
        told[f"velocity {later}"] = velocity.tolist()
        told[f"recency {later}"] = days.tolist()
    return told


def fold(log, constants, **options) -> Beliefs:
    return Production(log, constants, **options).beliefs


def growing(log, constants):
    """The fold of nothing, and a function that applies the next event of the log to it."""
    production = Production(log, constants)
    production.beliefs = beliefs = Beliefs(constants, production, contexts=production.contexts)
    return beliefs, lambda recorded: beliefs.apply([recorded])
