"""Graph expansion: what is tied to the best direct hits, on the same scale as they are.

A neighbour in no list gets rrf = discount * edge weight * its best parent's rrf
and its own factors. It is held below the lowest direct hit that is at least as
good on cosine, BM25, adjusted effectiveness, recency and velocity, so that a
hop never passes what is better in every way.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..projections import compiled
from ..projections.beliefs import Beliefs
from ..projections.ledger.memories import Memories
from .names import BY_NAME, CROWD, FOLLOWED, LETTERS, Shown, any_linked, namesakes
from .scoring import Floats, Ordinals, Records, begins, joined
from .view import View
from .visibility import Mask


class Paths(NamedTuple):
    """Where the graph may be walked: `believed` roots are shown; `passable()` would be, were they not superseded."""

    believed: Mask
    passable: Callable[[], Mask]


WAYS = np.dtype([("root", "i8"), ("rrf", "f8"), ("hop", "i8"), ("parent", "i8"), ("relation", "i8"), ("edge", "f8")])
"""Ways to believed memories, by an edge or a name.

`parent` is the memory before it, as a place among those asked about or as its root; `relation` is a number for
`relation_name`, `edge` the weight of the last edge.
"""


def relation_name(view: View, number: int) -> str:
    """The relation of a tie."""
    return view.beliefs.graph.relations.names[number] if number >= 0 else BY_NAME[-1 - number]


def neighbours(view: View, roots: Ordinals, paths: Paths) -> Records:
    """Believed memories one followed edge away from each of `roots`, by declared edges and by names they share.

    As `WAYS` with rrf and hop 0, by the place of the parent; those of one as they were declared, oldest first, then
    those by names. To be read only.
    """
    if compiled.edges is None:
        return _with_names(view, roots, _declared(view, roots, paths), paths)
    ways, linked = _compiled(compiled.edges, view, roots, paths)
    # Where edges lead to a name as well, it takes more to know who has to do with it.
    return _with_names(view, roots, ways.take((ways["relation"] >= 0).nonzero()[0]), paths) if linked else ways


def _with_names(view: View, roots: Ordinals, declared: Records, paths: Paths) -> Records:
    """Ways by edges, and those by names."""
    numbers = {name: -1 - place for place, name in enumerate(BY_NAME)}
    named = [
        (tie.root, 0.0, 0, tie.place, numbers[tie.relation], tie.weight)
        for tie in namesakes(view, roots, Shown(view, paths.believed))
    ]
    if not named:
        return declared
    ways = joined([declared, np.array(named, WAYS)])
    return ways.take(ways["parent"].argsort(kind="stable"))


def _declared(view: View, roots: Ordinals, paths: Paths) -> Records:
    """Those by declared edges, read through today's membership."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    table, today = graph.table, memories.table["root"]
    parent, rows = _rows(view, roots)
    source, target, relation = table["source"][rows], table["target"][rows], table["relation"][rows]
    wanted = ((source >= 0) & (target >= 0) & graph.one_of(FOLLOWED)[relation]).nonzero()[0]
    parent, relation, rows = parent[wanted], relation[wanted], rows[wanted]
    source, target = today[source[wanted]], today[target[wanted]]
    mine = roots[parent]
    other = np.where(source == mine, target, source)
    shown = paths.believed[other]
    replaced = ~shown & (relation == graph.relations.find("updates")) & (memories.table["superseded"][other] == 1)
    kept = ((shown | replaced) & (other != mine)).nonzero()[0]
    ways = np.zeros(len(kept), WAYS)
    ways["root"], ways["parent"], ways["relation"] = other[kept], parent[kept], relation[kept]
    ways["edge"] = table["weight"][rows[kept]]
    return _past_replaced(memories, roots, ways, paths) if replaced.any() else ways


def _compiled(work: ModuleType, view: View, roots: Ordinals, paths: Paths) -> tuple[Records, bool]:
    """The same and those by names that memories carry, in one loop; and whether edges lead to some name of theirs."""
    beliefs = view.beliefs
    memories, graph, texts = beliefs.memories, beliefs.graph, beliefs.texts
    table, owned = memories.table, texts.table
    terms = (owned["terms_start"], owned["terms_count"], texts.term_codes.values, memories.terms, texts.terms.names)
    found, replaced, beyond, names = work.ties(
        (*graph.lookups(), memories.joined.parts),
        tuple(graph.table[name] for name in ("source", "target", "relation", "weight", "until")),
        (
            *(table[name] for name in ("root", "members", "superseded")),
            paths.believed,
            graph.one_of(FOLLOWED),
            graph.relations.find("updates"),
        ),
        np.ascontiguousarray(roots, np.int64),
        (memories.carrying(), terms, LETTERS, CROWD),
    )
    ways = np.frombuffer(found, WAYS)
    if replaced:
        ways = _past_replaced(memories, roots, ways, paths)
    return ways, beyond or any_linked(view, names)


