"""The declared and the evidence-made edges between memories, and between memories and names."""

from __future__ import annotations

from collections.abc import Callable

SIMILAR = "similar"

Node = int | tuple[str, str]
"""A memory's root ordinal, or the kind and id of anything else."""

EdgeKey = tuple[Node, Node, str]
"""Source, target, relation."""


class Edges:
    """Edges as they were declared, in that order, between the roots of their own seq.

    They are read through what those roots resolve to now, so a merge or a split of memories needs no edit here.
    """

    def __init__(self, resolve: Callable[[Node], Node]) -> None:
        """`resolve` gives the node that a node stands for now."""
        self._resolve = resolve
        self._declared: dict[EdgeKey, float] = {}

    def declare(self, source: Node, target: Node, relation: str, weight: float) -> None:
        """Keep an edge; the last weight wins, of `similar` the first."""
        key = self._key(source, target, relation)
        if relation == SIMILAR:
            self._declared.setdefault(key, weight)
        else:
            self._declared.pop(key, None)
            self._declared[key] = weight

    def withdraw(self, source: Node, target: Node, relation: str | None) -> None:
        """Take the edges between two resolved ends away, in either direction."""
        ends = {source, target}
        self._declared = {
            key: weight
            for key, weight in self._declared.items()
            if {self._resolve(key[0]), self._resolve(key[1])} != ends or relation not in {None, key[2]}
        }

    def now(self) -> dict[EdgeKey, float]:
        """Weight by (source, target, relation), each end resolved; self-loops are dropped."""
        result: dict[EdgeKey, float] = {}
        for (source, target, relation), weight in self._declared.items():
            ends = self._resolve(source), self._resolve(target)
            if ends[0] == ends[1]:
                continue
            key = self._key(*ends, relation)
            if relation != SIMILAR or key not in result:
                result[key] = weight
        return result

    @staticmethod
    def _key(source: Node, target: Node, relation: str) -> EdgeKey:
        """`similar` has no direction between memories: the lower root first."""
        if relation == SIMILAR and isinstance(source, int) and isinstance(target, int):
            return min(source, target), max(source, target), relation
        return source, target, relation
