"""`neighbors` and `lineage`: what a memory is tied to, and what it came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from ..projections.graph.edges import SIMILAR, Edge, resolved_edge
from ..recall.names import Shown, namesakes
from ..recall.view import Asker, View
from ..recall.visibility import Mask, state
from . import checks
from .opened import AsOf, AsOfPoint, reading
from .seeing import visible, visible_root

if TYPE_CHECKING:
    from .opened import OpenStore

Direction = Literal["out", "in", "both"]
ANCESTRY = {"led_to": "in", "derives": "out"}
"""The relations that lineage follows, and which way along them the origin lies."""


class Neighbor(msgspec.Struct, frozen=True, kw_only=True):
    """The other end of an edge. `direction` out: the asked memory points to it.

    An end that is no memory has an id such as `entity:ada`, and neither text, state nor effectiveness.
    """

    id: str
    text: str | None
    relation: str
    direction: Direction
    weight: float
    state: str | None
    effectiveness: float | None


class Neighbors(msgspec.Struct, frozen=True, kw_only=True):
    """What a memory is tied to, heaviest first; `total` of them before the limit."""

    id: str
    neighbors: tuple[Neighbor, ...]
    total: int
    as_of: AsOfPoint


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A memory of a lineage; `hop` edges before (below 0) or after (above 0) the asked one."""

    id: str
    text: str
    hop: int
    state: str
    effectiveness: float


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """An edge of a lineage, from what was earlier to what came of it."""

    source: str
    target: str
    relation: str
    weight: float


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """What a memory came from and what came of it."""

    id: str
    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    as_of: AsOfPoint


class _Tie(NamedTuple):
    """An edge of a memory: the other end, a root or below zero."""

    end: int
    relation: str
    direction: Direction
    weight: float


@reading
def neighbors(
    self: OpenStore,
    memory: str,
    *,
    relation: str | None = None,
    limit: int = 20,
    user: str | None = None,
    as_of: AsOf | None = None,
) -> Neighbors:
    """The ends of a memory's edges: declared ones, similar ones, and memories that name the same entity or category.

    Args:
        self: The store.
        memory: Its id, that of one of its texts, or a unique beginning.
        relation: Only this relation; `mentions` and `in_category` are those by names.
        limit: Most neighbors.
        user: Who asks; the owner if not given.
        as_of: What was believed then; see `recall`.

    Raises:
        NotFound: There is no such memory, or the asker may not see it.
    """
    limit = checks.check_count(limit, what="limit")
    view = self.view(as_of)
    root = visible_root(self, view, memory, user)
    seen = visible(view, Asker(user=user))
    found = {
        (tie.end, tie.relation, tie.direction): tie
        for tie in (*_ties(view, root), *_namesakes(view, root, seen))
        if relation in (None, tie.relation) and (tie.end < 0 or seen[tie.end])
    }
    ordered = sorted(found.values(), key=lambda tie: (-tie.weight, -tie.end, tie.relation, tie.direction))
    return Neighbors(
        id=view.beliefs.texts.id_of(root),
        neighbors=tuple(_neighbor(view, tie) for tie in ordered[:limit]),
        total=len(ordered),
        as_of=self.as_of_point(view.point),
    )


def _ties(view: View, root: int) -> Iterator[_Tie]:
    """The live edges of a memory, of all its texts, oldest first."""
    memories, graph = view.beliefs.memories, view.beliefs.graph
    ends = memories.members(root).tolist()
    for row in sorted({row for end in ends for row in graph.rows(end)}):
        edge = resolved_edge(graph.edge(row), memories.root)
        if edge is not None and root in (edge.source, edge.target):
            yield _tie(edge, root)


def _tie(edge: Edge, root: int) -> _Tie:
    out = edge.source == root
    direction: Direction = "out" if out else "in"
    return _Tie(
        edge.target if out else edge.source,
        edge.relation,
        "both" if edge.relation == SIMILAR else direction,
        edge.weight,
    )


def _namesakes(view: View, root: int, seen: Mask) -> Iterator[_Tie]:
    """Memories tied by a name, as recall follows them."""
    for found in namesakes(view, np.array([root]), Shown(view, seen)):
        yield _Tie(found.root, found.relation, "both", found.weight)


def _neighbor(view: View, tie: _Tie) -> Neighbor:
    beliefs = view.beliefs
    memory = tie.end >= 0
    return Neighbor(
        id=beliefs.texts.id_of(tie.end) if memory else beliefs.graph.end_name(tie.end),
        text=_text(view, tie.end) if memory else None,
        relation=tie.relation,
        direction=tie.direction,
        weight=tie.weight,
        state=state(beliefs, tie.end, view.point.clock) if memory else None,
        effectiveness=_value(view, tie.end) if memory else None,
    )


def _text(view: View, root: int) -> str:
    return view.body(int(view.beliefs.memories.table["lead"][root])).text


def _value(view: View, root: int) -> float:
    return float(view.beliefs.effectiveness.value(np.array([root], np.int64), view.point.clock)[0])


@reading
def lineage(
    self: OpenStore, memory: str, *, hops: int = 3, user: str | None = None, as_of: AsOf | None = None
) -> Lineage:
    """What a memory came from and what came of it, along led_to and derives.

    Args:
        self: The store.
        memory: Its id, that of one of its texts, or a unique beginning.
        hops: Most edges in each direction.
        user: Who asks; the owner if not given. A memory that they may not see is neither shown nor passed through.
        as_of: What was believed then; see `recall`.

    Raises:
        NotFound: There is no such memory, or the asker may not see it.
    """
    hops = checks.check_count(hops, what="number of hops", most=100)
    view = self.view(as_of)
    root = visible_root(self, view, memory, user)
    seen = visible(view, Asker(user=user))
    walks = [_walk(view, root, sign, hops, seen) for sign in (-1, 1)]
    hop = {**walks[1].hops, **walks[0].hops}
    edges = {**walks[1].edges, **walks[0].edges}
    identity = view.beliefs.texts.id_of
    return Lineage(
        id=identity(root),
        nodes=tuple(
            Node(
                id=identity(one),
                text=_text(view, one),
                hop=distance,
                state=state(view.beliefs, one, view.point.clock),
                effectiveness=_value(view, one),
            )
            for one, distance in sorted(hop.items(), key=lambda item: (item[1], item[0]))
        ),
        edges=tuple(
            Link(source=identity(source), target=identity(target), relation=relation, weight=weight)
            for (source, target, relation), weight in sorted(edges.items())
        ),
        as_of=self.as_of_point(view.point),
    )


class _Walk(NamedTuple):
    """What lies in one direction: memories by their least hop, and the edges walked."""

    hops: dict[int, int]
    edges: dict[tuple[int, int, str], float]


def _walk(view: View, root: int, sign: int, hops: int, seen: Mask) -> _Walk:
    """What lies before (sign -1) or after the memory."""
    found = _Walk({root: 0}, {})
    frontier = [root]
    for distance in range(1, hops + 1):
        following = []
        for here in frontier:
            for tie in _ties(view, here):
                before = ANCESTRY.get(tie.relation) == tie.direction
                if tie.relation not in ANCESTRY or before != (sign < 0) or tie.end < 0 or not seen[tie.end]:
                    continue
                ends = (tie.end, here) if before else (here, tie.end)
                found.edges[(*ends, tie.relation)] = tie.weight
                if tie.end not in found.hops:
                    found.hops[tie.end] = sign * distance
                    following.append(tie.end)
        frontier = following
    return found