def _past_replaced(memories: Memories, roots: Ordinals, ways: Records, paths: Paths) -> Records:
    """Ways to what is believed; those to what is not lead on to what took its place."""
    shown = paths.believed[ways["root"]]
    kept = shown.nonzero()[0]
    ahead = [
        (place, root)
        for place in (~shown).nonzero()[0].tolist()
        for root in tips(memories, int(ways["root"][place]), paths, mine=int(roots[ways["parent"][place]]))
    ]
    places, ends = zip(*ahead, strict=True) if ahead else ((), ())
    place = np.concatenate([kept, np.array(places, np.int64)])
    further: Records = ways.take(place)
    further["root"][len(kept) :] = ends
    return further.take(place.argsort(kind="stable"))


def _ends(beliefs: Beliefs, roots: Ordinals) -> tuple[Ordinals, Ordinals]:
    """The texts of some memories, in no order, and of each the place of its memory."""
    memories, places = beliefs.memories.table, np.arange(len(roots))
    several = (memories["members"].take(roots) != 1).nonzero()[0]
    if not len(several):
        return roots, places
    place, texts = beliefs.memories.joined.find_many(roots[several])
    return np.concatenate([roots, texts]), np.concatenate([places, several[place]])


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
    view: View, parents: Records, paths: Paths, known: Ordinals, hops: int, *, worth: float = -np.inf
) -> Records:
    """Memories reached within `hops`, each by the best way to it, as `WAYS` with the roots of parents; by root.

    Args:
        view: The view.
        parents: Direct hits, each once: records with `root` and `rrf`.
        paths: Where to go; nothing that is not believed is shown or walked through.
        known: Roots that are in a list already.
        hops: Greatest number of edges.
        worth: Those of less rrf are left out, but for the way to others.
    """
    discount, frontier = view.beliefs.constants.hop_discount, parents
    passed = np.zeros(len(paths.believed), np.bool_)
    passed[known] = True
    steps: list[Records] = [np.empty(0, WAYS)]
    for hop in range(1, hops + 1):
        frontier = frontier.take(np.lexsort((-frontier["root"], -frontier["rrf"])))
        ways = neighbours(view, frontier["root"], paths)
        rrf = discount * ways["edge"] * frontier["rrf"].take(ways["parent"])
        kept = ~passed[ways["root"]]
        if hop == hops:
            kept &= rrf >= worth
        places = kept.nonzero()[0]
        if not len(places):
            break
        # Of the ways to a memory the best counts, of equals the first.
        places = places.take(np.lexsort((-rrf.take(places), ways["root"].take(places))))
        places = places.take(begins(ways["root"].take(places)))
        ways = ways.take(places)
        ways["rrf"], ways["hop"], ways["parent"] = rrf.take(places), hop, frontier["root"].take(ways["parent"])
        if hop == hops:
            steps.append(ways)
            break
        steps.append(ways.take((ways["rrf"] >= worth).nonzero()[0]))
        passed[ways["root"]] = True
        frontier = ways
    if len(steps) <= 2:
        return steps[-1]
    found = joined(steps)
    return found.take(found["root"].argsort())


def ties_among(view: View, roots: Ordinals, direct: Ordinals, paths: Paths) -> Floats:
    """For each of `roots` the largest weight of an edge to one of the `direct` hits, 0 without any."""
    largest = np.zeros(len(roots))
    ties = neighbours(view, roots, paths)
    ties = ties.take(np.isin(ties["root"], direct).nonzero()[0])
    np.maximum.at(largest, ties["parent"], ties["edge"])
    return largest


def may_cap(direct: Records, hops: Records) -> Ordinals:
    """Places of the direct hits that `caps` may hold some hop back by, for all that is known without measuring.

    Those have a score below that of the hop and are at least as good on every signal that is known. Both are `SIGNALS`.
    """
    able: Mask = direct["score"] < hops["score"][:, None]
    _keep_as_used(able, direct, hops)
    return np.flatnonzero(able.any(axis=0))


def caps(direct: Records, hops: Records) -> Floats:
    """The highest score each hop may have: the lowest of the direct hits at least as good on every signal."""
    # An unknown cosine is below all others.
    as_good = np.fmax(direct["cosine"], -2.0) >= np.fmax(hops["cosine"], -2.0)[:, None]
    as_good &= direct["bm25"] >= hops["bm25"][:, None]
    _keep_as_used(as_good, direct, hops)
    lowest: Floats = np.where(as_good, direct["score"], np.inf).min(axis=1, initial=np.inf)
    return lowest


def _keep_as_used(mask: Mask, direct: Records, hops: Records) -> None:
    """Of a mask of shape (hops, direct), keep where the direct hit is at least as good on what use and time say."""
    for signal in ("adjusted", "recency", "velocity"):
        mask &= direct[signal] >= hops[signal][:, None]
