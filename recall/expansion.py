"""Graph expansion: what is tied to the best direct hits, on the same scale as they are.

A neighbour in no list gets rrf = discount * edge weight * its best parent's rrf
and its own factors. It is held below the lowest direct hit that is at least as
good on cosine, BM25, adjusted effectiveness, recency and velocity, so that a
hop never passes what is better in every way.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..projections import compiled
from ..projections.beliefs import Beliefs
from ..projections.columns import Lookup
from ..projections.ledger.memories import Memories
from .names import FOLLOWED, Shown, namesakes
from .scoring import Floats, Ordinals, Records, begins, joined
from .view import View
from .visibility import Mask, remembered

BY_NAME = ("mentions", "in_category")
"""Relations that are numbered from below: -1 and -2."""


class Paths(NamedTuple):
    """Where the graph may be walked: `believed` roots are shown; `passable()` would be, were they not superseded."""

    believed: Mask
    passable: Callable[[], Mask]


TIES = np.dtype([("parent", "i8"), ("root", "i8"), ("relation", "i8"), ("row", "i8"), ("weight", "f8")])
"""An edge to a believed memory.

`parent` is a place among the memories asked about, `relation` a number for `relation_name`, `row` that of the edge, -1
for a tie by a name.
"""

REACHED = np.dtype([("root", "i8"), ("rrf", "f8"), ("hop", "i8"), ("parent", "i8"), ("relation", "i8"), ("edge", "f8")])
"""A memory that edges lead to, by its best path: `parent` is the root before it, `edge` the weight of the last edge."""


def relation_name(view: View, number: int) -> str:
    """The relation of a tie."""
    return view.beliefs.graph.relations.names[number] if number >= 0 else BY_NAME[-1 - number]


def neighbours(view: View, roots: Ordinals, paths: Paths) -> Records:
    """Believed memories one followed edge away from each of `roots`, by declared edges and by names they share.

    As `TIES`, by parent; those of one as they were declared, oldest first, then those by names.
    """
    declared, numbers = _declared(view, roots, paths), {name: -1 - place for place, name in enumerate(BY_NAME)}
    named = [
        (tie.place, tie.root, numbers[tie.relation], -1, tie.weight)
        for tie in namesakes(view, roots, Shown(view, paths.believed))
    ]
    if not named:
        return declared
    ties = joined([declared, np.array(named, TIES)])
    return ties.take(ties["parent"].argsort(kind="stable"))


def _declared(view: View, roots: Ordinals, paths: Paths) -> Records:
    """Those by declared edges, read through today's membership."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    if compiled.edges is not None:
        found = _compiled(compiled.edges, view, roots, paths)
        if found is not None:
            return found
    table, today = graph.table, memories.table["root"]
    parent, rows = _rows(view, roots)
    source, target, relation = table["source"][rows], table["target"][rows], table["relation"][rows]
    wanted = ((source >= 0) & (target >= 0) & graph.one_of(FOLLOWED)[relation]).nonzero()[0]
    parent, relation, rows = parent[wanted], relation[wanted].astype(np.int64), rows[wanted]
    source, target = today[source[wanted]], today[target[wanted]]
    mine = roots[parent]
    other = np.where(source == mine, target, source).astype(np.int64)
    shown = paths.believed[other] & (other != mine)
    replaced = (relation == graph.relations.find("updates")) & (memories.table["superseded"][other] == 1) & ~shown
    ties = np.empty(len(rows), TIES)
    ties["parent"], ties["root"], ties["relation"], ties["row"] = parent, other, relation, rows
    ties["weight"] = table["weight"][rows]
    places, ends = [shown.nonzero()[0]], [other[shown]]
    for place in replaced.nonzero()[0].tolist():
        ahead = tips(memories, int(other[place]), paths, mine=int(mine[place]))
        places.append(np.full(len(ahead), place))
        ends.append(np.array(ahead, np.int64))
    place, end = np.concatenate(places), np.concatenate(ends)
    order = place.argsort(kind="stable")
    ties = ties.take(place[order])
    ties["root"] = end[order]
    return ties


