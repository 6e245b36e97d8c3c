"""Recorded questions asked again of two folds: how the order of the answers differs."""

from __future__ import annotations

import msgspec

from ..recall.question import Question
from ..recall.recall import recall
from ..recall.view import View


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """A memory's place (from 1) in the answer before and after; null where it is not in it."""

    id: str
    rank: tuple[int | None, int | None]


class Reordered(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded recall that would be answered otherwise.

    `order` are the ids before and after, best first, `ranks` the memories that moved. `shown` is what was really
    returned on its day, under the constants of that day: evidence, which no replay changes.
    """

    recall_id: str
    query: str
    seq: int
    order: tuple[tuple[str, ...], tuple[str, ...]]
    ranks: tuple[Rank, ...]
    shown: tuple[str, ...]


def answered(view: View, question: Question) -> tuple[str, ...]:
    """The ids of an answer, best first."""
    return tuple(view.beliefs.texts.id_of(hit.root) for hit in recall(view, question).hits)


def ranks(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Rank, ...]:
    """The memories whose place differs, in the order of the later answer, then of the earlier."""
    places = [{name: place for place, name in enumerate(order, 1)} for order in (before, after)]
    moved = ((name, (places[0].get(name), places[1].get(name))) for name in dict.fromkeys((*after, *before)))
    return tuple(Rank(id=name, rank=rank) for name, rank in moved if rank[0] != rank[1])
