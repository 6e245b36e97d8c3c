"""From ranks to scores.

score = rrf * (.5 + .5 adjusted) * recency * (1 + min(cap, per_use * velocity)),
with rrf = sum of weight / (K + rank) over the lists that hold the text (Cormack
et al., Reciprocal Rank Fusion, 2009) and a missing list contributing nothing.
Being recalled appears nowhere in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from .candidates import Cosines
from .question import Question
from .view import View
from .visibility import Mask

Floats = NDArray[np.float64]
Ordinals = NDArray[np.int64]
Records = NDArray[Any]
"""An array of records, in the types that are named beside it. NumPy takes some of them faster than it indexes them."""

SIGNALS = np.dtype(
    [
        ("root", "i8"),
        ("lead", "i8"),
        ("score", "f8"),
        ("rrf", "f8"),
        ("cosine", "f4"),
        ("bm25", "f8"),
        ("effectiveness", "f8"),
        ("adjusted", "f8"),
        ("days", "i8"),
        ("recency", "f8"),
        ("velocity", "i8"),
        ("activity", "f8"),
        ("salience", "f8"),
        ("ties", "f8"),
        ("hop", "i8"),
        ("parent", "i8"),
        ("relation", "i8"),
        ("edge", "f8"),
        ("capped", "?"),
    ],
    align=True,  # else NumPy copies what it reads
)
"""What is known of a text that may be answered with.

`cosine` is NaN without a vector (of the text or of the query). `ties` is 0 while the relation weight is. The last five
say how a hop came, 0 for a direct hit: see `expansion.WAYS`.
"""


def learned(view: View, leads: Ordinals, rrf: Floats) -> Records:
    """What the beliefs say of some lead texts at the view's point, as `SIGNALS`: all but cosine, BM25 and score."""
    constants, memories = view.beliefs.constants, view.beliefs.memories.table
    found = np.zeros(len(leads), SIGNALS)
    roots: Ordinals = memories["root"][leads].astype(np.int64)
    standing = view.beliefs.effectiveness.standing(roots, view.point.clock)
    found["root"], found["lead"], found["rrf"], found["cosine"] = roots, leads, rrf, np.nan
    found["effectiveness"], found["adjusted"] = standing.value, standing.adjusted
    found["days"], found["velocity"] = standing.days, standing.velocity
    found["recency"] = np.maximum(constants.recency_floor, 1.0 - constants.recency_per_day * standing.days)
    found["activity"] = 1.0 + np.minimum(constants.velocity_cap, constants.velocity_per_use * standing.velocity)
    found["salience"] = memories["salience"][roots]
    return found


def score(found: Records, constants: Constants) -> None:
    """Multiply the fused ranks of `SIGNALS` with everything else, use first."""
    factor = (0.5 + 0.5 * found["adjusted"]) * found["recency"] * found["activity"]
    if constants.salience_weight:
        factor = factor * (1.0 + constants.salience_weight * found["salience"])
    if constants.relation_weight:
        factor = factor * (1.0 + constants.relation_weight * found["ties"])
    found["score"] = found["rrf"] * factor


def best(found: Records, limit: int) -> Records:
    """The best of `SIGNALS`, best first; of equals a direct one, then the newer root."""
    if len(found) > 2 * limit:
        # Most come after the last that is wanted, and are not worth an order.
        scores = found["score"]
        found = found.take((scores >= np.partition(scores, -limit)[-limit]).nonzero()[0])
    return found.take(np.lexsort((-found["root"], found["hop"] > 0, -found["score"]))[:limit])


def measure(view: View, question: Question, found: Records, population: Mask | None, cosines: Cosines) -> None:
    """Fill in cosine and BM25, which no score needs: they hold hops back, and are shown."""
    leads = np.ascontiguousarray(found["lead"])
    found["bm25"] = view.text.scores(question.text, leads, texts=view.texts, population=population)
    found["cosine"] = cosines.of(leads)


def fuse(lists: dict[str, Ordinals], constants: Constants) -> tuple[Ordinals, Floats]:
    """The texts of all lists, ascending, and their fused ranks."""
    weights = {
        "vector": constants.vector_weight,
        "keyword": constants.keyword_weight,
        "entity": constants.entity_weight,
    }
    texts: Ordinals = np.concatenate([np.empty(0, np.int64), *lists.values()])
    texts.sort()
    texts = texts[begins(texts)]
    rrf = np.zeros(len(texts))
    for name in sorted(lists):
        ranks = np.arange(1, len(lists[name]) + 1)
        rrf[texts.searchsorted(lists[name])] += weights[name] / (constants.rrf_k + ranks)
    return texts, rrf


def joined(parts: Sequence[Records]) -> Records:
    """Records of one type in a row; NumPy would look at every field of each part."""
    return np.concatenate([part.view(np.uint8) for part in parts]).view(parts[0].dtype)


def begins(values: NDArray[Any]) -> Ordinals:
    """Where sorted values are others than the one before."""
    fresh = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return fresh.nonzero()[0]
