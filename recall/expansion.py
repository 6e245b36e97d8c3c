"""Graph expansion: what is tied to the best direct hits, on the same scale as they are.

A neighbour in no list gets rrf = discount * edge weight * its best parent's rrf
and its own factors. It is held below the lowest direct hit that is at least as
good on cosine, BM25, adjusted effectiveness, recency and velocity, so that a
hop never passes what is better in every way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..projections.graph.edges import resolved_edge
from .scoring import Floats, Signals
from .view import View
from .visibility import Mask

FOLLOWED = frozenset({"similar", "led_to", "updates", "extends", "derives", "relates_to"})
"""Relations between memories that a hop follows; names are followed through `mentions` and `in_category`."""

CROWD = 50
"""A name that more memories carry ties none of them."""


class Step(NamedTuple):
    """How a hop came: its parent, the relation and the weight of the edge."""

    parent: int
    relation: str
    weight: float


class Neighbour(NamedTuple):
    """A memory one edge away."""

    root: int
    relation: str
    weight: float


def neighbours(view: View, root: int, believed: Mask) -> Iterator[Neighbour]:
    """Memories one followed edge away from `root`, by declared edges and by names that believed ones share."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    ends = [root] if memories.table["members"][root] == 1 else memories.members(root).tolist()
    for row in sorted({row for end in ends for row in graph.rows(end)}):
        edge = resolved_edge(graph.edge(row), memories.root)
        if edge is None or edge.relation not in FOLLOWED:
            continue
        other = edge.target if edge.source == root else edge.source
        if other < 0:
            continue
        if edge.relation == "updates" and memories.table["superseded"][other]:
            for tip in tips(view, other):
                if tip != root:
                    yield Neighbour(tip, edge.relation, edge.weight)
        else:
            yield Neighbour(other, edge.relation, edge.weight)
    yield from _namesakes(view, root, believed)


def _namesakes(view: View, root: int, believed: Mask) -> Iterator[Neighbour]:
    """Memories that name the same entity or category; the rarer the name, the heavier the edge."""
    texts, memories = view.beliefs.texts, view.beliefs.memories
    for code in memories.terms_of(root):
        kind = texts.terms.names[code][0]
        if kind == "t":
            continue
        carriers = memories.carriers(code)
        others = carriers[believed[carriers]].tolist()
        if 2 <= len(others) <= CROWD:
            weight = 1.0 / (len(others) - 1)
            relation = "mentions" if kind == "e" else "in_category"
            yield from (Neighbour(other, relation, weight) for other in others if other != root)


def tips(view: View, root: int) -> list[int]:
    """The memories at the end of a chain of supersessions, lowest first."""
    memories = view.beliefs.memories
    todo, seen, found = [root], set(), set()
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        successors = memories.superseded_by(current) if memories.table["superseded"][current] else ()
        todo.extend(successors)
        if not successors:
            found.add(current)
    return sorted(found)


def expand(
    view: View, parents: dict[int, float], believed: Mask, known: set[int], hops: int
) -> dict[int, tuple[float, int, Step]]:
    """Roots reached within `hops`, with rrf, hop number and step.

    Args:
        view: The view.
        parents: Direct hits (roots) and their rrf.
        believed: Roots that may be answered with; no other is shown or walked through.
        known: Roots that are in a list already.
        hops: Greatest number of edges.
    """
    discount = view.beliefs.constants.hop_discount
    reached: dict[int, tuple[float, int, Step]] = {}
    frontier = dict(parents)
    for hop in range(1, hops + 1):
        found: dict[int, tuple[float, int, Step]] = {}
        for parent in sorted(frontier, key=lambda root: (-frontier[root], -root)):
            for near in neighbours(view, parent, believed):
                if near.root in known or near.root in reached or not believed[near.root]:
                    continue
                rrf = discount * near.weight * frontier[parent]
                if near.root not in found or rrf > found[near.root][0]:
                    found[near.root] = (rrf, hop, Step(parent, near.relation, near.weight))
        reached.update(found)
        frontier = {root: value[0] for root, value in found.items()}
    return reached


def caps(direct: Signals, scores: Floats, hops: Signals) -> Floats:
    """The highest score each hop may have: the lowest of the direct hits at least as good on every signal."""
    limit = np.full(len(hops.leads), np.inf)
    dominated = (
        _at_least(np.nan_to_num(direct.cosine, nan=-2.0), np.nan_to_num(hops.cosine, nan=-2.0))
        & _at_least(direct.bm25, hops.bm25)
        & _at_least(direct.adjusted, hops.adjusted)
        & _at_least(direct.recency, hops.recency)
        & _at_least(direct.velocity, hops.velocity)
    )
    for index in range(len(limit)):
        better = scores[dominated[index]]
        if better.size:
            limit[index] = better.min()
    return limit


def _at_least(direct: NDArray[Any], hops: NDArray[Any]) -> Mask:
    """Shape (hops, direct): whether the direct hit's signal is at least the hop's."""
    mask: Mask = direct[None, :] >= hops[:, None]
    return mask
