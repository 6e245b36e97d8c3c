"""`explain`: why a recall answers as it does, down to the events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..constants import Constants
from ..errors import InvalidInput
from ..eventlog import events as ev
from ..projections.beliefs import Beliefs
from ..projections.effectiveness.verdicts import exposed
from ..projections.graph.edges import keyed
from ..recall import recall as engine
from ..recall.explain import Behind, Explanation, Factor, Use, why_not
from ..recall.explain import explain as explain_hit
from ..recall.names import names_of
from ..recall.question import Answer, Hit, Question
from ..recall.view import Asker, View
from ..replay.changes import Changes
from . import checks
from .asking import question_at
from .opened import AsOf, AsOfPoint, reading
from .scanning import naming
from .seeing import recall_by, visible_root
from .times import When, format_time

if TYPE_CHECKING:
    from .opened import OpenStore

FURTHEST = 10_000
"""Results looked through for a memory that is not among those asked for."""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """One result: its factors, and the query's words in it with their statistics."""

    id: str
    text: str
    rank: int
    score: float
    hop: int
    via: str | None
    relation: str | None
    factors: tuple[Factor, ...]
    terms: tuple[dict[str, Any], ...]


class Explanations(msgspec.Struct, frozen=True, kw_only=True):
    """A recall taken apart.

    `same_order` says of a recorded recall whether running it again at its own point gives what was recorded, in the
    same order; null for a new question. `absent` says why the memory asked about is not among the results.
    """

    query: str
    recall_id: str | None
    as_of: AsOfPoint
    results: tuple[Explained, ...]
    empty_reason: str | None
    same_order: bool | None = None
    absent: str | None = None
    counterfactual: Changes | None = None


@reading
def explain(
    self: OpenStore,
    query: str | None = None,
    *,
    recall_id: str | None = None,
    id: str | None = None,  # noqa: A002 - the word users know it by
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
    constants: Constants | None = None,
) -> Explanations:
    """Every factor of every score, with its formula and the events behind it. Nothing is recorded.

    Args:
        self: The store.
        query: A question; the other options are those of `recall`.
        recall_id: A recorded recall instead: it is run again, exactly, at its own point, with its own options.
        id: Only this memory; if it is not among the results, why.
        limit: Most results.
        hops: See `recall`, as for all that follow.
        min_relevance: See `recall`.
        min_effectiveness: See `recall`.
        suppress: See `recall`.
        kind: See `recall`.
        tags: See `recall`.
        user: Who asks; the owner if not given. Another's recall is not found.
        project: See `recall`.
        session: See `recall`.
        agent: See `recall`.
        container: See `recall`.
        as_of: See `recall`.
        valid_at: See `recall`.
        deep: See `recall`.
        constants: See `recall`.

    Raises:
        InvalidInput: Neither or both of query and recall_id are given, or an option is malformed.
        NotFound: There is no such recall or memory, or the asker may not see it.
    """
    if (query is None) == (recall_id is None):
        raise InvalidInput("give a question or the id of a recall", remedy="one of them, not both")
    recorded: ev.MemoriesRecalled | None = None
    if query is not None:
        checks.check_text(query, what="query")
        view = self.view(as_of, constants)
        vector, _ = self.embed_query(view.beliefs.fingerprint, query)
        question = question_at(
            self,
            view,
            query,
            vector=vector,
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
        )
    else:
        recall_id, recorded = recall_by(self, recall_id or "", user)
        view = self.view(f"@{recorded.point_seq}/{format_time(recorded.point_clock)}", constants)
        question = question_of(view, recorded)
    answer = engine.recall(view, question)
    chosen = None if id is None else visible_root(self, view, id, user)
    return Explanations(
        query=question.text,
        recall_id=recall_id,
        as_of=self.as_of_point(view.point),
        results=_explained(self, view, question, answer, chosen),
        empty_reason=answer.empty_reason,
        same_order=None if recorded is None else _returned(view, answer) == [one.id for one in recorded.returned],
        absent=None if chosen is None else _absent(view, question, answer, chosen),
        counterfactual=self.counterfactual(view),
    )


def question_of(view: View, recorded: ev.MemoriesRecalled) -> Question:
    """The question of a recorded recall, to be asked again at its point without an accelerator."""
    filters: dict[str, Any] = recorded.filters
    memories = view.beliefs.memories
    vector = recorded.vector
    return Question(
        text=recorded.query,
        vector=None if vector is None else np.frombuffer(vector.rows[0], vector.dtype),
        asker=Asker(**{name: filters.get(name) for name in Asker.__struct_fields__}),
        limit=recorded.limit,
        hops=recorded.hops,
        min_relevance=filters.get("min_relevance"),
        min_effectiveness=filters.get("min_effectiveness") or 0.0,
        suppress=frozenset(root for one in recorded.suppressed if (root := memories.resolve(one)) >= 0),
        kind=filters.get("kind"),
        tags=tuple(filters.get("tags") or ()),
        valid_at=recorded.valid_at,
        deep=bool(filters.get("deep")),
        exact=True,
    )


def _returned(view: View, answer: Answer) -> list[str]:
    return [view.beliefs.texts.id_of(hit.root) for hit in answer.hits]


