"""`stats`: how the memories are spread, how they hang together, and how large everything is."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..recall.statistics import Shape, buckets, shape, simple_pairs
from ..recall.view import Asker, View
from ..recall.visibility import holding, may_see
from .opened import AsOf, AsOfPoint, reading
from .projections import FOLDER
from .scanning import naming, tag_of
from .seeing import Sight

if TYPE_CHECKING:
    from .opened import OpenStore

TOP = 5
SPREAD_BUCKETS = 5
LEAST_WIDTH = 0.01
"""Least width of a bucket of spread, as in the original system."""

Roots = NDArray[np.int64]


class Bucket(msgspec.Struct, frozen=True):
    """How many values lie from `low` up to, but not at, `high`; the last bucket includes its end."""

    low: float
    high: float
    count: int


class Top(msgspec.Struct, frozen=True):
    """A memory at the top of a list, and the number that put it there."""

    id: str
    text: str
    number: int


class GraphShape(msgspec.Struct, frozen=True, kw_only=True):
    """The simple graph of the memories: each connected pair once, whatever its relations.

    `density` is edges by possible pairs, at most 1. `articulation` are the memories whose loss would split their
    component, `articulation_points` how many there are.
    """

    nodes: int
    edges: int
    density: float
    components: int
    largest: int
    isolates: int
    articulation_points: int
    articulation: tuple[str, ...]
    relations: dict[str, int]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes in numbers and bytes; texts and vectors are everybody's at the point, the rest is the disk's now."""

    texts: int
    vectors: int
    dimensions: int
    graph_rows: int
    log_bytes: int
    projection_bytes: int


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """The live memories that the asker may see, in numbers.

    `effectiveness` are ten buckets over memories that were used, `spread` five over those with a spread of contexts;
    `velocity` counts memories by their causal feedbacks in the window.
    """

    memories: int
    used: int
    effectiveness: tuple[Bucket, ...]
    effectiveness_mean: float | None
    spread: tuple[Bucket, ...]
    velocity: dict[int, int]
    top_velocity: tuple[Top, ...]
    top_connected: tuple[Top, ...]
    graph: GraphShape
    log: dict[str, int]
    sizes: Sizes
    as_of: AsOfPoint


@reading
def stats(self: OpenStore, *, user: str | None = None, as_of: AsOf | None = None) -> Stats:
    """Distributions of effectiveness, spread and velocity, the shape of the graph, the log by type, and sizes.

    Args:
        self: The store.
        user: Whose memories and events are counted; the owner's if not given.
        as_of: What was believed then; see `recall`.
    """
    view = self.view(as_of)
    live = may_see(view.beliefs, Asker(user=user)) & holding(view.beliefs, view.point.clock)
    roots: Roots = np.flatnonzero(live)
    learned, clock = view.beliefs.effectiveness, view.point.clock
    used = roots[learned.table["uses"][roots] > 0]
    values = learned.value(used, clock)
    velocity = learned.velocity(roots, clock)
    pairs = simple_pairs(view.beliefs, live)
    degree = np.bincount(pairs.ravel(), minlength=len(view.beliefs.texts))[roots]
    return Stats(
        memories=len(roots),
        used=len(used),
        effectiveness=_buckets(values, [step / 10 for step in range(11)]),
        effectiveness_mean=math.fsum(values.tolist()) / len(used) if len(used) else None,
        spread=_spread(view, roots),
        velocity=dict(sorted(Counter(velocity.tolist()).items())),
        top_velocity=_top(view, roots, velocity),
        top_connected=_top(view, roots, degree),
        graph=_graph(view, shape(roots, pairs), live),
        log=_by_type(self, view, user),
        sizes=_sizes(self, view),
        as_of=self.as_of_point(view.point),
    )


def _buckets(values: NDArray[np.float64], edges: list[float]) -> tuple[Bucket, ...]:
    return tuple(Bucket(*bucket) for bucket in buckets(values, edges))


def _spread(view: View, roots: Roots) -> tuple[Bucket, ...]:
    """Buckets of equal width over the memories that had several contexts."""
    table = view.beliefs.effectiveness.table
    values = table["spread"][roots[table["contexts"][roots] > 1]]
    width = max(float(values.max(initial=0.0)) / SPREAD_BUCKETS, LEAST_WIDTH)
    edges = [step * width for step in range(SPREAD_BUCKETS + 1)]
    edges[-1] = max(edges[-1], float(values.max(initial=0.0)))
    return _buckets(values, edges)


def _top(view: View, roots: Roots, numbers: NDArray[np.int64]) -> tuple[Top, ...]:
    """The memories with the greatest numbers above 0, of equals the newer first."""
    beliefs = view.beliefs
    order = np.lexsort((-roots, -numbers))[:TOP]
    return tuple(
        Top(beliefs.texts.id_of(root), view.body(int(beliefs.memories.table["lead"][root])).text, number)
        for root, number in zip(roots[order].tolist(), numbers[order].tolist(), strict=True)
        if number > 0
    )


def _graph(view: View, found: Shape, live: NDArray[np.bool_]) -> GraphShape:
    beliefs = view.beliefs
    return GraphShape(
        nodes=found.nodes,
        edges=found.edges,
        density=found.density,
        components=found.components,
        largest=found.largest,
        isolates=found.isolates,
        articulation_points=len(found.articulation),
        articulation=tuple(beliefs.texts.id_of(root) for root in found.articulation[:TOP]),
        relations=_relations(view, live),
    )


def _relations(view: View, live: NDArray[np.bool_]) -> dict[str, int]:
    """Edges between live memories by relation; a pair counts once a relation, in each direction."""
    table, roots = view.beliefs.graph.table, view.beliefs.memories.table["root"].astype(np.int64)
    kept = (table["until"] == 0) & (table["source"] >= 0) & (table["target"] >= 0)
    source, target, relation = roots[table["source"][kept]], roots[table["target"][kept]], table["relation"][kept]
    shown = live[source] & live[target] & (source != target)
    edges = np.unique(np.column_stack([source, target, relation])[shown], axis=0)
    names = view.beliefs.graph.relations.names
    counts: list[int] = np.bincount(edges[:, 2], minlength=len(names)).tolist()
    named = zip(names, counts, strict=False)
    return {name: number for name, number in sorted(named) if number}


def _by_type(self: OpenStore, view: View, user: str | None) -> dict[str, int]:
    """The events that the asker may see, by type."""
    sight = Sight(self, view, user)
    events = naming(self.eventlog, ("",), view.point.seq)
    return dict(sorted(Counter(tag_of(one) for one in events if sight.of(one) is not None).items()))


def _sizes(self: OpenStore, view: View) -> Sizes:
    vectors = 0 if view.vectors is None else view.vectors.rows_at(view.point.seq)
    return Sizes(
        texts=view.texts,
        vectors=vectors,
        dimensions=0 if view.vectors is None or not vectors else view.vectors.dims,
        graph_rows=0 if view.vectors is None else view.vectors.graph_rows,
        log_bytes=_bytes(self.folder / "log"),
        projection_bytes=_bytes(self.folder / FOLDER),
    )


def _bytes(folder: Path) -> int:
    """Bytes of the files below a folder, as the disk holds them."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
