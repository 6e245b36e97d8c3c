"""From ranked texts to the answer: the best of the direct hits and the hops, each with every factor of its score."""

from __future__ import annotations

import math
from typing import Any

from .expansion import relation_name
from .question import Hit
from .scoring import Ordinals, Records
from .view import View


def hits(view: View, found: Records, lists: dict[str, Ordinals]) -> tuple[Hit, ...]:
    """Records of `SIGNALS` as an answer has them, in their order."""
    ranks = {name: {lead: rank for rank, lead in enumerate(leads.tolist(), 1)} for name, leads in lists.items()}
    return tuple([_hit(view, record, ranks) for record in found.tolist()])


def _hit(view: View, record: tuple[Any, ...], ranks: dict[str, dict[int, int]]) -> Hit:
    root, lead, score, rrf, cosine, bm25, effectiveness, adjusted, days, recency, *rest = record
    velocity, activity, salience, ties, hop, parent, relation, edge, capped = rest
    cosine = None if math.isnan(cosine) else cosine
    parent, relation, edge = (parent, relation_name(view, relation), edge) if hop else (None, None, None)
    own = {} if hop else {name: places[lead] for name, places in ranks.items() if lead in places}
    return Hit(
        *(root, lead, score, rrf, cosine, bm25, effectiveness, adjusted, days, recency),
        *(velocity, activity, salience, ties, hop, parent, relation, edge, capped, own),
    )
