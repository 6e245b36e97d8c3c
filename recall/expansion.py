"""Graph expansion: what is tied to the best direct hits, on the same scale as they are.

A neighbour in no list gets rrf = discount * edge weight * its best parent's rrf
and its own factors. It is held below the lowest direct hit that is at least as
good on cosine, BM25, adjusted effectiveness, recency and velocity, so that a
hop never passes what is better in every way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..projections.ledger.memories import Memories
from .names import FOLLOWED, Shown, namesakes
from .scoring import Floats, Ordinals, Signals
from .view import View
from .visibility import Mask

BY_NAME = ("mentions", "in_category")
"""Relations that are numbered from below: -1 and -2."""


class Paths(NamedTuple):
    """Where the graph may be walked: `believed` roots are shown; `passable()` would be, were they not superseded."""

    believed: Mask
    passable: Callable[[], Mask]


class Ties(NamedTuple):
    """Edges to believed memories; arrays of one length.

    `parent` is a place among the memories asked about, `relation` a number for `relation_name`. They come by parent;
    those of one as they were declared, oldest first, then those by names.
    """

    parent: Ordinals
    root: Ordinals
    relation: Ordinals
    weight: Floats

    def at(self, places: Ordinals) -> Ties:
        """Some of them."""
        return Ties._make(column[places] for column in self)


class Reached(NamedTuple):
    """Memories that edges lead to, ascending, each by its best path: its parent is a root."""

    roots: Ordinals
    rrf: Floats
    hop: Ordinals
    parent: Ordinals
    relation: Ordinals
    weight: Floats

    def at(self, places: Ordinals) -> Reached:
        """Some of them."""
        return Reached._make(column[places] for column in self)


def relation_name(view: View, number: int) -> str:
    """The relation of a tie."""
    return view.beliefs.graph.relations.names[number] if number >= 0 else BY_NAME[-1 - number]


def neighbours(view: View, roots: Ordinals, paths: Paths) -> Ties:
    """Believed memories one followed edge away from each of `roots`, by declared edges and by names they share."""
    ties, shown = [_declared(view, roots, paths)], Shown(view, paths.believed)
    for place, root in enumerate(roots.tolist()):
        for found in namesakes(view, root, shown):
            size, number = len(found.roots), -1 - BY_NAME.index(found.relation)
            ties.append(Ties(np.full(size, place), found.roots, np.full(size, number), found.weights))
    if len(ties) == 1:
        return ties[0]
    joined = Ties._make(map(np.concatenate, zip(*ties, strict=True)))
    return joined.at(joined.parent.argsort(kind="stable"))


def _declared(view: View, roots: Ordinals, paths: Paths) -> Ties:
    """Those by declared edges, read through today's membership."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    table, today = graph.table, memories.table["root"]
    parent, rows = _rows(view, roots)
    source, target, relation = table["source"][rows], table["target"][rows], table["relation"][rows]
    wanted = ((source >= 0) & (target >= 0) & graph.one_of(FOLLOWED)[relation]).nonzero()[0]
    parent, relation, weight = parent[wanted], relation[wanted].astype(np.int64), table["weight"][rows[wanted]]
    source, target = today[source[wanted]], today[target[wanted]]
    mine = roots[parent]
    other = np.where(source == mine, target, source).astype(np.int64)
    shown = paths.believed[other] & (other != mine)
    replaced = (relation == graph.relations.find("updates")) & (memories.table["superseded"][other] == 1) & ~shown
    if not replaced.any():
        return Ties(parent[shown], other[shown], relation[shown], weight[shown])
    places, ends = [shown.nonzero()[0]], [other[shown]]
    for place in replaced.nonzero()[0].tolist():
        ahead = tips(memories, int(other[place]), paths, mine=int(mine[place]))
        places.append(np.full(len(ahead), place))
        ends.append(np.array(ahead, np.int64))
    place, end = np.concatenate(places), np.concatenate(ends)
    order = place.argsort(kind="stable")
    place = place[order]
    return Ties(parent[place], end[order], relation[place], weight[place])


