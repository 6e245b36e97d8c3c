"""A question and its answer, as recall takes and gives them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from .view import Asker


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


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One result with every factor of its score.

    score = rrf * use * recency * activity (* salience and relation factors where their weights are set).
    `ranks` has the place (from 1) in each list that holds it. `parent`, `relation` and `edge` say how a hop came.
    `capped` is True where a hop was held below a better direct hit.
    """

    root: int
    lead: int
    score: float
    rrf: float
    ranks: dict[str, int]
    cosine: float | None
    bm25: float
    effectiveness: float
    adjusted: float
    use: float
    recency_days: int
    recency: float
    velocity: int
    activity: float
    salience: float
    hop: int = 0
    parent: int | None = None
    relation: str | None = None
    edge: float | None = None
    capped: bool = False


class Answer(msgspec.Struct, frozen=True):
    """Hits, best first; where there are none, why; and whether the graph had to be left out."""

    hits: tuple[Hit, ...]
    empty_reason: str | None = None
    degraded: str | None = None
