"""Adding up postings to find candidates.

These sums only choose. They are of the same terms as the exact score, but in
another order and perhaps without the most frequent terms, so every comparison
leaves `SLACK`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
_ROWS = 64


class Sums:
    """What each document has collected from the terms added so far; always above 0 for one that has any.

    `room` is a number for every document, all zeros, and is all zeros again after `clear`. The work is in proportion
    to the postings added, never to the number of documents.
    """

    def __init__(self, room: Floats, allowed: Mask | None) -> None:
        self._room = room
        self._allowed = allowed
        self._touched: list[Array] = []
        self._shown: list[Array] = []
        self._ordinals: Array = np.empty(0, np.uint32)
        self._sums: Floats = np.empty(0)

    def add(self, term: Term) -> None:
        """Add a term's postings."""
        for part in term.parts:
            before = self._room.take(part.docs)
            fresh = part.docs[before == 0.0]
            before += part.contributions() * term.idf
            self._touched.append(fresh)
            self._room[part.docs] = before
            self._shown.append(fresh if self._allowed is None else fresh[self._allowed.take(fresh)])

    def bar(self, limit: int) -> float:
        """A sum that at least `limit` allowed documents reach, close to the largest such; 0.0 when there are fewer.

        The largest of each of many groups of documents belong to as many documents; it is the `limit`-th of those.
        """
        self._ordinals = np.concatenate(self._shown) if self._shown else self._ordinals
        self._sums = self._room.take(self._ordinals)
        rows = max(1, min(_ROWS, len(self._sums) // (8 * limit)))
        grouped = self._sums[: len(self._sums) // rows * rows].reshape(rows, -1)
        return largest(grouped.max(axis=0) if rows > 1 else self._sums, limit)

    def count(self, bar: float) -> int:
        """How many documents reach the bar, of those that the last `bar` looked at."""
        return int(np.count_nonzero(self._sums >= bar))

    def reaching(self, bar: float) -> tuple[Ordinals, Floats]:
        """The documents that do, ascending, and their sums."""
        places = np.flatnonzero(self._sums >= bar)
        found = self._ordinals[places].astype(np.int64)
        order = np.argsort(found)
        return found[order], self._sums[places[order]]

    def others(self, found: Ordinals, terms: Sequence[Term]) -> bool:
        """Whether an allowed document outside `found` has one of the terms added, or one of these.

        `found` are allowed documents that were added.
        """
        return len(self._ordinals) > len(found) or any(not self._within(p.docs) for term in terms for p in term.parts)

    def _within(self, docs: Array) -> bool:
        shown = docs if self._allowed is None else docs[self._allowed.take(docs)]
        return bool(self._room.take(shown).all())

    def clear(self) -> None:
        """Give the room back as it was."""
        for touched in self._touched:
            self._room[touched] = 0.0


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