def _rows(view: View, roots: Ordinals) -> tuple[Ordinals, NDArray[np.int32]]:
    """Rows of the edges that touch any text of these memories, and the place of the memory; by place, oldest first."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    several = (memories.table["members"][roots] != 1).nonzero()[0]
    if not len(several):
        return graph.rows_of(roots)
    ends = [roots[place : place + 1] for place in range(len(roots))]
    for place in several.tolist():
        ends[place] = memories.members(int(roots[place])).astype(np.int64)
    owner = np.repeat(np.arange(len(ends)), [len(own) for own in ends])
    end, rows = graph.rows_of(np.concatenate(ends))
    order = np.lexsort((rows, owner[end]))
    return owner[end[order]], rows[order]


def tips(memories: Memories, root: int, paths: Paths, *, mine: int = -1) -> list[int]:
    """What took a memory's place and is believed, lowest first, but for `mine`.

    The way there leads only over what would be believed itself, had it not been superseded.
    """
    todo, seen, found = [root], {mine}, set()
    if memories.superseded_by(root) == (mine,):
        return []
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        if paths.believed[current]:
            found.add(current)
        elif memories.table["superseded"][current] and paths.passable()[current]:
            todo.extend(memories.superseded_by(current))
    return sorted(found)


def expand(view: View, parents: dict[int, float], paths: Paths, known: Ordinals, hops: int) -> Reached:
    """Memories reached within `hops`, each with the rrf of the best way to it.

    Args:
        view: The view.
        parents: Direct hits (roots) and their rrf.
        paths: Where to go; nothing that is not believed is shown or walked through.
        known: Roots that are in a list already.
        hops: Greatest number of edges.
    """
    discount = view.beliefs.constants.hop_discount
    ordered = sorted(parents, key=lambda root: (-parents[root], -root))
    frontier, rrf = np.array(ordered, np.int64), np.array([parents[root] for root in ordered])
    passed = np.zeros(len(paths.believed), np.bool_)
    passed[known] = True
    steps: list[Reached] = []
    for hop in range(1, hops + 1):
        ties = neighbours(view, frontier, paths)
        fresh = (~passed[ties.root]).nonzero()[0]
        if not len(fresh):
            break
        ties = ties.at(fresh)
        gained = discount * ties.weight * rrf[ties.parent]
        # Of the ways to a memory the best counts, of equals the first.
        order = np.lexsort((-gained, ties.root))
        order = order[np.flatnonzero(np.diff(ties.root[order], prepend=-1))]
        best, gained = ties.at(order), gained[order]
        hops_taken = np.full(len(order), hop)
        steps.append(Reached(best.root, gained, hops_taken, frontier[best.parent], best.relation, best.weight))
        passed[best.root] = True
        again = np.lexsort((-best.root, -gained))
        frontier, rrf = best.root[again], gained[again]
    if not steps:
        nothing, none = np.empty(0, np.int64), np.empty(0)
        return Reached(nothing, none, nothing, nothing, nothing, none)
    joined = Reached._make(map(np.concatenate, zip(*steps, strict=True)))
    return joined.at(joined.roots.argsort())


def ties_among(view: View, roots: Ordinals, direct: Ordinals, paths: Paths) -> Floats:
    """For each of `roots` the largest weight of an edge to one of the `direct` hits, 0 without any."""
    largest = np.zeros(len(roots))
    ties = neighbours(view, roots, paths)
    kept = np.isin(ties.root, direct)
    np.maximum.at(largest, ties.parent[kept], ties.weight[kept])
    return largest


def may_cap(direct: Signals, scores: Floats, hops: Signals, raw: Floats) -> Ordinals:
    """Places of the direct hits that `caps` may hold some hop back by, for all that is known without measuring.

    Those have a score below that of the hop, `raw`, and are at least as good on every signal that is known.
    """
    able: Mask = _as_used(direct, hops) & (scores[None, :] < raw[:, None])
    return np.flatnonzero(able.any(axis=0))


def caps(direct: Signals, scores: Floats, hops: Signals) -> Floats:
    """The highest score each hop may have: the lowest of the direct hits at least as good on every signal."""
    dominated = (
        _at_least(np.nan_to_num(direct.cosine, nan=-2.0), np.nan_to_num(hops.cosine, nan=-2.0))
        & _at_least(direct.bm25, hops.bm25)
        & _as_used(direct, hops)
    )
    lowest: Floats = np.where(dominated, scores[None, :], np.inf).min(axis=1, initial=np.inf)
    return lowest


def _as_used(direct: Signals, hops: Signals) -> Mask:
    """Shape (hops, direct): whether the direct hit is at least as good on what use and time say."""
    return (
        _at_least(direct.adjusted, hops.adjusted)
        & _at_least(direct.recency, hops.recency)
        & _at_least(direct.velocity, hops.velocity)
    )


def _at_least(direct: NDArray[Any], hops: NDArray[Any]) -> Mask:
    """Shape (hops, direct): whether the direct hit's signal is at least the hop's."""
    mask: Mask = direct[None, :] >= hops[:, None]
    return mask
