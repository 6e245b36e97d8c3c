"""Which memory a text belongs to, and which memories it is like; decided once, at its own place in the log.

Rules: docs/fold.md, "Texts and memories" and "Graph". A decision reads the
recorded evidence; only where that ends before the answer are further pairs
computed, from recorded vectors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice, takewhile
from operator import attrgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants, Thresholds
from ...errors import InvalidInput
from ..columns import Lookup, Table
from .foresight import SETTLING, WORTH_IT, Foresight
from .guards import UNREAD
from .memories import ADDED, MERGED, REINFORCED, Memories
from .texts import Texts


class Pair(NamedTuple):
    """An earlier text near a new one: its ordinal, their canonical cosine, their guard byte (or `UNREAD`)."""

    ordinal: int
    cosine: float
    guard: int


class Pairs(NamedTuple):
    """Earlier texts near a new one by column, nearest first: int64 ordinals, float64 cosines, uint8 guard bytes."""

    ordinals: NDArray[np.int64]
    cosines: NDArray[np.float64]
    guards: NDArray[np.uint8]

    def where(self, kept: NDArray[np.bool_]) -> Pairs:
        """Some of them."""
        return Pairs(self.ordinals[kept], self.cosines[kept], self.guards[kept])

    def each(self) -> Iterator[Pair]:
        """One by one."""
        return map(Pair, *(column.tolist() for column in self))


NO_PAIRS = Pairs(np.empty(0, np.int64), np.empty(0), np.empty(0, np.uint8))


class Candidate(NamedTuple):
    """A live memory whose lead text, or the earlier text `ordinal` of the same form, is near a new one."""

    root: int
    cosine: float
    guard: int
    ordinal: int


class Placement(NamedTuple):
    """Where a text went: status, root (its own when added), cosine (NaN unless merged), its `similar` edges."""

    status: int
    root: int
    cosine: float
    similar: tuple[Candidate, ...]


class Measurer(Protocol):
    """Measures stored texts where the evidence ends; a pure function of the log."""

    def complete(self, ordinal: int, floor: float) -> tuple[Pairs, int]:
        """Every earlier text of the same partition and fingerprint with cosine >= floor, each form once, unread.

        And the number of forms that were measured.
        """
        ...

    def compare(self, ordinal: int, other: int) -> int:
        """The guard byte of two texts."""
        ...

    def mark(self, ordinal: int) -> int | None:
        """See `guards.mark`."""
        ...


WORTH_KEEPING = 16
"""Repeats of a text from which its memories are remembered."""

INTERVALS = ("valid_from", "valid_to", "event_start", "event_end")


class Roots:
    """The memories that texts with the same hash are in.

    A text may be stored a hundred thousand times: going through all of its repeats each time would take hours.
    """

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._moves = 0
        self._known: dict[int, tuple[int, set[int]]] = {}

    def of(self, lookup: Lookup, key: np.uint64, *, before: int) -> set[int]:
        """The roots of the texts with lower ordinals than `before`, which must never fall; not to be changed."""
        if self._moves != self._memories.moves:
            self._known.clear()
            self._moves = self._memories.moves
        rows = lookup.find(key)
        stop = bisect_left(rows, before)
        done, roots = self._known.get(int(key), (0, set()))
        roots.update(self._memories.root(row) for row in rows[done:stop])
        if stop >= WORTH_KEEPING:
            self._known[int(key)] = stop, roots
        return roots


UNMARKED, MARKED, MARKLESS = 0, 1, 2
MARKS = {"state": ("u1", UNMARKED), "mark": ("i8", 0)}
"""What is remembered of texts that were near others: see `guards.mark`."""


class Membership:
    """The decisions, under one set of constants."""

    def __init__(self, texts: Texts, memories: Memories, constants: Constants, measurer: Measurer) -> None:
        self.texts, self.memories, self.constants = texts, memories, constants
        self.measurer = measurer
        self.pairs_computed = 0
        self._counted = -1
        self._exact, self._forms = Roots(memories), Roots(memories)
        self._marks = Table(MARKS)
        self._foresight: Foresight | None = None
        memories.cells.watched = SETTLING

    def foresee(self, rows: slice) -> None:
        """Texts have come whose turns are next."""
        self.memories.cells.touched.clear()
        self._foresight = None
        if rows.stop - rows.start >= WORTH_IT:
            self._foresight = Foresight(self.texts, self.memories, self.constants, rows, self._held_before(rows.start))

    def _held_before(self, ordinal: int) -> Callable[[np.uint64], set[int]]:
        return lambda form: self._forms.of(self.texts.by_form, form, before=ordinal)

    def place(self, ordinal: int) -> Placement:
        """Decide for a text, given everything before it."""
        like = None if self._foresight is None else self._foresight.like(ordinal)
        if like is not None:
            return Placement(ADDED, ordinal, float("nan"), tuple(Candidate(*found) for found in like))
        placement = self._decide(ordinal)
        if self._foresight is not None:
            self._see_form(self._foresight, ordinal, placement.root)
        return placement

    def _see_form(self, foresight: Foresight, ordinal: int, root: int) -> None:
        """Tell the foresight where a text of a repeated form went, if another memory holds one too."""
        form = self.texts.table["form"][ordinal]
        if int(form) in self.texts.repeated:
            holders = self._forms.of(self.texts.by_form, form, before=ordinal)
            if holders and holders != {root}:
                foresight.scattered.add(int(form))

    def _decide(self, ordinal: int) -> Placement:
        declared = bool(self.texts.table["declared"][ordinal])
        if not declared:
            root = self._repeated(ordinal)
            if root is not None:
                return Placement(REINFORCED, root, float("nan"), ())
        thresholds = self._thresholds(ordinal)
        if thresholds is None:
            return Placement(ADDED, ordinal, float("nan"), ())
        horizon = float(self.texts.table["horizon"][ordinal])
        near = self._recorded(ordinal)
        near = near.where(near.cosines >= horizon)
        merged = None
        if not declared and not self.texts.table["protective"][ordinal]:
            merged = self._duplicate(ordinal, near, thresholds)
            if merged is None and thresholds.duplicate < horizon:
                merged = self._duplicate(ordinal, self._completed(ordinal, thresholds.duplicate), thresholds)
        if merged is not None:
            return Placement(MERGED, merged.root, merged.cosine, ())
        similar = self._similar(ordinal, near, thresholds)
        if len(similar) < self.constants.max_links and thresholds.related < horizon:
            similar = self._similar(ordinal, self._completed(ordinal, thresholds.related), thresholds)
        return Placement(ADDED, ordinal, float("nan"), similar)

    def _repeated(self, ordinal: int) -> int | None:
        """The lowest memory that may be joined and has a member of the same exact form."""
        roots = self._exact.of(self.texts.by_exact, self.texts.table["exact"][ordinal], before=ordinal)
        return min((root for root in roots if self._joinable(ordinal, root)), default=None)

    def _joinable(self, ordinal: int, root: int) -> bool:
        table = self.texts.table
        return (
            self.memories.live(root)
            and table["partition"][root] == table["partition"][ordinal]
            and all(table[name][root] == table[name][ordinal] for name in INTERVALS)
        )

    def _thresholds(self, ordinal: int) -> Thresholds | None:
        """The thresholds that judge the text's evidence; None without evidence."""
        code = int(self.texts.table["fingerprint"][ordinal])
        if code < 0:
            return None
        thresholds = self.constants.threshold(self.texts.labels.names[code])
        floor = float(self.texts.table["floor"][ordinal])
        if min(thresholds.related, thresholds.duplicate) < floor:
            seq = int(self.texts.table["seq"][ordinal])
            raise InvalidInput(
                f"a similarity threshold lies below {floor:.2f}, the floor of the evidence recorded at @{seq}",
                remedy=f"keep duplicate and related at or above {floor:.2f}",
            )
        return thresholds

    def _recorded(self, ordinal: int) -> Pairs:
        near = self.texts.near(ordinal)
        ordinals = np.searchsorted(self.texts.table["seq"], near["seq"])
        return Pairs(ordinals, near["cosine"].astype(np.float64), near["guard"])

    def _candidates(self, ordinal: int, pairs: Iterable[Pair]) -> Iterator[Candidate]:
        """The live memories that are led by one of the near forms, nearest first, then lowest root.

        Worked out only as far as somebody asks: a text needs the nearest few of its pairs.
        """
        memories, forms = self.memories, self.texts.table["form"]
        leads, seen = memories.table["lead"], set[int]()
        for cosine, equals in groupby(pairs, attrgetter("cosine")):
            found: dict[int, Candidate] = {}
            for pair in equals:
                form = forms[pair.ordinal]
                for root in self._holders(ordinal, pair.ordinal, form):
                    if root not in seen and forms[leads[root]] == form and memories.live(root):
                        seen.add(root)
                        found[root] = Candidate(root, cosine, pair.guard, pair.ordinal)
            yield from (found[root] for root in sorted(found))

    def _holders(self, ordinal: int, near: int, form: np.uint64) -> Iterable[int]:
        """Roots of the memories that hold a text of the form of `near`, before `ordinal`."""
        if int(form) in self.texts.repeated:
            return self._forms.of(self.texts.by_form, form, before=ordinal)
        return (self.memories.root(near),)

    def _completed(self, ordinal: int, floor: float) -> Pairs:
        """Every pair at or above `floor`; what evidence lists already is not counted as computed.

        Of a text without vectors nothing can be computed: what its evidence lists is all that is known.
        """
        pairs, compared = self.measurer.complete(ordinal, floor)
        if not compared:
            return self._recorded(ordinal)
        if ordinal != self._counted:
            self._counted = ordinal
            self.pairs_computed += compared - int(self.texts.table["near_count"][ordinal])
        return pairs

    def _duplicate(self, ordinal: int, near: Pairs, thresholds: Thresholds) -> Candidate | None:
        """The memory the text is merged with by cosine, if any."""
        table = self.texts.table
        near = near.where(near.cosines >= thresholds.duplicate)
        near = near.where(self._fitting(ordinal, near))
        for candidate in self._candidates(ordinal, near.each()):
            root = candidate.root
            if (
                not self.memories.table["protected"][root]
                and table["kind"][root] == table["kind"][ordinal]
                and self._joinable(ordinal, root)
                and self._may_merge(ordinal, candidate)
            ):
                return candidate
        return None

    def _fitting(self, ordinal: int, near: Pairs) -> NDArray[np.bool_]:
        """Whose guard bytes may be 0, for all that is known without comparing texts.

        Thousands of texts may differ in their numbers alone, and all of them are near each other.
        """
        fitting: NDArray[np.bool_] = near.guards == 0
        unread = (near.guards == UNREAD).nonzero()[0]
        if len(unread):
            known, marks = self._marks_of(near.ordinals[unread])
            (own,), (mine,) = self._marks_of(np.array([ordinal]))
            fitting[unread] = ~known | (marks == mine) | ~own
        return fitting

    def _marks_of(self, ordinals: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Whether texts have a mark, and the marks; each is made once."""
        marks = self._marks
        marks.grow(max(0, int(ordinals.max()) + 1 - len(marks)))
        for ordinal in ordinals[marks["state"][ordinals] == UNMARKED].tolist():
            mark = self.measurer.mark(ordinal)
            marks["state"][ordinal] = MARKLESS if mark is None else MARKED
            marks["mark"][ordinal] = mark or 0
        return marks["state"][ordinals] == MARKED, marks["mark"][ordinals]

    def _may_merge(self, ordinal: int, candidate: Candidate) -> bool:
        guard = candidate.guard
        return (self.measurer.compare(ordinal, candidate.ordinal) if guard == UNREAD else guard) == 0

    def _similar(self, ordinal: int, near: Pairs, thresholds: Thresholds) -> tuple[Candidate, ...]:
        related = takewhile(lambda found: found.cosine >= thresholds.related, self._candidates(ordinal, near.each()))
        return tuple(islice(related, self.constants.max_links))
