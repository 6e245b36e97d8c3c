"""Recall: see, list, fuse, score, expand, order.

A pure function of the view and the question. It writes nothing, and what was
recalled before has no part in it.
"""

from __future__ import annotations

import numpy as np

from .candidates import Cosines, Lists
from .expansion import Step, caps, expand
from .question import Answer, Hit, Question
from .scoring import Floats, Ordinals, Signals, fuse, signals
from .view import Asker, View
from .visibility import Mask, asked_for, counted, holding, may_see, remembered, timeless, with_terms


def recall(view: View, question: Question) -> Answer:
    """The memories that fit the question at the view's point, best first."""
    believed, allowed, population = sight(view, question)
    if not believed.any():
        return Answer((), _why_empty(view, question))
    cosines = Cosines(view, question)
    lists = Lists(view, question, allowed, population, cosines).all()
    texts, rrf = fuse(lists, view.beliefs.constants)
    if not len(texts):
        return Answer((), "nothing_relevant")
    found = signals(view, question, texts, population, cosines)
    scores = rrf * found.factor(view.beliefs.constants)
    order = np.lexsort((-found.roots, -scores))[: question.limit]
    hits = [_hit(found, index, scores, rrf, lists) for index in order.tolist()]
    if question.hops > 0:
        hits += _hops(view, question, believed, population, cosines, found, scores, rrf, order)
    hits.sort(key=lambda hit: (-hit.score, hit.hop > 0, -hit.root))
    return Answer(tuple(hits[: question.limit]))


def sight(view: View, question: Question) -> tuple[Mask, Mask, Mask | None]:
    """Roots that may be answered with, their lead texts, and the texts whose words count (None: all of them)."""
    beliefs, asker = view.beliefs, question.asker
    population = counted(beliefs, asker)
    if plain(question) and timeless(beliefs):
        name = ("plain", asker.user, question.deep)
        believed = remembered(beliefs, name, lambda: _believed(view, question))
        return believed, remembered(beliefs, ("leads", *name), lambda: _leads(view, believed)), population
    believed = _believed(view, question)
    return believed, _leads(view, believed), population


def plain(question: Question) -> bool:
    """Whether nothing narrows the question but who asks."""
    own = Question(text=question.text, asker=Asker(user=question.asker.user), deep=question.deep)
    narrowing = ("asker", "min_effectiveness", "suppress", "kind", "tags", "valid_at")
    return all(getattr(question, name) == getattr(own, name) for name in narrowing)


def _leads(view: View, believed: Mask) -> Mask:
    """The lead texts of memories."""
    allowed = np.zeros(view.texts, np.bool_)
    allowed[view.beliefs.memories.table["lead"][np.flatnonzero(believed)]] = True
    return allowed


def _believed(view: View, question: Question) -> Mask:
    """Roots of the memories that the question may be answered with."""
    beliefs = view.beliefs
    seen = may_see(beliefs, question.asker)
    believed = seen & holding(beliefs, view.point.clock, valid_at=question.valid_at, deep=question.deep)
    asked = asked_for(beliefs, question.asker)
    if asked is not None:
        believed &= asked
    if question.kind is not None:
        believed &= beliefs.texts.table["kind"] == beliefs.texts.labels.find(question.kind)
    if question.tags:
        believed &= with_terms(beliefs, [f"t:{tag}" for tag in question.tags])
    if question.suppress:
        believed[list(question.suppress)] = False
    if question.min_effectiveness > 0.0:
        roots = np.flatnonzero(believed)
        value = beliefs.effectiveness.value(roots, view.point.clock)
        believed[roots[value < question.min_effectiveness]] = False
    return believed


def _why_empty(view: View, question: Question) -> str:
    """Why nothing could be answered with, before any search."""
    if not view.texts:
        return "empty_store"
    if not (may_see(view.beliefs, question.asker) & holding(view.beliefs, view.point.clock)).any():
        return "nothing_visible"
    return "nothing_left_by_filters"


def _hit(
    found: Signals,
    index: int,
    scores: Floats,
    rrf: Floats,
    lists: dict[str, Ordinals],
    hop: int = 0,
    step: Step | None = None,
    *,
    capped: bool = False,
) -> Hit:
    lead = int(found.leads[index])
    cosine = float(found.cosine[index])
    places = {name: np.flatnonzero(ordinals == lead) for name, ordinals in lists.items()}
    return Hit(
        root=int(found.roots[index]),
        lead=lead,
        score=float(scores[index]),
        rrf=float(rrf[index]),
        ranks={name: int(place[0]) + 1 for name, place in places.items() if place.size},
        cosine=None if np.isnan(cosine) else cosine,
        bm25=float(found.bm25[index]),
        effectiveness=float(found.effectiveness[index]),
        adjusted=float(found.adjusted[index]),
        use=float(found.use[index]),
        recency_days=int(found.days[index]),
        recency=float(found.recency[index]),
        velocity=int(found.velocity[index]),
        activity=float(found.activity[index]),
        salience=float(found.salience[index]),
        hop=hop,
        parent=None if step is None else step.parent,
        relation=None if step is None else step.relation,
        edge=None if step is None else step.weight,
        capped=capped,
    )


def _hops(
    view: View,
    question: Question,
    believed: Mask,
    population: Mask | None,
    cosines: Cosines,
    direct: Signals,
    scores: Floats,
    rrf: Floats,
    order: Ordinals,
) -> list[Hit]:
    """Neighbours of the best direct hits, as hits of their own."""
    parents = {int(direct.roots[index]): float(rrf[index]) for index in order.tolist()}
    reached = expand(view, parents, believed, set(direct.roots.tolist()), question.hops)
    if not reached:
        return []
    roots = np.array(sorted(reached), np.int64)
    leads = view.beliefs.memories.table["lead"][roots].astype(np.int64)
    found = signals(view, question, leads, population, cosines)
    own_rrf = np.array([reached[root][0] for root in roots.tolist()])
    raw = own_rrf * found.factor(view.beliefs.constants)
    capped = np.minimum(raw, caps(direct, scores, found))
    return [
        _hit(found, index, capped, own_rrf, {}, reached[root][1], reached[root][2], capped=bool(capped[index] < raw[index]))
        for index, root in enumerate(roots.tolist())
    ]

