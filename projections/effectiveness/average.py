"""The moving average itself: the one thing in learning that needs what came before it, number after number.

Everything else of a use (its weight, how far it decays, whether it is a cause)
is known beforehand. So what is left is `e -> e'` a memory, and the bits must be
those of doing one after the other. Memories do not wait for each other, but
one of them may have most of the uses; its sequence is cut into chunks, which
are walked side by side from guessed beginnings. A chunk whose true beginning,
the end of the one before, is not the guess to the bit is walked again, until
none is left. The average forgets where it began, so that is soon; and where it
is not, the rest is walked in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CHUNK = 512
"""Uses that are walked without looking at where they truly began."""

WIDE = 48
"""Sequences from which a step of all of them at once is cheaper than one by one."""

PASSES = 2
"""Walks of all wrong chunks, after which what is still wrong is walked in order."""


class Fall(NamedTuple):
    """What has decayed before a use: at `places` (ascending), `left` of what is above .5."""

    places: IntArray
    left: FloatArray

    def of(self, level: FloatArray) -> FloatArray:
        """The levels before all uses, as they have decayed."""
        level = level.copy()
        level[self.places] = fallen(level[self.places], self.left)
        return level


class Course(NamedTuple):
    """What each use does, by place; the uses of one memory stand together, in order.

    First e decays (`fall`). Then a cause makes it `e * kept + gained`; a use that is `eroding` takes `erosion` of what
    is above .5 away.
    """

    kept: FloatArray
    gained: FloatArray
    eroding: NDArray[np.bool_]
    erosion: float
    fall: Fall


class Chunks:
    """How sequences are cut; no constant has a part in it.

    Args:
        first: Where each sequence begins, ascending.
        count: How many uses each has, at least 1.
    """

    def __init__(self, first: IntArray, count: IntArray) -> None:
        parts = -(-count // CHUNK)
        before = np.cumsum(parts) - parts
        self.sequence = np.repeat(np.arange(len(first)), parts)
        number = np.arange(int(parts.sum())) - before[self.sequence]
        self.start = first[self.sequence] + number * CHUNK
        self.length = np.minimum(CHUNK, count[self.sequence] - number * CHUNK)
        self.at = np.repeat(np.arange(len(self.start)), self.length)
        self._later = np.flatnonzero(number)
        self._last = before + parts - 1
        self._whole = _Walk(self, np.arange(len(self.start)))

    def follow(self, course: Course, begin: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Effectiveness before every use, by place, and after the last of each sequence, which begins at `begin`."""
        before = np.empty(len(self.at))
        guess = begin[self.sequence]
        ends = np.empty(len(guess))
        self._whole.follow(course, guess, before, ends)
        for _ in range(PASSES):
            wrong = self._wrong(guess, ends)
            if len(wrong) < WIDE:
                break
            guess[wrong] = ends[wrong - 1]
            _Walk(self, wrong).follow(course, guess, before, ends)
        self._in_order(course, guess, before, ends)
        return before, ends[self._last]

    def _wrong(self, guess: FloatArray, ends: FloatArray) -> IntArray:
        """Chunks that did not begin where the one before them ended."""
        wrong: IntArray = self._later[guess[self._later].view(np.int64) != ends[self._later - 1].view(np.int64)]
        return wrong

    def _in_order(self, course: Course, guess: FloatArray, before: FloatArray, ends: FloatArray) -> None:
        """Walk what is still wrong, each chunk after the one before it."""
        for wrong in self._wrong(guess, ends).tolist():
            chunk = wrong
            while chunk < len(guess) and self.sequence[chunk] == self.sequence[wrong]:
                begin = ends[chunk - 1]
                if guess[chunk] == begin:
                    break
                guess[chunk] = begin
                start = int(self.start[chunk])
                ends[chunk] = _walk_one(course, slice(start, start + int(self.length[chunk])), float(begin), before)
                chunk += 1


