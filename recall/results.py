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
    ranks = {name: {lead: rank for rank, lead in enumerate(ordinals.tolist(), 1)} for name, ordinals in lists.items()}
    return tuple(_hit(view, record, ranks) for record in found.tolist())


def _hit(view: View, record: tuple[Any, ...], ranks: dict[str, dict[int, int]]) -> Hit:
    root, lead, score, rrf, cosine, bm25, effectiveness, adjusted, days, recency, *rest = record
    velocity, activity, salience, ties, hop, parent, relation, edge, capped = rest
    return Hit(
        root=root,
        lead=lead,
        score=score,
        rrf=rrf,
        ranks={} if hop else {name: places[lead] for name, places in ranks.items() if lead in places},
        cosine=None if math.isnan(cosine) else cosine,
        bm25=bm25,
        effectiveness=effectiveness,
        adjusted=adjusted,
        use=0.5 + 0.5 * adjusted,
        recency_days=days,
        recency=recency,
        velocity=velocity,
        activity=activity,
        salience=salience,
        ties=ties,
        hop=hop,
        parent=parent if hop else None,
        relation=relation_name(view, relation) if hop else None,
        edge=edge if hop else None,
        capped=capped,
    )
