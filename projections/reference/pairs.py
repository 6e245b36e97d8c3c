"""Pairs of texts: those that the evidence lists, and canonical cosines from recorded vectors."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants, Thresholds
from ...errors import InvalidInput
from ...eventlog.events import Evidence
from ..ledger.guards import UNREAD, guard
from .memory import IndexedForm, Text

if TYPE_CHECKING:
    from .state import State

Rows = list[NDArray[np.float64]]
"""The vectors of one text, one a window."""


class Candidate(NamedTuple):
    """A live memory, with the cosine and the guard byte of a text and the form of its lead."""

    root: int
    cosine: float
    guard: int


def require_floor(constants: Constants, evidence: Evidence) -> None:
    """Refuse thresholds below what the log recorded.

    Raises:
        InvalidInput: `duplicate` or `related` is below the evidence's floor.
    """
    row = constants.threshold(evidence.fingerprint)
    for name, threshold in (("duplicate", row.duplicate), ("related", row.related)):
        if threshold < evidence.floor:
            raise InvalidInput(
                f"{name} = {threshold} is below {evidence.floor}, the lowest cosine this log recorded",
                remedy=f"choose {name} >= {evidence.floor} for the embedder {evidence.fingerprint}",
            )


def rows_of(rows: Sequence[bytes], dtype: str) -> Rows:
    """Recorded vectors as float64, which holds every float16 exactly."""
    return [np.frombuffer(row, dtype=np.dtype(dtype)).astype(np.float64) for row in rows]


def canonical_cosine(first: Rows, second: Rows) -> float:
    """The cosine of the worst matched window, clamped to [-1, 1] and rounded once to float32.

    Each window of either text is matched with the nearest one of the other; of single windows it is their cosine.
    """
    products = [[float(np.dot(a, b)) for b in second] for a in first]
    best = [max(row) for row in products] + [max(column) for column in zip(*products, strict=True)]
    worst = min(best)
    return float(np.float32(min(1.0, max(-1.0, worst))))


class Pairs:
    """What a text, at its own seq, is known or can be computed to have in common with earlier ones."""

    def __init__(self, state: State, text: Text) -> None:
        self._state = state
        self._text = text
        self._evidence = text.event.evidence
        self.thresholds: Thresholds = state.constants.threshold(
            None if self._evidence is None else self._evidence.fingerprint
        )

    def enough(
        self, threshold: float, wanted: int, suits: Callable[[Candidate], bool] = lambda _: True
    ) -> list[Candidate]:
        """The nearest candidates at or above the threshold that suit, at most as many as wanted.

        Pairs that the evidence does not list are computed only if the list does not reach down to the threshold
        and too few of its entries lie at or above the horizon: below it, an entry may have equals that were left out.
        """
        if self._evidence is None:
            return []
        sure = max(threshold, self._evidence.horizon)
        found = [pair for pair in self._listed if pair.cosine >= sure and suits(pair)]
        if len(found) < wanted and threshold < sure:
            every = sorted([*self._listed, *self._computed], key=_nearest_first)
            found = [pair for pair in every if pair.cosine >= threshold and suits(pair)]
        return found[:wanted]

    @cached_property
    def _entries(self) -> list[tuple[Text, float, int]]:
        """Text, cosine and guard byte of what the evidence lists and is not erased.

        An entry is seq uint32, cosine float32, guard uint8, little endian.
        """
        near = b"" if self._evidence is None else self._evidence.near
        entries = [
            (self._state.text_at(seq), cosine, guard_byte)
            for seq, cosine, guard_byte in struct.iter_unpack("<IfB", near)
        ]
        return [
            (text, cosine, guard(self._text.event.text, text.event.text) if guard_byte == UNREAD else guard_byte)
            for text, cosine, guard_byte in entries
            if text is not None
        ]

    @cached_property
    def _listed(self) -> list[Candidate]:
        return sorted(
            (
                Candidate(root, cosine, guard_byte)
                for other, cosine, guard_byte in self._entries
                for root in self._led_by(other.indexed_form)
            ),
            key=_nearest_first,
        )

    @cached_property
    def _computed(self) -> list[Candidate]:
        """Pairs with the forms that the evidence does not list, from recorded vectors of its embedder."""
        fingerprint = "" if self._evidence is None else self._evidence.fingerprint
        own = self._state.vectors.get((self._text.ordinal, fingerprint))
        if own is None:
            return []
        listed = {other.indexed_form for other, _, _ in self._entries}
        found: list[Candidate] = []
        for form, other in self._earlier_forms(fingerprint).items():
            if form not in listed:
                self._state.pairs_computed += 1
                cosine = canonical_cosine(own, self._state.vectors[other.ordinal, fingerprint])
                guard_byte = guard(self._text.event.text, other.event.text)
                found.extend(Candidate(root, cosine, guard_byte) for root in self._led_by(form))
        return found

    def _earlier_forms(self, fingerprint: str) -> dict[IndexedForm, Text]:
        """The first text of each indexed form in the partition that has vectors of this embedder."""
        first: dict[IndexedForm, Text] = {}
        for other in self._state.texts[: self._text.ordinal]:
            if (
                other is not None
                and other.partition == self._text.partition
                and (other.ordinal, fingerprint) in self._state.vectors
            ):
                first.setdefault(other.indexed_form, other)
        return first

    def _led_by(self, form: IndexedForm) -> list[int]:
        """The roots of the live memories whose lead has this form."""
        earlier = [n for n in self._state.indexed_repeats[form] if n != self._text.ordinal]
        memories = [(n, self._state.memories[self._state.root_of[n]]) for n in earlier]
        return [memory.root for n, memory in memories if memory.lead == n and memory.live]


def _nearest_first(pair: Candidate) -> tuple[float, int]:
    return -pair.cosine, pair.root