def _absent(view: View, question: Question, answer: Answer, root: int) -> str | None:
    """Why a memory is not in the answer, or None where it is."""
    if any(hit.root == root for hit in answer.hits):
        return None
    further = engine.recall(view, msgspec.structs.replace(question, limit=FURTHEST))
    return why_not(view, question, root, {hit.root: rank for rank, hit in enumerate(further.hits, 1)})


def _explained(
    self: OpenStore, view: View, question: Question, answer: Answer, chosen: int | None
) -> tuple[Explained, ...]:
    ranked = [(rank, hit) for rank, hit in enumerate(answer.hits, 1) if chosen in (None, hit.root)]
    behind = _behind(self, view, [hit for _, hit in ranked])
    return tuple(
        _one(view, rank, hit, explain_hit(view, question, hit, answer.ranks(hit), behind[hit.root]))
        for rank, hit in ranked
    )


def _one(view: View, rank: int, hit: Hit, found: Explanation) -> Explained:
    return Explained(
        id=view.beliefs.texts.id_of(hit.root),
        text=view.body(hit.lead).text,
        rank=rank,
        score=hit.score,
        hop=hit.hop,
        via=None if hit.parent is None else view.beliefs.texts.id_of(hit.parent),
        relation=hit.relation,
        factors=found.factors,
        terms=found.terms,
    )


# -- the events behind ---------------------------------------------------------


def _behind(self: OpenStore, view: View, hits: Sequence[Hit]) -> dict[int, Behind]:
    """What the log says of each hit, found in one pass over it."""
    texts, memories = view.beliefs.texts, view.beliefs.memories
    roots = {hit.root for hit in hits} | {hit.parent for hit in hits if hit.parent is not None}
    ids = {texts.id_of(int(member)): root for root in roots for member in memories.members(root)}
    events = list(naming(self.eventlog, tuple(ids), view.point.seq)) if ids else []
    feedbacks = [one for one in events if isinstance(one.event, ev.FeedbackGiven)]
    return {
        hit.root: Behind(
            uses=tuple(
                _uses(view.beliefs, hit.root, {one for one, root in ids.items() if root == hit.root}, feedbacks)
            ),
            edge=_edge_events(view, hit, ids, events),
        )
        for hit in hits
    }


def _uses(beliefs: Beliefs, root: int, ids: set[str], feedbacks: Iterable[ev.Recorded]) -> Iterable[Use]:
    """The feedbacks that counted for a memory."""
    for recorded in feedbacks:
        event = recorded.event
        if isinstance(event, ev.FeedbackGiven):
            own = tuple(one for one in event.exposures if one.id in ids)
            used = None if event.used is None else tuple(one for one in event.used if one in ids)
            weight = exposed(
                msgspec.structs.replace(event, exposures=own, used=used), beliefs.constants, beliefs.memories.resolve
            ).get(root)
            if weight is not None:
                yield Use(recorded.seq, recorded.recorded_at, weight)


def _edge_events(view: View, hit: Hit, ids: dict[str, int], events: Iterable[ev.Recorded]) -> tuple[int, ...]:
    """The events that made the edge a hop was reached by."""
    if hit.parent is None:
        return ()
    seqs = view.beliefs.texts.table["seq"]
    if hit.relation in ("mentions", "in_category"):
        return _naming_events(view, hit.parent, hit.root, ids, events)
    if hit.relation == "similar":
        return (int(seqs[max(hit.parent, hit.root)]),)
    pair = {hit.parent, hit.root}
    return tuple(one.seq for one in events if _makes(one, hit.relation or "", ids, pair))


def _naming_events(
    view: View, parent: int, root: int, ids: dict[str, int], events: Iterable[ev.Recorded]
) -> tuple[int, ...]:
    """What ties two memories to a name they share: an edge that was declared, else the text that came with the name."""
    own, others = names_of(view, np.array([parent, root]))
    shared = own.keys() & others.keys()
    found: dict[int, list[int]] = {parent: [], root: []}
    for one in events:
        if isinstance(one.event, ev.MemoriesLinked):
            ends = one.event.source, one.event.target
            for memory, name in (ends, ends[::-1]):
                side = found.get(ids.get(memory.id, -1))
                if side is not None and keyed(f"{name.kind}:{name.id}") in shared:
                    side.append(one.seq)
    seqs = view.beliefs.texts.table["seq"]
    return tuple(sorted({seq for side, made in found.items() for seq in made or (int(seqs[side]),)}))


def _makes(recorded: ev.Recorded, relation: str, ids: dict[str, int], pair: set[int]) -> bool:
    """Whether an event declares this relation between these two memories."""
    event, own = recorded.event, ids.get(recorded.id or "")
    if isinstance(event, ev.MemoriesLinked):
        return event.relation == relation and {ids.get(event.source.id), ids.get(event.target.id)} == pair
    if isinstance(event, ev.MemorySuperseded):
        return relation == "updates" and {ids.get(event.old), ids.get(event.new)} == pair
    if isinstance(event, ev.MemoryStored):
        targets = [one.target for one in event.relations if one.relation == relation]
        targets += event.provenance.derived_from if relation == "derives" else ()
        return any({own, ids.get(target)} == pair for target in targets)
    return False
