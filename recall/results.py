"""From ranked texts to the answer: the best of the direct hits and the hops, each with every factor of its score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import msgspec
import numpy as np

from ..constants import Constants
from .expansion import Reached, relation_name
from .question import Hit
from .scoring import Floats, Ordinals, Signals
from .view import View
from .visibility import Mask


class Ranked(NamedTuple):
    """Texts with their scores; of hops also how they were reached, and which were held below a direct hit."""

    signals: Signals
    scores: Floats
    rrf: Floats
    reached: Reached | None = None
    capped: Mask | None = None

    @classmethod
    def of(cls, found: Signals, rrf: Floats, constants: Constants) -> Self:
        """Direct hits."""
        return cls(found, rrf * found.factor(constants), rrf)

    def at(self, places: Ordinals) -> Ranked:
        """Some of the direct hits."""
        return Ranked(self.signals.at(places), self.scores[places], self.rrf[places])

    def best(self, limit: int) -> Ordinals:
        """Places of the best, best first; of equals the newer root."""
        return np.lexsort((-self.signals.roots, -self.scores))[:limit]


def best_first(
    view: View,
    limit: int,
    ranked: tuple[Ranked, Ranked | None],
    lists: dict[str, Ordinals],
    measured: Callable[[Signals], Signals],
) -> tuple[Hit, ...]:
    """The answer of direct hits and hops: by score, of equals a direct one first, then the newer root.

    `measured` gives the direct ones that are shown their cosine and BM25.
    """
    direct, hops = ranked
    order = [(-score, False, -root, place) for place, score, root in _keys(direct, limit)]
    if hops is not None:
        order += [(-score, True, -root, place) for place, score, root in _keys(hops, limit)]
        order = sorted(order)[:limit]
    shown = direct.at(np.array([place for _, hop, _, place in order if not hop], np.int64))
    shown = shown._replace(signals=measured(shown.signals))
    direct_hits = iter(_hits(shown, lists))
    by_way = dict(zip((place for _, hop, _, place in order if hop), _by_ways(view, hops, order), strict=True))
    return tuple(by_way[place] if hop else next(direct_hits) for _, hop, _, place in order)


def _keys(ranked: Ranked, limit: int) -> list[tuple[int, float, int]]:
    """Place, score and root of the best."""
    best = ranked.best(limit)
    return list(zip(best.tolist(), ranked.scores[best].tolist(), ranked.signals.roots[best].tolist(), strict=True))


def _by_ways(view: View, hops: Ranked | None, order: Sequence[tuple[float, bool, int, int]]) -> list[Hit]:
    """The hops of an order, with how they came."""
    places = np.array([place for _, hop, _, place in order if hop], np.int64)
    if hops is None or hops.reached is None or hops.capped is None or not len(places):
        return []
    reached = hops.reached.at(places)
    ways = zip(*(column.tolist() for column in (*reached, hops.capped[places])), strict=True)
    return [
        msgspec.structs.replace(
            hit, hop=hop, parent=parent, relation=relation_name(view, relation), edge=edge, capped=capped
        )
        for hit, (_, _, hop, parent, relation, edge, capped) in zip(_hits(hops.at(places), {}), ways, strict=True)
    ]


def _hits(ranked: Ranked, lists: dict[str, Ordinals]) -> list[Hit]:
    """Texts with every factor, in their order."""
    ranks = {name: {lead: rank for rank, lead in enumerate(ordinals.tolist(), 1)} for name, ordinals in lists.items()}
    columns = (*ranked.signals, ranked.scores, ranked.rrf)
    return [
        Hit(
            root=root,
            lead=lead,
            score=score,
            rrf=rrf,
            ranks={name: places[lead] for name, places in ranks.items() if lead in places},
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
        )
        for (
            *(lead, root, cosine, bm25, effectiveness, adjusted, days, recency, velocity, activity, salience, ties),
            score,
            rrf,
        ) in zip(*(column.tolist() for column in columns), strict=True)
    ]
