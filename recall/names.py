"""Memories that are tied by a name: both are about it, or declared to have to do with it.

A memory has to do with an entity or category if it carries it, or if a followed
edge runs between it and that end of the graph; names are one by their key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ..projections.graph.edges import keyed
from .scoring import Floats, Ordinals
from .view import View
from .visibility import Mask

FOLLOWED = frozenset({"similar", "led_to", "updates", "extends", "derives", "relates_to"})
"""Relations between memories that a hop follows."""

TO_NAMES = FOLLOWED | {"mentions", "in_category"}
"""Relations between a memory and a name that tie it to others of that name."""

CROWD = 50
"""A name that more memories have to do with ties none of them."""

KINDS = {"entity": ("e", "mentions"), "category": ("c", "in_category")}
"""Of each kind of name: the letter of its terms, and the relation that a tie by it goes by."""

_LETTERS = {letter: kind for kind, (letter, _) in KINDS.items()}

LETTERS = "".join(_LETTERS)
"""What the terms of names begin with."""

BY_NAME = tuple(relation for _, relation in KINDS.values())
"""The relations of ties by names, in the order of their letters; numbered from below: -1 and -2."""


class Namesake(NamedTuple):
    """A memory that is tied by a name to the one at `place` of those asked about."""

    place: int
    root: int
    relation: str
    weight: float


class Shown:
    """Of each name, the memories that have to do with it and are `seen`, and how much; each looked up once."""

    def __init__(self, view: View, seen: Mask) -> None:
        self.view, self._seen = view, seen
        self._found: dict[str, list[tuple[int, float]]] = {}

    def by(self, name: str) -> list[tuple[int, float]]:
        """Roots, lowest first, and weights of `kind:key`; none of a crowd."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._by(*name.split(":", 1))
        return found

    def _by(self, kind: str, key: str) -> list[tuple[int, float]]:
        beliefs, weights = self.view.beliefs, None
        roots = beliefs.memories.carriers(beliefs.texts.terms.find(f"{KINDS[kind][0]}:{key}"))
        ends = beliefs.graph.named(kind, key)
        if ends:
            roots, weights = _with_declared(self.view, roots, ends)
        shown = self._seen.take(roots).nonzero()[0]
        if len(shown) > CROWD:
            return []
        heavy = repeat(1.0) if weights is None else weights[shown].tolist()
        return list(zip(roots[shown].tolist(), heavy, strict=False))


def namesakes(view: View, roots: Ordinals, shown: Shown) -> Iterator[Namesake]:
    """Memories of those shown that have to do with the same names as some memories; of each, lowest root first.

    The rarer the name, the heavier the tie: of n memories with a name each two are tied by 1 / (n - 1), times the
    weights of the edges that were declared.
    """
    for place, (root, names) in enumerate(zip(roots.tolist(), names_of(view, roots), strict=True)):
        for name, own in names.items():
            others = shown.by(name)
            relation = KINDS[name.partition(":")[0]][1]
            for other, weight in others:
                if other != root and len(others) > 1:
                    yield Namesake(place, other, relation, own * weight / (len(others) - 1))


def names_of(view: View, roots: Ordinals) -> list[dict[str, float]]:
    """What memories have to do with, as `kind:key`, and how much: 1 for what they carry, else the edge's weight."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    terms = view.beliefs.texts.terms.names
    found = [
        {f"{_LETTERS[term[0]]}{term[1:]}": 1.0 for term in map(terms.__getitem__, codes) if term[0] in _LETTERS}
        for codes in memories.all_terms_of(roots)
    ]
    if len(graph.ends):
        for root, names in zip(roots.tolist(), found, strict=True):
            _add_declared(view, root, names)
    return found


def any_linked(view: View, terms: Sequence[str]) -> bool:
    """Whether an edge was ever declared to one of these names, given as terms."""
    graph = view.beliefs.graph
    return len(graph.ends) > 0 and any(graph.named(_LETTERS[term[0]], term[2:]) for term in terms)


def _add_declared(view: View, root: int, names: dict[str, float]) -> None:
    """The names that edges of a memory's texts lead to."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    members = [root] if memories.table["members"][root] == 1 else memories.members(root).tolist()
    for end, weight in (tie for member in members for tie in zip(*_declared(view, member, names=True), strict=True)):
        name = keyed(graph.end_name(end))
        if name.partition(":")[0] in KINDS:
            names[name] = max(float(weight), names.get(name, 0.0))


def _with_declared(view: View, roots: Ordinals, ends: Sequence[int]) -> tuple[Ordinals, Floats]:
    """These memories, which carry a name, and those that edges tie to its ends, lowest root first; and how much."""
    declared = [_declared(view, end, names=False) for end in ends]
    today = [view.beliefs.memories.table["root"][others].astype(np.int64) for others, _ in declared]
    whole, place = np.unique(np.concatenate([roots, *today]), return_inverse=True)
    most = np.zeros(len(whole))
    np.maximum.at(most, place, np.concatenate([np.ones(len(roots)), *(weights for _, weights in declared)]))
    return whole, most


def _declared(view: View, end: int, *, names: bool) -> tuple[Ordinals, Floats]:
    """The names, or else the texts, at the other ends of the edges of an end, and the weights of the edges."""
    graph = view.beliefs.graph
    table, rows = graph.table, graph.rows(end)
    source, target = table["source"][rows], table["target"][rows]
    others = np.where(source == end, target, source).astype(np.int64)
    kept = ((others < 0) == names) & graph.one_of(TO_NAMES)[table["relation"][rows]]
    return others[kept], table["weight"][rows[kept]]