def _compiled(work: ModuleType, view: View, roots: Ordinals, paths: Paths) -> Records | None:
    """The same in one loop; None where what superseded a memory has to be found."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    roots = np.ascontiguousarray(roots, np.int64)
    ends, owner = _ends(view.beliefs, roots)
    lookups = graph.sorted_of(ends)
    if lookups is None:
        return None
    edges = tuple(graph.table[name] for name in ("source", "target", "relation", "weight", "until"))
    updates = graph.relations.find("updates")
    state = (memories.table["root"], paths.believed, memories.table["superseded"], graph.one_of(FOLLOWED), updates)
    found, replaced = work.ties(lookups, edges, state, ends, owner, roots)
    return None if replaced else np.frombuffer(found, TIES)


def _ends(beliefs: Beliefs, roots: Ordinals) -> tuple[Ordinals, Ordinals]:
    """The texts of some memories, in no order, and of each the place of its memory."""
    memories, places = beliefs.memories.table, np.arange(len(roots))
    several = (memories["members"].take(roots) != 1).nonzero()[0]
    if not len(several):
        return roots, places
    later = remembered(beliefs, ("joined later",), lambda: _joined_later(memories["root"]))
    place, texts = Lookup(memories["root"].take(later), later).find_many(roots[several])
    return np.concatenate([roots, texts]), np.concatenate([places, several[place]])


def _joined_later(root: NDArray[np.int32]) -> NDArray[np.int32]:
    """The texts that are not the first of their memory, by memory; few are, so few are looked at for one."""
    others = np.flatnonzero(root != np.arange(len(root))).astype(np.int32)
    return others[root[others].argsort(kind="stable")]


def _rows(view: View, roots: Ordinals) -> tuple[Ordinals, NDArray[np.int32]]:
    """Rows of the edges that touch any text of these memories, and the place of the memory; by place, oldest first."""
    ends, owner = _ends(view.beliefs, roots)
    end, rows = view.beliefs.graph.rows_of(ends)
    if len(ends) == len(roots):
        return owner[end], rows
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


def expand(
    view: View, parents: dict[int, float], paths: Paths, known: Ordinals, hops: int, *, worth: float = -np.inf
) -> Records:
    """Memories reached within `hops`, each with the rrf of the best way to it, as `REACHED`, by root.

    Args:
        view: The view.
        parents: Direct hits (roots) and their rrf.
        paths: Where to go; nothing that is not believed is shown or walked through.
        known: Roots that are in a list already.
        hops: Greatest number of edges.
        worth: Those of less rrf are left out, but for the way to others.
    """
    discount = view.beliefs.constants.hop_discount
    ordered = sorted(parents, key=lambda root: (-parents[root], -root))
    frontier, rrf = np.array(ordered, np.int64), np.array([parents[root] for root in ordered])
    passed = np.zeros(len(paths.believed), np.bool_)
    passed[known] = True
    steps: list[Records] = [np.empty(0, REACHED)]
    for hop in range(1, hops + 1):
        ties = neighbours(view, frontier, paths)
        gained = discount * ties["weight"] * rrf[ties["parent"]]
        fresh = ~passed[ties["root"]]
        kept = (fresh & (gained >= worth) if hop == hops else fresh).nonzero()[0]
        if not len(kept):
            break
        ties, gained = ties.take(kept), gained[kept]
        # Of the ways to a memory the best counts, of equals the first.
        order = np.lexsort((-gained, ties["root"]))
        order = order[begins(ties["root"][order])]
        ties, gained = ties.take(order), gained[order]
        reached = np.empty(len(ties), REACHED)
        reached["rrf"], reached["hop"], reached["parent"] = gained, hop, frontier[ties["parent"]]
        reached["root"], reached["relation"], reached["edge"] = ties["root"], ties["relation"], ties["weight"]
        steps.append(reached.take((gained >= worth).nonzero()[0]))
        if hop == hops:
            break
        passed[ties["root"]] = True
        again = np.lexsort((-reached["root"], -gained))
        frontier, rrf = reached["root"][again], gained[again]
    if len(steps) <= 2:
        return steps[-1]
    found = joined(steps)
    return found.take(found["root"].argsort())


def ties_among(view: View, roots: Ordinals, direct: Ordinals, paths: Paths) -> Floats:
    """For each of `roots` the largest weight of an edge to one of the `direct` hits, 0 without any."""
    largest = np.zeros(len(roots))
    ties = neighbours(view, roots, paths)
    ties = ties.take(np.isin(ties["root"], direct).nonzero()[0])
    np.maximum.at(largest, ties["parent"], ties["weight"])
    return largest


def may_cap(direct: Records, hops: Records) -> Ordinals:
    """Places of the direct hits that `caps` may hold some hop back by, for all that is known without measuring.

    Those have a score below that of the hop and are at least as good on every signal that is known. Both are `SIGNALS`.
    """
    able: Mask = _as_used(direct, hops) & (direct["score"][None, :] < hops["score"][:, None])
    return np.flatnonzero(able.any(axis=0))


def caps(direct: Records, hops: Records) -> Floats:
    """The highest score each hop may have: the lowest of the direct hits at least as good on every signal."""
    dominated = (
        _at_least(np.nan_to_num(direct["cosine"], nan=-2.0), np.nan_to_num(hops["cosine"], nan=-2.0))
        & _at_least(direct["bm25"], hops["bm25"])
        & _as_used(direct, hops)
    )
    lowest: Floats = np.where(dominated, direct["score"][None, :], np.inf).min(axis=1, initial=np.inf)
    return lowest


def _as_used(direct: Records, hops: Records) -> Mask:
    """Shape (hops, direct): whether the direct hit is at least as good on what use and time say."""
    return (
        _at_least(direct["adjusted"], hops["adjusted"])
        & _at_least(direct["recency"], hops["recency"])
        & _at_least(direct["velocity"], hops["velocity"])
    )


def _at_least(direct: NDArray[Any], hops: NDArray[Any]) -> Mask:
    """Shape (hops, direct): whether the direct hit's signal is at least the hop's."""
    mask: Mask = direct[None, :] >= hops[:, None]
    return mask