class _Walk:
    """Some chunks, longest first, and the rounds in which they are walked side by side.

    Round r takes the r-th use of each. A round of few is not worth it: what they have left is walked one by one.
    `places` are those of all uses in rounds, round by round.
    """

    def __init__(self, chunks: Chunks, chosen: IntArray) -> None:
        chosen = chosen[np.argsort(-chunks.length[chosen], kind="stable")]
        self._chunks, self._chosen = chunks, chosen
        lengths = chunks.length[chosen]
        longest = int(lengths[0]) if len(chosen) else 0
        live = np.searchsorted(-lengths, -np.arange(longest), "left")
        live = live[live >= WIDE]
        bounds = np.cumsum(np.append(0, live))
        self._live, self._bounds = live.tolist(), bounds.tolist()
        rounds = np.repeat(np.arange(len(live)), live)
        self._places = chunks.start[chosen][np.arange(len(rounds)) - bounds[rounds]] + rounds

    def follow(self, course: Course, guess: FloatArray, before: FloatArray, ends: FloatArray) -> None:
        """Walk from the guessed beginnings; fills `before` by place and `ends` by chunk."""
        level = guess[self._chosen]
        kept, gained, eroding = (column[self._places] for column in (course.kept, course.gained, course.eroding))
        found, spare = np.empty(len(kept)), np.empty(len(level))
        for live, low, high, falls in zip(
            self._live, self._bounds, self._bounds[1:], self._falls(course.fall), strict=False
        ):
            if live < len(level):
                ends[self._chosen[live : len(level)]] = level[live:]
                level = level[:live]
            found[low:high] = level
            if falls is not None:
                level[falls.places] = fallen(level[falls.places], falls.left)
            eroded = spare[:live]
            _erode(level, course.erosion, eroded)
            np.multiply(level, kept[low:high], out=level)
            np.add(level, gained[low:high], out=level)
            np.copyto(level, eroded, where=eroding[low:high])
        before[self._places] = found
        self._one_by_one(course, level, before, ends)

    def _one_by_one(self, course: Course, level: FloatArray, before: FloatArray, ends: FloatArray) -> None:
        """Walk what chunks have left after the rounds."""
        chosen = self._chosen[: len(level)]
        ends[chosen] = level
        begins = self._chunks.start[chosen]
        starts, stops = begins + len(self._live), begins + self._chunks.length[chosen]
        for number in np.flatnonzero(stops > starts).tolist():
            places = slice(int(starts[number]), int(stops[number]))
            ends[chosen[number]] = _walk_one(course, places, float(level[number]), before)

    def _falls(self, fall: Fall) -> Iterator[Fall | None]:
        """For each round the falls in it, their places those of their chunks among the chosen."""
        chunks, rank = self._chunks, np.full(len(self._chunks.start), -1)
        rank[self._chosen] = np.arange(len(self._chosen))
        chunk = chunks.at[fall.places]
        inside = np.flatnonzero(rank[chunk] >= 0)
        rounds = fall.places[inside] - chunks.start[chunk[inside]]
        keys = np.sort((rounds << 32) | inside)  # numbers are sorted much faster than places
        bounds = np.searchsorted(keys, np.arange(len(self._live) + 1) << 32).tolist()
        for low, high in pairwise(bounds):
            here = keys[low:high] & 0xFFFFFFFF
            yield Fall(rank[chunk[here]], fall.left[here]) if len(here) else None


def fallen(level: FloatArray, left: FloatArray) -> FloatArray:
    """Levels of which `left` of what is above .5 is left."""
    return np.where(level > 0.5, 0.5 + (level - 0.5) * left, level)


def _erode(level: FloatArray, erosion: float, out: FloatArray) -> None:
    """Levels after `erosion` of what is above .5."""
    np.subtract(0.5, level, out=out)
    np.multiply(out, erosion, out=out)
    np.minimum(out, 0.0, out=out)
    np.add(level, out, out=out)


def _walk_one(course: Course, places: slice, level: float, before: FloatArray) -> float:
    """The same for one sequence, use by use; the level after the last."""
    fall, erosion = course.fall, course.erosion
    left: list[float | None] = [None] * (places.stop - places.start)
    low, high = np.searchsorted(fall.places, (places.start, places.stop)).tolist()
    for place, value in zip(fall.places[low:high].tolist(), fall.left[low:high].tolist(), strict=True):
        left[place - places.start] = value
    found: list[float] = []
    note = found.append
    columns = (column[places].tolist() for column in (course.kept, course.gained, course.eroding))
    for kept, gained, eroding, falls in zip(*columns, left, strict=True):
        note(level)
        if falls is not None and level > 0.5:
            level = 0.5 + (level - 0.5) * falls
        if not eroding:
            level = level * kept + gained
        elif level > 0.5:
            level += (0.5 - level) * erosion
    before[places] = found
    return level
