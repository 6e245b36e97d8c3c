"""Where the texts of a batch will go, worked out together before their turns come.

Most texts repeat nothing, are near no duplicate and have evidence that reaches
far enough: all they need is which live memories they are like. That is found for
a whole batch with a few array operations, from the state before the batch. What
an event of the batch changes is noticed (`Cells.touched`), and the texts it might
concern are decided in their turn, as are all texts that are not so plain. So a
decision is the one that `Membership.place` comes to by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants
from .memories import Memories
from .texts import Texts

WORTH_IT = 16
"""Fewer texts are decided one by one."""

SETTLING = frozenset({"root", "lead", "forgotten", "erased", "superseded"})
"""The columns of a memory that its likeness to a new text depends on."""

Holders = Callable[[np.uint64], set[int]]
"""Roots of the memories that hold a text of this form, before the batch."""

Like = list[tuple[int, float, int, int]]
"""Memories that a text is like: root, cosine, guard byte, near text."""


class Foresight:
    """What is known beforehand of the texts `first` to `stop`; see `Membership`."""

    def __init__(self, texts: Texts, memories: Memories, constants: Constants, rows: slice, holders: Holders) -> None:
        self._first, self._touched, self._texts = rows.start, memories.cells.touched, texts
        plain, related = _plain(texts, constants, rows)
        table = texts.table
        counts = np.where(plain, table["near_count"][rows], 0).astype(np.int64)
        near, owner = _entries(texts, rows, counts)
        cosines = near["cosine"].astype(np.float64)
        wanted = cosines >= np.maximum(related, table["horizon"][rows])[owner]
        near, owner, cosines = near[wanted], owner[wanted], cosines[wanted]
        ordinals = np.searchsorted(table["seq"], near["seq"])
        forms = table["form"][ordinals]
        roots = memories.table["root"][ordinals].astype(np.int64)
        for place in np.flatnonzero(
            np.isin(forms, np.fromiter(texts.repeated, np.uint64, len(texts.repeated)))
        ).tolist():
            if int(ordinals[place]) < rows.start and holders(forms[place]) != {int(roots[place])}:
                plain[owner[place]] = False
        alike = (table["form"][memories.table["lead"][roots]] == forms) & memories.alive(roots)
        ranked = np.lexsort((roots, -cosines, owner))
        chosen, starts = _first_of_each(owner, ranked[alike[ranked]], len(plain), constants.max_links)
        enough = (np.diff(starts) == constants.max_links) | (related >= table["horizon"][rows])
        self._plain = (plain & enough).tolist()
        self._starts = starts.tolist()
        picked = (roots, cosines, near["guard"], ordinals)
        self._like = list(zip(*(part[chosen].tolist() for part in picked), strict=True))
        self._bounds = np.searchsorted(owner, np.arange(len(plain) + 1)).tolist()
        self._concerned = (ordinals, roots)
        self._forms = forms
        self.scattered: set[int] = set()
        """Forms that texts of several memories may have since the batch began."""
        self._noticed: set[int] = set()

    def like(self, ordinal: int) -> Like | None:
        """The memories that a text, which begins one, is like, nearest first; None where it has to be worked out."""
        index = ordinal - self._first
        if not 0 <= index < len(self._plain) or not self._plain[index]:
            return None
        part = slice(self._bounds[index], self._bounds[index + 1])
        if self._touched:
            if any(not self._touched.isdisjoint(some[part].tolist()) for some in self._concerned):
                return None
            self._notice()
        if self.scattered and not self.scattered.isdisjoint(self._forms[part].tolist()):
            return None
        return self._like[self._starts[index] : self._starts[index + 1]]

    def _notice(self) -> None:
        """What was touched may have moved, and a repeat of it, which is near other texts, may not have."""
        if len(self._touched) > len(self._noticed):
            fresh = self._touched - self._noticed
            self._noticed |= fresh
            self.scattered |= self._texts.repeated.intersection(self._texts.table["form"][list(fresh)].tolist())


def _plain(texts: Texts, constants: Constants, rows: slice) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """By text: whether it begins a memory whatever stands in the log before it, and the cosine that relates."""
    table = texts.table
    codes, horizon = table["fingerprint"][rows], table["horizon"][rows]
    duplicate, related = np.full(len(codes), np.nan), np.full(len(codes), np.inf)
    for code in set(codes.tolist()) - {-1}:
        thresholds = constants.threshold(texts.labels.names[code])
        duplicate[codes == code], related[codes == code] = thresholds.duplicate, thresholds.related
    apart = (table["declared"][rows] == 1) | (table["protective"][rows] == 1)
    near = _nearest(texts, rows)
    alone = apart | ((near < duplicate) & (duplicate >= horizon))
    known = (codes >= 0) & ~(np.minimum(duplicate, related) < table["floor"][rows])
    return known & alone & (table["again"][rows] == 0) & (table["erased"][rows] == 0), related


def _nearest(texts: Texts, rows: slice) -> NDArray[np.float64]:
    """The cosine of each text's nearest entry; -inf without one."""
    entries, starts = _recorded(texts, rows)
    nearest = np.full(len(starts), -np.inf)
    some = texts.table["near_count"][rows] > 0
    nearest[some] = entries["cosine"][starts[some]]
    return nearest


def _entries(texts: Texts, rows: slice, counts: NDArray[np.int64]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The first `counts` evidence entries of each text, and whose they are."""
    entries, starts = _recorded(texts, rows)
    owner = np.repeat(np.arange(len(counts)), counts)
    places = starts[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return entries[places], owner


def _recorded(texts: Texts, rows: slice) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """All evidence entries of these texts, nearest first, and where those of each begin."""
    starts = texts.table["near_start"][rows]
    first = int(starts[0])
    return texts.near_entries.range(first, int(starts[-1]) + int(texts.table["near_count"][rows][-1])), starts - first


def _first_of_each(
    owner: NDArray[np.int64], ranked: NDArray[np.intp], count: int, limit: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Of ranked positions the first `limit` of each owner, and where those of each begin."""
    each = np.bincount(owner[ranked], minlength=count)
    rank = np.arange(len(ranked)) - np.repeat(np.cumsum(each) - each, each)
    return ranked[rank < limit], np.concatenate([[0], np.cumsum(np.minimum(each, limit))])
