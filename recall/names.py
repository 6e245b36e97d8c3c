"""Memories that are tied by a name: both are about it, or declared to have to do with it.

A memory has to do with an entity or category if it carries it, or if a followed
edge runs between it and that end of the graph; names are one by their key.
"""

from __future__ import annotations

from collections.abc import Iterator
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


class Namesakes(NamedTuple):
    """Memories tied to one by a name, lowest root first; arrays of one length."""

    roots: Ordinals
    relation: str
    weights: Floats


class Shown:
    """Of each name, the memories that have to do with it and are `seen`, and how much; each looked up once."""

    def __init__(self, view: View, seen: Mask) -> None:
        self.view, self._seen = view, seen
        self._found: dict[str, tuple[Ordinals, Floats]] = {}

    def by(self, name: str) -> tuple[Ordinals, Floats]:
        """Roots, lowest first, and weights of `kind:key`."""
        found = self._found.get(name)
        if found is None:
            kind, _, key = name.partition(":")
            roots, weights = _having(self.view, kind, key)
            shown = self._seen[roots]
            found = self._found[name] = roots[shown], weights[shown]
        return found


def namesakes(view: View, root: int, shown: Shown) -> Iterator[Namesakes]:
    """Memories of those shown that have to do with the same names; the rarer the name, the heavier the tie.

    Of n memories with a name each two are tied by 1 / (n - 1), times the weights of the edges that were declared.
    """
    for name, own in names_of(view, root).items():
        roots, weights = shown.by(name)
        if 2 <= len(roots) <= CROWD:
            others = roots != root
            kind = name.partition(":")[0]
            yield Namesakes(roots[others], KINDS[kind][1], own * weights[others] / (len(roots) - 1))


def names_of(view: View, root: int) -> dict[str, float]:
    """What a memory has to do with, as `kind:key`, and how much: 1 for what it carries, else the edge's weight."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    terms = view.beliefs.texts.terms.names
    own = [terms[code] for code in memories.terms_of(root)]
    found = {f"{_LETTERS[term[0]]}{term[1:]}": 1.0 for term in own if term[0] in _LETTERS}
    if len(graph.ends):
        members = [root] if memories.table["members"][root] == 1 else memories.members(root).tolist()
        for end, weight in (
            tie for member in members for tie in zip(*_declared(view, member, names=True), strict=True)
        ):
            name = keyed(graph.end_name(end))
            if name.partition(":")[0] in KINDS:
                found[name] = max(float(weight), found.get(name, 0.0))
    return found


def _having(view: View, kind: str, key: str) -> tuple[Ordinals, Floats]:
    """Roots of the memories that have to do with a name, ascending, and how much."""
    beliefs = view.beliefs
    roots = beliefs.memories.carriers(beliefs.texts.terms.find(f"{KINDS[kind][0]}:{key}"))
    ends = beliefs.graph.named(kind, key)
    if not ends:
        return roots, np.ones(len(roots))
    declared = [_declared(view, end, names=False) for end in ends]
    today = [beliefs.memories.table["root"][others].astype(np.int64) for others, _ in declared]
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
