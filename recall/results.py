"""From ranked texts to the answer: the best of the direct hits and the hops, each with every factor of its score."""

from __future__ import annotations

import math
from typing import Any

from .expansion import relation_name
from .question import Hit
from .scoring import Records
from .view import View


def hits(view: View, found: Records) -> tuple[Hit, ...]:
    """Records of `SIGNALS` as an answer has them, in their order."""
    return tuple([_hit(view, record) for record in found.tolist()])


def _hit(view: View, record: tuple[Any, ...]) -> Hit:
    root, lead, score, rrf, cosine, bm25, effectiveness, adjusted, days, recency, *rest = record
    velocity, activity, salience, ties, hop, parent, relation, edge, capped = rest
    cosine = None if math.isnan(cosine) else cosine
    parent, relation, edge = (parent, relation_name(view, relation), edge) if hop else (None, None, None)
    return Hit(
        *(root, lead, score, rrf, cosine, bm25, effectiveness, adjusted, days, recency),
        *(velocity, activity, salience, ties, hop, parent, relation, edge, capped),
    )
