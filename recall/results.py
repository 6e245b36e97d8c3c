"""From ranked texts to the answer: the best of the direct hits and the hops, each with every factor of its score."""

from __future__ import annotations

import math
from collections.abc import Callable
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
    direct_hits = (_hit(shown, place, lists) for place in range(len(shown.scores)))
    return tuple(
        _by_way(view, hops, place) if hop and hops is not None else next(direct_hits) for _, hop, _, place in order
    )


def _keys(ranked: Ranked, limit: int) -> list[tuple[int, float, int]]:
    """Place, score and root of the best."""
    best = ranked.best(limit)
    return list(zip(best.tolist(), ranked.scores[best].tolist(), ranked.signals.roots[best].tolist(), strict=True))


def _by_way(view: View, hops: Ranked, place: int) -> Hit:
    """A hop with how it came."""
    hit, reached, capped = _hit(hops, place, {}), hops.reached, hops.capped
    if reached is None or capped is None:
        return hit
    return msgspec.structs.replace(
        hit,
        hop=int(reached.hop[place]),
        parent=int(reached.parent[place]),
        relation=relation_name(view, int(reached.relation[place])),
        edge=float(reached.weight[place]),
        capped=bool(capped[place]),
    )


def _hit(ranked: Ranked, place: int, lists: dict[str, Ordinals]) -> Hit:
    found = ranked.signals
    lead, cosine, adjusted = int(found.leads[place]), float(found.cosine[place]), float(found.adjusted[place])
    return Hit(
        root=int(found.roots[place]),
        lead=lead,
        score=float(ranked.scores[place]),
        rrf=float(ranked.rrf[place]),
        ranks=_ranks(lead, lists),
        cosine=None if math.isnan(cosine) else cosine,
        bm25=float(found.bm25[place]),
        effectiveness=float(found.effectiveness[place]),
        adjusted=adjusted,
        use=0.5 + 0.5 * adjusted,
        recency_days=int(found.days[place]),
        recency=float(found.recency[place]),
        velocity=int(found.velocity[place]),
        activity=float(found.activity[place]),
        salience=float(found.salience[place]),
        ties=float(found.ties[place]),
    )


def _ranks(lead: int, lists: dict[str, Ordinals]) -> dict[str, int]:
    """The place, from 1, in each list that holds the text."""
    places = {name: (ordinals == lead).nonzero()[0] for name, ordinals in lists.items()}
    return {name: int(place[0]) + 1 for name, place in places.items() if len(place)}
