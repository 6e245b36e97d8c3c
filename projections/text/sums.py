"""Adding up postings to find candidates.

These sums only choose. They are of the same terms as the exact score, but in
another order and perhaps without the most frequent terms, so every comparison
leaves `SLACK`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bm25 import Floats
from .terms import Mask, Run, Term

Array = NDArray[Any]
Ordinals = NDArray[np.int64]

SLACK = 1e-9
"""Relative; sums of up to a million numbers above 0 differ by less, in whatever order they are added."""
WORTH_A_LOOK = 4_000
"""Postings still to add that are worth the time of finding out whether they matter."""
LOOKUP = 8
"""What it costs to look a document up in postings, in added postings."""


_SAMPLE = 16
_GUESSED = 3
"""So many times the entries wanted are thought to belong to as many documents as are wanted."""


class _Near(NamedTuple):
    """The allowed documents whose sums reach a bar, ascending, and these."""

    bar: float
    docs: Ordinals
    sums: Floats


class Sums:
    """What each document has collected from the terms added so far; always above 0 for one that has any.

    `room` is a number for every document, all zeros, and is all zeros again after `clear`. The work is in proportion
    to the postings added, never to the number of documents: they are kept as they came, a document as often as it has
    terms, and only those near the top are told apart.
    """

    def __init__(self, room: Floats, allowed: Mask | None) -> None:
        self._room = room
        self._allowed = allowed
        self._added: list[Ordinals] = []
        self._docs: Ordinals = np.empty(0, np.int64)
        self._sums: Floats = np.empty(0)
        self._near = _Near(np.inf, self._docs, self._sums)

    def add(self, run: Run) -> None:
        """Add a term's postings."""
        np.add.at(self._room, run.docs, run.contributions)
        self._added.append(run.docs)

    def bar(self, limit: int) -> float:
        """The `limit`-th largest sum of an allowed document; 0.0 when there are fewer."""
        self._docs = np.concatenate([np.empty(0, np.int64), *self._added])
        self._sums = self._room.take(self._docs)
        if self._allowed is not None:
            self._sums *= self._allowed.take(self._docs)
        self._near = _Near(np.inf, np.empty(0, np.int64), np.empty(0))
        terms = max(1, len(self._added))
        guess = largest(self._sums[::_SAMPLE], max(1, _GUESSED * limit // _SAMPLE))
        sums = self._reach(guess).sums if guess > 0.0 else self._near.sums
        if len(sums) < limit:
            # A document is there once a term at most, so this many entries belong to at least `limit` documents.
            sums = self._reach(largest(self._sums, limit * terms)).sums
        return largest(sums, limit)

    def count(self, bar: float) -> int:
        """How many documents reach the bar at most, of those that the last `bar` looked at: each counts once a term."""
        return int(np.count_nonzero(self._sums >= bar))

    def reaching(self, bar: float) -> tuple[Ordinals, Floats]:
        """The allowed documents that do, ascending, and their sums; all that have any where the bar is not above 0."""
        near = self._near if bar >= self._near.bar else self._reach(bar)
        places = (near.sums >= bar).nonzero()[0]
        return near.docs.take(places), near.sums.take(places)

    def _reach(self, bar: float) -> _Near:
        found = self._docs.take((self._sums >= bar if bar > 0.0 else self._sums).nonzero()[0])
        found.sort()
        found = found[np.diff(found, prepend=-1).nonzero()[0]]
        self._near = _Near(bar, found, self._room.take(found))
        return self._near

    def others(self, found: Ordinals, terms: Sequence[Term]) -> bool:
        """Whether an allowed document outside `found` has one of the terms added, or one of these.

        `found` are allowed documents that were added.
        """
        if np.count_nonzero(self._sums) > len(found) * len(self._added) or len(self.reaching(0.0)[0]) > len(found):
            return True
        return any(not self._within(part.docs) for term in terms for part in term.parts)

    def _within(self, docs: Array) -> bool:
        shown = docs if self._allowed is None else docs[self._allowed.take(docs)]
        return bool(self._room.take(shown).all())

    def clear(self) -> None:
        """Give the room back as it was."""
        for docs in self._added:
            self._room[docs] = 0.0


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
