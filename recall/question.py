"""A question and its answer, as recall takes and gives them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from .view import Asker

EMPTY_STORE = "empty_store"
"""The asker may know of no text: there is none, or all are others'. Which of the two it is, nobody is told."""

NOTHING_VISIBLE = "nothing_visible"
"""What the asker may know of is forgotten, superseded, pruned, expired or not valid."""

NOTHING_LEFT = "nothing_left_by_filters"
"""There is something that holds, and the question's own filters leave none of it."""

NOTHING_RELEVANT = "nothing_relevant"
"""Nothing that may be answered with passes the gate of any list."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked.

    `vector` is the query's float16 unit vector, or None. `min_relevance` None is the embedder's own threshold.
    `suppress` are root ordinals. `tags` must all be carried.
    """

    text: str
    vector: NDArray[np.float16] | None = None
    asker: Asker = Asker()
    limit: int = 5
    hops: int = 1
    min_relevance: float | None = None
    min_effectiveness: float = 0.0
    suppress: frozenset[int] = frozenset()
    kind: str | None = None
    tags: tuple[str, ...] = ()
    valid_at: int | None = None
    deep: bool = False
    exact: bool = False


class Hit(msgspec.Struct, frozen=True):
    """One result with every factor of its score.

    score = rrf * use * recency * activity (* salience and relation factors where their weights are set).
    The fields are in the order of `scoring.SIGNALS`. `parent`, `relation` and `edge` say how a hop came, None for a
    direct hit. `capped` is True where a hop was held below a better direct hit. `ties` is the largest weight of an edge
    to a direct hit, 0 while the relation weight is.
    """

    root: int
    lead: int
    score: float
    rrf: float
    cosine: float | None
    bm25: float
    effectiveness: float
    adjusted: float
    recency_days: int
    recency: float
    velocity: int
    activity: float
    salience: float
    ties: float
    hop: int
    parent: int | None
    relation: str | None
    edge: float | None
    capped: bool

    @property
    def use(self) -> float:
        """The factor of effectiveness, .5 to 1."""
        return 0.5 + 0.5 * self.adjusted


class Answer(msgspec.Struct, frozen=True, eq=False):
    """Hits, best first; where there are none, why (one of the four reasons above); a sentence if the graph failed.

    `lists` are those that were fused, by name: lead texts, best first.
    """

    hits: tuple[Hit, ...]
    empty_reason: str | None = None
    degraded: str | None = None
    lists: dict[str, NDArray[np.int64]] = {}

    def ranks(self, hit: Hit) -> dict[str, int]:
        """The place (from 1) of a direct hit in each list that holds it; none for a hop."""
        lists = {} if hit.hop else self.lists
        return {name: int(place) + 1 for name, leads in lists.items() for place in np.flatnonzero(leads == hit.lead)}
