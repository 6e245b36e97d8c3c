"""Adjacency between memories: similar, led_to, updates, extends, derives and whatever was declared.

Edges are kept between the roots of their own day and read through the
membership of the asked one. `similar` has no direction and is kept as (lower,
higher); every other relation points from source to target. An end is a number:
a memory's root ordinal, or below zero for anything else (`Graph.end`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Lookup, Names, Parts, Table
from ..history import History
from ..ledger.normal import name_key

SCHEMA = {
    "source": ("i4", 0),
    "target": ("i4", 0),
    "relation": ("i4", 0),
    "weight": ("f8", 1.0),
    "since": ("i8", 0),
    "until": ("i8", 0),
}
"""One row an edge; `since` and `until` are the events that made it and took it back, the latter 0 while it stands."""

SIMILAR = "similar"
KEYED = frozenset({"entity", "category"})
"""Kinds of ends that are one wherever their names have the same key."""


class Edge(NamedTuple):
    """An edge between two ends."""

    source: int
    target: int
    relation: str
    weight: float


class Graph:
    """Edges in the order they were declared, found by either end."""

    def __init__(self, history: History, table: Table | None = None) -> None:
        self._history = history
        self.table = Table(SCHEMA) if table is None else table
        self.relations = Names()
        self.ends = Names()
        self._from = Lookup.over(self.table["source"])
        self._to = Lookup.over(self.table["target"])
        self._fresh: list[tuple[int, int, float, int]] = []
        self._misspelt: tuple[int, dict[str, tuple[int, ...]]] = (0, {})

    def as_of(self, seq: int) -> Graph:
        """The edges as they were at an earlier event; to be read only."""
        self.settle()
        stop = int(np.searchsorted(self.table["since"], seq, "right"))
        then = Graph(History(), self.table.first(stop))
        until = self.table["until"][:stop]
        then.table.replace("until", np.where(until > seq, 0, until))
        then.relations, then.ends = self.relations, Names(self.ends.names)
        then.adopt(self._from.before(stop), self._to.before(stop))
        return then

    def adopt(self, sources: Lookup, targets: Lookup) -> None:
        """Use lookups that were made before."""
        self._from, self._to = sources, targets

    def end(self, kind: str, name: str) -> int:
        """The number of an end that is no memory."""
        return -1 - self.ends.code(f"{kind}:{name}")

    def end_name(self, end: int) -> str:
        """`kind:name` of an end below zero."""
        return self.ends.names[-1 - end]

    def named(self, kind: str, key: str) -> list[int]:
        """Every end of this kind whose name has this key, however it was spelt."""
        seen, misspelt = self._misspelt
        if seen < len(self.ends):
            misspelt = dict(misspelt)
            for code, name in enumerate(self.ends.names[seen:], seen):
                whole = keyed(name)
                if whole != name:
                    misspelt[whole] = (*misspelt.get(whole, ()), code)
            self._misspelt = (seen + len(self.ends.names[seen:]), misspelt)
        whole = f"{kind}:{key}"
        code = self.ends.find(whole)
        return [-1 - code for code in (*([code] if code >= 0 else ()), *misspelt.get(whole, ()))]

    def one_of(self, relations: Collection[str]) -> NDArray[np.bool_]:
        """By number, which relations are among these."""
        mask = np.zeros(len(self.relations), np.bool_)
        mask[[number for name in relations if (number := self.relations.find(name)) >= 0]] = True
        return mask

    def begin(self, source: int, similar: Iterable[tuple[int, float]]) -> None:
        """The `similar` edges of a memory that has none yet: (target, weight), targets below `source`, each once."""
        seq = self._history.seq
        self._fresh.extend((target, source, weight, seq) for target, weight in similar)

    def settle(self) -> None:
        """Make rows of the edges that `begin` took, all at once."""
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        rows = self.table.grow(len(fresh))
        sources, targets, weights, seqs = zip(*fresh, strict=True)
        self.table["source"][rows], self.table["target"][rows] = sources, targets
        self.table["weight"][rows], self.table["relation"][rows] = weights, self.relations.code(SIMILAR)
        self.table["since"][rows] = seqs
        for row, source, target in zip(range(rows.start, rows.stop), sources, targets, strict=True):
            self._from.add(source, row)
            self._to.add(target, row)

    def rows(self, end: int) -> NDArray[np.int32]:
        """Rows of the live edges that touch `end`, oldest first; each once, as no edge is a loop."""
        self.settle()
        found = np.concatenate([self._from.find_array(end), self._to.find_array(end)])
        found.sort()
        live: NDArray[np.int32] = found[self.table["until"][found] == 0]
        return live

    def rows_of(self, ends: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Rows of the live edges that touch any of these ends, and the place of the end; by place, oldest first."""
        self.settle()
        (place, rows), (others, more) = self._from.find_many(ends), self._to.find_many(ends)
        place, rows = np.concatenate([place, others]), np.concatenate([rows, more])
        live = (self.table["until"][rows] == 0).nonzero()[0]
        order = live[np.lexsort((rows[live], place[live]))]
        return place[order], rows[order]

    def lookups(self) -> tuple[Parts, Parts]:
        """Rows by source and by target, for a loop that looks up itself."""
        self.settle()
        return self._from.parts, self._to.parts

    def edge(self, row: int) -> Edge:
        """The edge of a row."""
        table = self.table
        return Edge(
            int(table["source"][row]),
            int(table["target"][row]),
            self.relations.names[table["relation"][row]],
            float(table["weight"][row]),
        )

    def add(self, source: int, target: int, relation: str, weight: float) -> None:
        """Declare an edge; the last weight wins, but the first of `similar`. Self-loops are dropped."""
        self.settle()
        if source == target:
            return
        if relation == SIMILAR:
            source, target = undirected(source, target)
        code, table = self.relations.code(relation), self.table
        for row in self._between(source, target):
            if table["relation"][row] == code and not table["until"][row]:
                if relation == SIMILAR:
                    return
                table["until"][row] = self._history.seq
        row = table.grow(1).start
        table["source"][row], table["target"][row] = source, target
        table["relation"][row], table["weight"][row] = code, weight
        table["since"][row] = self._history.seq
        self._from.add(source, row)
        self._to.add(target, row)

    def _between(self, source: int, target: int) -> list[int]:
        """Rows from `source` to `target`, found at the end with fewer edges: the other may have one to every memory."""
        table = self.table
        if self._from.count(source) <= self._to.count(target):
            return [row for row in self._from.find(source) if table["target"][row] == target]
        return [row for row in self._to.find(target) if table["source"][row] == source]

    def remove(self, first: set[int], second: set[int], relation: str | None) -> int:
        """Take back the edges between two sets of ends, either way, of one relation or all; returns how many."""
        doomed = set()
        for end in first:
            for row in self.rows(end).tolist():
                edge = self.edge(row)
                if relation in (None, edge.relation) and (
                    (edge.source in first and edge.target in second) or (edge.target in first and edge.source in second)
                ):
                    doomed.add(row)
        self.table["until"][sorted(doomed)] = self._history.seq
        return len(doomed)

    def resolved(self, resolve: Callable[[int], int]) -> dict[tuple[int, int, str], float]:
        """Every live edge between today's roots, without self-loops.

        Where several become one, the last weight counts, of `similar` the first.
        """
        result: dict[tuple[int, int, str], float] = {}
        for row in np.flatnonzero(self.table["until"] == 0):
            found = resolved_edge(self.edge(int(row)), resolve)
            if found is not None:
                key = (found.source, found.target, found.relation)
                result[key] = result.get(key, found.weight) if found.relation == SIMILAR else found.weight
        return result


def keyed(end: str) -> str:
    """`kind:name` of an end with the key of the name in its place, where that is what ends of its kind go by."""
    kind, _, name = end.partition(":")
    return f"{kind}:{name_key(name)}" if kind in KEYED else end


def resolved_edge(edge: Edge, resolve: Callable[[int], int]) -> Edge | None:
    """`edge` between today's roots, or None where both ends have become one."""
    source = resolve(edge.source) if edge.source >= 0 else edge.source
    target = resolve(edge.target) if edge.target >= 0 else edge.target
    if source == target:
        return None
    if edge.relation == SIMILAR:
        source, target = undirected(source, target)
    return Edge(source, target, edge.relation, edge.weight)


def undirected(source: int, target: int) -> tuple[int, int]:
    """Two ends with the lower root first, where both are memories."""
    return (target, source) if source > target >= 0 else (source, target)
