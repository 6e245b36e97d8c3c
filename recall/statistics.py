"""What can be said of a whole store from its beliefs: states, distributions, and the shape of its graph.

Everything here is counted over a mask of memories, so that it tells an asker
nothing of what they may not see. The graph is simple (each pair once, whatever
the relations) and its algorithms are iterative, so that its size is no limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..projections.beliefs import Beliefs
from ..projections.columns import NONE
from .visibility import STATES, Mask

Counts = NDArray[np.int64]
Pairs = NDArray[np.int64]
_ORDER = ("erased", "forgotten", "superseded", "pruned", "expired", "not_yet_valid", "no_longer_valid")


def states(beliefs: Beliefs, clock: int) -> NDArray[np.int8]:
    """The state of every root at a clock, as a place in `STATES`; equals `visibility.state` one by one."""
    table, texts = beliefs.memories.table, beliefs.texts.table
    conditions: list[Mask] = [table[name] == 1 for name in _ORDER[:4]]
    conditions += [
        (table["expires_at"] != NONE) & (table["expires_at"] <= clock),
        texts["valid_from"] > clock,
        (texts["valid_to"] != NONE) & (texts["valid_to"] <= clock),
    ]
    codes = [np.int8(STATES.index(name)) for name in _ORDER]
    result: NDArray[np.int8] = np.select(conditions, codes, default=np.int8(STATES.index("live")))
    return result


class Bucket(NamedTuple):
    """How many values lie from `low` to `high`; the last bucket includes its end."""

    low: float
    high: float
    number: int


def buckets(values: NDArray[np.float64], edges: Sequence[float]) -> tuple[Bucket, ...]:
    """Counts between neighbouring edges; each bucket includes its lower edge, the last one both."""
    counts, _ = np.histogram(values, np.asarray(edges, np.float64))
    return tuple(
        Bucket(low, high, number) for low, high, number in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    )


def simple_pairs(beliefs: Beliefs, shown: Mask) -> Pairs:
    """Pairs of distinct memories with an edge between them, both shown, each once; int64, shape (pairs, 2)."""
    table = beliefs.graph.table
    kept = (table["until"] == 0) & (table["source"] >= 0) & (table["target"] >= 0)
    roots = beliefs.memories.table["root"].astype(np.int64)
    source, target = roots[table["source"][kept]], roots[table["target"][kept]]
    low, high = np.minimum(source, target), np.maximum(source, target)
    wanted = (low != high) & shown[low] & shown[high]
    size = max(len(roots), 1)
    keys = np.unique(low[wanted] * size + high[wanted])
    return np.column_stack(np.divmod(keys, size)).reshape(-1, 2)


class Shape(NamedTuple):
    """A simple graph in numbers. `articulation` are the nodes whose loss would split their component, ascending."""

    nodes: int
    edges: int
    density: float
    components: int
    largest: int
    isolates: int
    articulation: tuple[int, ...]


def shape(nodes: NDArray[np.int64], pairs: Pairs) -> Shape:
    """The shape of the graph of these (ascending) nodes and pairs among them."""
    count, edges = len(nodes), len(pairs)
    local = np.searchsorted(nodes, pairs)
    start, neighbour = adjacency(count, local)
    parts = components(count, local)
    sizes = np.bincount(parts, minlength=0) if count else np.zeros(0, np.int64)
    sizes = sizes[sizes > 0]
    return Shape(
        nodes=count,
        edges=edges,
        density=2.0 * edges / (count * (count - 1)) if count > 1 else 0.0,
        components=len(sizes),
        largest=int(sizes.max(initial=0)),
        isolates=int(np.count_nonzero(np.diff(start) == 0)),
        articulation=tuple(nodes[articulation_points(start, neighbour)].tolist()),
    )


def adjacency(count: int, pairs: Pairs) -> tuple[Counts, Counts]:
    """Where each node's neighbours begin, shape (count + 1,), and all neighbours, ascending within a node."""
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    return np.searchsorted(ends[:, 0], np.arange(count + 1)), ends[:, 1]


def components(count: int, pairs: Pairs) -> Counts:
    """The lowest node of each node's component, by halving pointers until nothing changes; int64, shape (count,)."""
    label = np.arange(count)
    low, high = pairs[:, 0], pairs[:, 1]
    while len(low):
        least = np.minimum(label[low], label[high])
        before = label.copy()
        np.minimum.at(label, label[low], least)
        np.minimum.at(label, label[high], least)
        label = label[label]
        if np.array_equal(before, label):
            break
    while not np.array_equal(label, label[label]):
        label = label[label]
    return label


def articulation_points(start: Counts, neighbour: Counts) -> Counts:
    """Nodes whose removal splits their component, ascending.

    Depth-first numbering with low points (Hopcroft and Tarjan, Algorithm 447, 1973), on a stack of our own.
    """
    begins, others = start.tolist(), neighbour.tolist()
    count = len(begins) - 1
    number, low, parent = [0] * count, [0] * count, [-1] * count
    place = begins[:-1]
    found: set[int] = set()
    clock = 0
    for first in range(count):
        if number[first] or begins[first] == begins[first + 1]:
            continue
        clock += 1
        number[first] = low[first] = clock
        stack, children = [first], 0
        while stack:
            node = stack[-1]
            if place[node] < begins[node + 1]:
                other = others[place[node]]
                place[node] += 1
                if not number[other]:
                    clock += 1
                    number[other] = low[other] = clock
                    parent[other] = node
                    children += node == first
                    stack.append(other)
                elif other != parent[node]:
                    low[node] = min(low[node], number[other])
                continue
            stack.pop()
            above = parent[node]
            if above >= 0:
                low[above] = min(low[above], low[node])
                if above != first and low[node] >= number[above]:
                    found.add(above)
        if children > 1:
            found.add(first)
    return np.array(sorted(found), np.int64)
