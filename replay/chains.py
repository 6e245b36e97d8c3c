"""Chains of supersession: which memories belong together, and in which order they are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..projections.beliefs import Beliefs
from ..recall.visibility import Mask

UPDATES = "updates"


class Place(NamedTuple):
    """A memory's place in the telling: its chain, from 1, and how many steps it is from where that begins."""

    root: int
    chain: int
    depth: int


def explored(beliefs: Beliefs, begun: Iterable[int], seen: Mask) -> list[int]:
    """These memories with all that ever replaced them or was replaced by them, as far as they may be seen; rising.

    Also over supersessions that were taken back: the edge that each left is still there.
    """
    todo, found = list(begun), set[int]()
    while todo:
        root = todo.pop()
        if root in found or not seen[root]:
            continue
        found.add(root)
        todo += _beside(beliefs, root)
    return sorted(found)


def _beside(beliefs: Beliefs, root: int) -> set[int]:
    """Memories one supersession away."""
    memories, graph = beliefs.memories, beliefs.graph
    ends: set[int] = set(memories.superseded_by(root))
    for member in memories.members(root).tolist():
        ends.update(memories.root(old) for old in memories.predecessors.get(member, ()))
        for row in graph.rows(member).tolist():
            edge = graph.edge(row)
            if edge.relation == UPDATES and min(edge.source, edge.target) >= 0:
                ends |= {memories.root(edge.source), memories.root(edge.target)}
    return ends - {root}


def chained(roots: Sequence[int], links: Iterable[tuple[int, int]]) -> list[Place]:
    """The memories chain by chain, each after what it took the place of; `links` are (old, new) in order of events.

    Of a circle, which a supersession after a restore may close, the oldest comes first.
    """
    after: dict[int, list[int]] = {root: [] for root in roots}
    before: dict[int, set[int]] = {root: set() for root in roots}
    for old, new in links:
        after[old].append(new)
        before[new].add(old)
    told: dict[int, Place] = {}
    chain = 0
    for start in [*(root for root in roots if not before[root]), *roots]:
        if start in told:
            continue
        group = _together(start, after, before)
        known = [told[one].chain for one in group if one in told]
        if not known:
            chain += 1
        todo = [(start, 0)]
        while todo:
            root, depth = todo.pop()
            if root not in told:
                told[root] = Place(root, known[0] if known else chain, depth)
                todo += [(new, depth + 1) for new in reversed(after[root])]
    return sorted(told.values(), key=lambda place: place.chain)


def _together(start: int, after: dict[int, list[int]], before: dict[int, set[int]]) -> set[int]:
    """The memories that hang together with this one."""
    todo, found = [start], set[int]()
    while todo:
        root = todo.pop()
        if root not in found:
            found.add(root)
            todo += [*after[root], *before[root]]
    return found
