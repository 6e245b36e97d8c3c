"""`recall`: ask memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from ..errors import StorageError
from ..eventlog.events import Channel, Draft, MemoriesRecalled, Provenance, Returned, Vectors
from ..recall import recall as engine
from ..recall.question import Answer, Hit, Question
from ..recall.view import View
from ..recall.visibility import states_of
from ..replay.changes import Changes
from . import checks
from .asking import question_at
from .opened import AsOf, AsOfPoint, steady
from .records import times_in
from .times import When

if TYPE_CHECKING:
    from .opened import OpenStore

CHANNELS: tuple[Channel, ...] = get_args(Channel)
RECORDING_WAIT = 0.05
"""Seconds that recording a recall may wait for the write lock."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One recalled memory.

    `score` orders; `relevance` is the cosine in [-1, 1], null without vectors; `effectiveness` includes decay. `hop` is
    0 for a direct hit, else the number of edges, with `via` the id it was reached from.
    """

    id: str
    text: str
    score: float
    relevance: float | None
    effectiveness: float
    adjusted: float
    hop: int
    via: str | None
    relation: str | None
    state: str
    title: str | None
    kind: str
    tags: tuple[str, ...]
    observed_at: str | None
    provenance: Provenance
    seq: int


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """An answer. `recall_id` names it in feedback; null, and `recorded` false, where it was not recorded.

    `not_recorded` says why, where that is because of what the question says; such a question is answered all the same.

    `counterfactual` names the constants that were supposed: name to (value in force, value supposed); null without.
    """

    recall_id: str | None
    as_of: AsOfPoint
    results: tuple[Result, ...]
    empty_reason: str | None
    recorded: bool
    counterfactual: Changes | None = None
    degraded: str | None = None
    not_recorded: str | None = None


@steady
def recall(
    self: OpenStore,
    query: str,
    *,
    limit: int = 5,
    hops: int = 1,
    min_relevance: float | None = None,
    min_effectiveness: float = 0.0,
    suppress: Sequence[str] = (),
    kind: str | None = None,
    tags: Sequence[str] = (),
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    container: str | None = None,
    as_of: AsOf | None = None,
    valid_at: When | None = None,
    deep: bool = False,
    exact: bool = False,
    record: bool = True,
    channel: Channel = "api",
    goal: str | None = None,
    constants: Constants | None = None,
) -> Recalled:
    """The memories that fit a query, best first.

    Args:
        self: The store.
        query: What is asked, in words.
        limit: Most results.
        hops: Edges of the graph to follow from the best; 0 for none.
        min_relevance: Lowest cosine of the vector list; the embedder's own threshold if not given.
        min_effectiveness: Lowest effectiveness, 0 to 1.
        suppress: Ids that are left out.
        kind: Only this kind.
        tags: Only memories with all of these tags.
        user: Who asks; the owner if not given.
        project: Only this project.
        session: Only this session.
        agent: Only this agent.
        container: Only this container.
        as_of: What was believed then: a time, `@SEQ`, `@SEQ/TIME`, an age such as 7d, or an id (just after it).
        valid_at: What held then in the world.
        deep: Also what was pruned or has expired.
        exact: No accelerator, however large the store.
        record: Whether the log remembers the answer; never for the past or with other constants.
        channel: Who asks on whose behalf.
        goal: What it is asked for.
        constants: Answer as these constants would have it (a counterfactual).

    Raises:
        InvalidInput: An option is malformed.
        NotFound: A suppressed id is unknown.
    """
    checks.check_text(query, what="query")
    checks.check_choice(channel, CHANNELS, what="channel")
    live = as_of is None and self.at is None and constants is None
    recording = checks.check_flag(record, what="record") and live and self.eventlog.writable
    if goal is not None:
        checks.check_text(goal, what="goal")
    view = self.view(as_of, constants)
    fingerprint = view.beliefs.fingerprint
    vector, degraded = self.embed_query(fingerprint, query)
    with self.reading():
        if not self.stands(view):
            view = self.view(as_of, constants)
        question = question_at(
            self,
            view,
            query,
            vector=vector if view.beliefs.fingerprint == fingerprint else None,
            limit=limit,
            hops=hops,
            min_relevance=min_relevance,
            min_effectiveness=min_effectiveness,
            suppress=suppress,
            kind=kind,
            tags=tags,
            user=user,
            project=project,
            session=session,
            agent=agent,
            container=container,
            valid_at=valid_at,
            deep=deep,
            exact=exact,
        )
        answer = engine.recall(view, question)
        results = _results(view, question, answer.hits)
        event = _event(self, view, question, answer, channel=channel, goal=goal) if recording else None
    refused = None if event is None else self.screen.event(event)
    recall_id = None if event is None or refused is not None else _record(self, event)
    return Recalled(
        recall_id=recall_id,
        as_of=self.as_of_point(view.point),
        results=results,
        empty_reason=answer.empty_reason,
        recorded=recall_id is not None,
        counterfactual=self.counterfactual(view),
        degraded=degraded or answer.degraded,
        not_recorded=None if refused is None else str(refused),
    )


def _results(view: View, question: Question, hits: Sequence[Hit]) -> tuple[Result, ...]:
    """Hits as they are shown. Each column is read once for all of them: a read of a single cell costs as much."""
    # What may be answered with is live, but for what these two let in.
    mixed = question.deep or question.valid_at is not None
    texts, memories = view.beliefs.texts, view.beliefs.memories
    roots, leads = np.array([(hit.root, hit.lead) for hit in hits], np.int64).reshape(-1, 2).T
    columns = (
        hits,
        view.bodies(leads.tolist()),
        texts.ids_of(roots),
        texts.labels_of("kind", roots),
        states_of(view.beliefs, roots, view.point.clock) if mixed else ["live"] * len(hits),
        memories.named_of(roots, "t"),
        times_in(view, "observed_at", leads),
        texts.table["seq"][roots].tolist(),
    )
    return tuple(
        Result(
            id=own_id,
            text=body.text,
            score=hit.score,
            relevance=hit.cosine,
            effectiveness=hit.effectiveness,
            adjusted=hit.adjusted,
            hop=hit.hop,
            via=None if hit.parent is None else texts.id_of(hit.parent),
            relation=hit.relation,
            state=state,
            title=body.title,
            kind=kind or "fact",
            tags=tags,
            observed_at=observed_at,
            provenance=body.provenance,
            seq=seq,
        )
        for hit, body, own_id, kind, state, tags, observed_at, seq in zip(*columns, strict=True)
    )


def _event(
    self: OpenStore, view: View, question: Question, answer: Answer, *, channel: Channel, goal: str | None
) -> MemoriesRecalled:
    """What the log remembers of an answer."""
    texts = view.beliefs.texts
    return MemoriesRecalled(
        **self.stamp(),
        query=question.text,
        point_seq=view.point.seq,
        point_clock=view.point.clock,
        channel=channel,
        goal=goal,
        vector=recorded_vector(view.beliefs.fingerprint, question.vector),
        filters=_filters(question),
        limit=question.limit,
        hops=question.hops,
        suppressed=tuple(texts.id_of(root) for root in sorted(question.suppress)),
        valid_at=question.valid_at,
        returned=tuple(
            Returned(id=texts.id_of(hit.root), rank=rank, score=hit.score) for rank, hit in enumerate(answer.hits, 1)
        ),
    )


def _record(self: OpenStore, event: MemoriesRecalled) -> str | None:
    """Put an answer into the log; its id, or None where that was not possible in time.

    An answer is given whether or not it can be recorded.
    """
    recall_id = self.new_id()
    try:
        self.append([Draft(event, recall_id)], wait=RECORDING_WAIT)
    except StorageError:
        return None
    return recall_id


def recorded_vector(fingerprint: str | None, vector: NDArray[np.float16] | None) -> Vectors | None:
    """A query's vector as events hold it."""
    if fingerprint is None or vector is None:
        return None
    return Vectors(fingerprint=fingerprint, dims=len(vector), rows=(vector.tobytes(),))


def _filters(question: Question) -> dict[str, object]:
    """What narrowed the question, for a replay of it."""
    asker = {name: value for name, value in msgspec.structs.asdict(question.asker).items() if value is not None}
    filters: dict[str, Any] = {
        "min_relevance": question.min_relevance,
        "min_effectiveness": question.min_effectiveness or None,
        "kind": question.kind,
        "tags": list(question.tags) or None,
        "deep": question.deep or None,
    }
    return asker | {name: value for name, value in filters.items() if value is not None}
