"""Adding up postings to find candidates: sparsely while they are few, else in one number a document.

These sums only choose. They are of the same terms as the exact score, but in
another order and perhaps without the most frequent terms, so every comparison
leaves `SLACK`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .bm25 import Floats
from .terms import Mask, Term

Array = NDArray[Any]
Ordinals = NDArray[np.int64]

SLACK = 1e-9
"""Relative; sums of up to a million numbers above 0 differ by less, in whatever order they are added."""
WORTH_A_LOOK = 4_000
"""Postings still to add that are worth the time of finding out whether they matter."""
LOOKUP = 16
"""What it costs to look a document up in postings, in added postings."""
SPARSE = 32
"""A sum for every document costs as much as sorting a 32nd as many postings."""

_ROWS = 64
_TINY = 5e-324


class Sums(Protocol):
    """What the allowed documents have collected from the terms added so far; always above 0."""

    def add(self, term: Term) -> None:
        """Add a term's postings."""
        ...

    def bar(self, limit: int) -> float:
        """A sum that at least `limit` documents reach, close to the largest such; 0.0 when there are fewer."""
        ...

    def count(self, bar: float) -> int:
        """How many documents reach the bar."""
        ...

    def reaching(self, bar: float) -> tuple[Ordinals, Floats]:
        """The documents that do, ascending, and their sums."""
        ...

    def others(self, found: Ordinals, terms: Sequence[Term]) -> bool:
        """Whether a document outside `found` has one of the terms added or of these; the last thing asked."""
        ...


class SparseSums:
    """Postings one after another; sorted when looked at."""

    def __init__(self, allowed: Mask | None) -> None:
        self._allowed = allowed
        self._docs: list[Array] = []
        self._values: list[Floats] = []
        self._ordinals: Array = np.empty(0, np.uint32)
        self._sums: Floats = np.empty(0)

    def add(self, term: Term) -> None:
        """Add a term's postings."""
        for part in term.parts:
            values = part.contributions() * term.idf
            keep = slice(None) if self._allowed is None else self._allowed.take(part.docs)
            self._docs.append(part.docs[keep])
            self._values.append(values[keep])

    def _merge(self) -> None:
        if self._docs:
            docs = np.concatenate([self._ordinals, *self._docs])
            values = np.concatenate([self._sums, *self._values])
            self._ordinals, places = np.unique(docs, return_inverse=True)
            self._sums = np.bincount(places, values).astype(np.float64, copy=False)
            self._docs, self._values = [], []

    def bar(self, limit: int) -> float:
        """The `limit`-th largest sum."""
        self._merge()
        return largest(self._sums, limit)

    def count(self, bar: float) -> int:
        """How many documents reach the bar."""
        return int(np.count_nonzero(self._sums >= bar))

    def reaching(self, bar: float) -> tuple[Ordinals, Floats]:
        """The documents that do, ascending, and their sums."""
        self._merge()
        keep = np.flatnonzero(self._sums >= bar)
        return self._ordinals[keep].astype(np.int64), self._sums[keep]

    def others(self, found: Ordinals, terms: Sequence[Term]) -> bool:
        """Whether a document outside `found` has one of the terms."""
        if len(self._ordinals) > len(found):
            return True
        for part in (part for term in terms for part in term.parts):
            docs = part.docs if self._allowed is None else part.docs[self._allowed.take(part.docs)]
            if len(docs) > len(found) or not np.isin(docs, found).all():
                return True
        return False


class DenseSums:
    """One number a document."""

    def __init__(self, room: Floats, allowed: Mask | None, texts: int, terms: Sequence[Term]) -> None:
        self._sums = room
        self._allowed = None if allowed is None or allowed[:texts].all() else allowed[:texts]
        self._few: Array | None = None
        if self._allowed is not None and 8 * np.count_nonzero(self._allowed) > 7 * texts:
            self._few = np.flatnonzero(~self._allowed)
        for term in terms:
            self.add(term)

    def add(self, term: Term) -> None:
        """Add a term's postings."""
        for part in term.parts:
            np.add.at(self._sums, part.docs, part.contributions() * term.idf)

    def bar(self, limit: int) -> float:
        """The largest sums of many groups of documents are of as many documents; the `limit`-th of those."""
        self._hide()
        rows = _ROWS
        while rows > 1 and len(self._sums) < 8 * limit * rows:
            rows //= 2
        return largest(self._sums.reshape(rows, -1).max(axis=0), limit)

    def _hide(self) -> None:
        if self._few is not None:
            self._sums[self._few] = 0.0
        elif self._allowed is not None:
            self._sums[: len(self._allowed)] *= self._allowed

    def count(self, bar: float) -> int:
        """How many documents reach the bar."""
        return int(np.count_nonzero(self._sums >= max(bar, _TINY)))

    def reaching(self, bar: float) -> tuple[Ordinals, Floats]:
        """The documents that do, ascending, and their sums."""
        found = np.flatnonzero(self._sums >= max(bar, _TINY))
        return found, self._sums[found]

    def others(self, found: Ordinals, terms: Sequence[Term]) -> bool:
        """Whether a document outside `found` has one of the terms."""
        if np.count_nonzero(self._sums) > len(found):
            return True
        self._sums[found] = 1.0
        return any(not self._within(part.docs) for term in terms for part in term.parts)

    def _within(self, docs: Array) -> bool:
        shown = docs if self._allowed is None else docs[self._allowed.take(docs)]
        return bool(self._sums.take(shown).all())


def largest(values: Floats, limit: int) -> float:
    """The `limit`-th largest value, 0.0 when there are fewer."""
    if len(values) < limit:
        return 0.0
    return float(np.partition(values, len(values) - limit)[len(values) - limit])


def top(scores: Floats, limit: int) -> Array:
    """Places of the `limit` largest and of all that equal the smallest of those."""
    return np.flatnonzero(scores >= largest(scores, limit))


def below(bar: float, rest: float) -> float:
    """What a document must have to come up to the bar with `rest` more, less the slack."""
    return bar * (1.0 - SLACK) - rest


def suffix_sums(values: Sequence[float]) -> list[float]:
    """The sum of the values from each place on, and 0.0 at the end."""
    sums = [0.0]
    for value in reversed(values):
        sums.append(sums[-1] + value)
    return sums[::-1]


def narrowed(found: Ordinals, known: Floats, terms: Sequence[Term], rest: Sequence[float], limit: int) -> Ordinals:
    """Drop candidates that the remaining terms, looked up one by one, leave below the `limit`-th.

    `rest[k]` bounds what the terms from k on can still add.
    """
    for after, term in enumerate(terms, 1):
        known = known + term.idf * term.at(found.astype(np.uint32))
        keep = known >= below(largest(known, limit), rest[after])
        found, known = found[keep], known[keep]
    return found
