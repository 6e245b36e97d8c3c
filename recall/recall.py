"""Recall: see, list, fuse, score, expand, order.

A pure function of the view and the question. It writes nothing, and what was
recalled before has no part in it.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from ..errors import Corrupted
from .candidates import Cosines, Lists
from .expansion import Paths, caps, expand, may_cap, ties_among
from .question import EMPTY_STORE, NOTHING_LEFT, NOTHING_RELEVANT, NOTHING_VISIBLE, Answer, Question
from .results import hits
from .scoring import Records, best, fuse, joined, learned, measure, score
from .view import Asker, View
from .visibility import Mask, asked_for, counted, holding, may_see, remembered, timeless, with_terms

GRAPH_FAILS = (LookupError, ValueError, Corrupted)
"""What a graph that does not fit the rest may raise."""

DEGRADED = "the graph could not be read, so these are direct hits alone; `helix rebuild` makes it anew"


class Asked(NamedTuple):
    """A question in its view, and what was worked out of them."""

    view: View
    question: Question
    population: Mask | None
    cosines: Cosines
    paths: Paths

    def measure(self, found: Records) -> None:
        """Fill in cosine and BM25."""
        measure(self.view, self.question, found, self.population, self.cosines)


def recall(view: View, question: Question) -> Answer:
    """The memories that fit the question at the view's point, best first."""
    believed, allowed, population = sight(view, question)
    if not believed.any():
        return Answer((), _why_empty(view, question))
    paths = Paths(believed, functools.partial(_passable, view, question))
    asked = Asked(view, question, population, Cosines(view, question), paths)
    lists = Lists(view, question, allowed, population, asked.cosines).all()
    texts, rrf = fuse(lists, view.beliefs.constants)
    if not len(texts):
        return Answer((), NOTHING_RELEVANT)
    direct, degraded = learned(view, texts, rrf), None
    try:
        found = _expanded(asked, direct)
    except GRAPH_FAILS:
        direct["ties"], degraded = 0.0, DEGRADED
        found = _ranked(direct, view, question)
    asked.measure(found)
    return Answer(hits(view, found), degraded=degraded, lists=lists)


def _ranked(direct: Records, view: View, question: Question) -> Records:
    """The best of the direct hits."""
    score(direct, view.beliefs.constants)
    return best(direct, question.limit)


def _expanded(asked: Asked, direct: Records) -> Records:
    """The best of the direct hits and their neighbours; everything that reads the graph."""
    view, question = asked.view, asked.question
    if view.beliefs.constants.relation_weight:
        direct["ties"] = ties_among(view, direct["root"], direct["root"], asked.paths)
    found = _ranked(direct, view, question)
    if question.hops > 0:
        found = best(joined([found, _hops(asked, direct, found)]), question.limit)
    return found


def _hops(asked: Asked, direct: Records, parents: Records) -> Records:
    """Neighbours of the best direct hits, but for those whose score is below all of a full answer."""
    view, constants, limit = asked.view, asked.view.beliefs.constants, asked.question.limit
    least = parents["score"][-1] if len(parents) == limit else -np.inf
    # Neither use nor recency lifts a score, and activity and salience lift it by so much at most.
    most = (1.0 + constants.velocity_cap) * (1.0 + constants.salience_weight) * (1.0 + 1e-9)
    worth = -np.inf if constants.relation_weight else least / most
    reached = expand(view, parents, asked.paths, direct["root"], asked.question.hops, worth=worth)
    if not len(reached):
        return direct[:0]
    found = learned(view, view.beliefs.memories.table["lead"][reached["root"]].astype(np.int64), reached["rrf"])
    for name in ("hop", "parent", "relation", "edge"):
        found[name] = reached[name]
    if constants.relation_weight:
        found["ties"] = ties_among(view, found["root"], direct["root"], asked.paths)
    score(found, constants)
    found = found.take((found["score"] >= least).nonzero()[0])
    if len(found):
        # To measure all direct hits takes long, and few can hold a hop back.
        measured = joined([found, direct.take(may_cap(direct, found))])
        asked.measure(measured)
        found, able = measured[: len(found)], measured[len(found) :]
        most_shown = caps(able, found)
        found["capped"] = most_shown < found["score"]
        found["score"] = np.minimum(found["score"], most_shown)
    return found


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
    table, allowed = view.beliefs.memories.table, believed.copy()
    # A memory of one text is led by it, and most are; so it is cheaper to move the others.
    several = (table["members"] != 1).nonzero()[0]
    lead = table["lead"][several]
    moved = believed[several] & (lead != several)
    allowed[several[moved]] = False
    allowed[lead[moved]] = True
    return allowed


def _passable(view: View, question: Question) -> Mask:
    """Roots that would be believed, had nothing superseded them: the way to what did may lead over them."""
    if plain(question) and timeless(view.beliefs):
        name = ("passable", question.asker.user, question.deep)
        return remembered(view.beliefs, name, lambda: _believed(view, question, replaced=True))
    return _believed(view, question, replaced=True)


def _believed(view: View, question: Question, *, replaced: bool = False) -> Mask:
    """Roots of the memories that the question may be answered with, or also of those that were superseded."""
    beliefs, asked_at = view.beliefs, question.valid_at
    seen = may_see(beliefs, question.asker)
    believed = seen & holding(beliefs, view.point.clock, valid_at=asked_at, deep=question.deep, replaced=replaced)
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
    seen = may_see(view.beliefs, question.asker)
    if not seen.any():
        return EMPTY_STORE
    return NOTHING_LEFT if (seen & holding(view.beliefs, view.point.clock)).any() else NOTHING_VISIBLE
