"""A question as callers put it, checked; `recall` and `explain` ask the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..recall.question import Question
from ..recall.view import Asker, View
from . import checks
from .seeing import visible_root
from .times import When, parse_time

if TYPE_CHECKING:
    from .opened import OpenStore


def question_at(
    self: OpenStore,
    view: View,
    query: str,
    *,
    vector: NDArray[np.float16] | None,
    limit: int,
    hops: int,
    min_relevance: float | None,
    min_effectiveness: float,
    suppress: Sequence[str],
    kind: str | None,
    tags: Sequence[str],
    user: str | None,
    project: str | None,
    session: str | None,
    agent: str | None,
    container: str | None,
    valid_at: When | None,
    deep: bool,
    exact: bool = False,
) -> Question:
    """The question that these options make at a view; what each means is said by `recall`.

    Raises:
        InvalidInput: An option is malformed.
        NotFound: A suppressed id is unknown to the asker.
    """
    asker = Asker(
        user=checks.check_optional(user, what="user"),
        project=checks.check_optional(project, what="project"),
        session=checks.check_optional(session, what="session"),
        agent=checks.check_optional(agent, what="agent"),
        container=checks.check_optional(container, what="container"),
    )
    return Question(
        text=query,
        vector=vector,
        asker=asker,
        limit=checks.check_count(limit, what="limit"),
        hops=checks.check_count(hops, what="number of hops", least=0, most=5),
        min_relevance=None if min_relevance is None else checks.check_cosine(min_relevance, what="minimal relevance"),
        min_effectiveness=checks.check_share(min_effectiveness, what="minimal effectiveness"),
        suppress=frozenset(
            visible_root(self, view, memory, asker.user)
            for memory in checks.check_names(suppress, what="suppressed id")
        ),
        kind=checks.check_optional(kind, what="kind"),
        tags=checks.check_names(tags, what="tag"),
        valid_at=None if valid_at is None else parse_time(valid_at, now=view.point.clock, edge="end"),
        deep=checks.check_flag(deep, what="deep"),
        exact=checks.check_flag(exact, what="exact"),
    )
