"""The reference fold: one event at a time, each by the function that the table names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...eventlog.events import (
    EmbedderAdopted,
    ErasedEvent,
    Event,
    FeedbackGiven,
    MembershipOverruled,
    MemoriesLinked,
    MemoriesRecalled,
    MemoriesReembedded,
    MemoriesUnlinked,
    MemoryAnnotated,
    MemoryErased,
    MemoryForgotten,
    MemoryReinforced,
    MemoryRestored,
    MemoryStored,
    MemorySuperseded,
    PruneTicked,
    Recorded,
    StoreCreated,
    UnknownEvent,
)
from . import changes, learning, membership, use, validity
from .memory import Memory
from .pairs import rows_of
from .state import State


def _store_created(state: State, event: StoreCreated, _recorded: Recorded) -> None:
    state.fingerprint = event.fingerprint
    if state.owner is None:
        state.owner = event.owner


def _embedder_adopted(state: State, event: EmbedderAdopted, _recorded: Recorded) -> None:
    state.fingerprint = event.fingerprint


def _reembedded(state: State, event: MemoriesReembedded, _recorded: Recorded) -> None:
    for seq, rows in zip(event.texts, event.rows, strict=True):
        text = state.text_at(seq)
        if text is not None and rows:
            state.vectors[text.ordinal, event.fingerprint] = rows_of(rows, event.dtype)


def _unknown(state: State, _event: UnknownEvent, _recorded: Recorded) -> None:
    state.unknown_events += 1


_APPLIED_BY: dict[type[Event], Callable[[State, Any, Recorded], None]] = {
    StoreCreated: _store_created,
    EmbedderAdopted: _embedder_adopted,
    MemoriesReembedded: _reembedded,
    MemoryStored: membership.text_stored,
    ErasedEvent: membership.text_erased,
    MembershipOverruled: membership.overruled,
    MemorySuperseded: changes.superseded,
    MemoryRestored: changes.restored,
    MemoryForgotten: changes.forgotten,
    MemoryErased: changes.erased,
    MemoryAnnotated: changes.annotated,
    MemoryReinforced: changes.reinforced,
    MemoriesLinked: changes.linked,
    MemoriesUnlinked: changes.unlinked,
    MemoriesRecalled: use.recalled,
    FeedbackGiven: use.feedback_given,
    PruneTicked: use.prune_ticked,
    UnknownEvent: _unknown,
}
"""Events of any other type change no belief; the ticks of decay and expiry are among them."""


class Reference(State):
    """Every belief after the events applied so far, under one set of constants.

    `State` says what can be read; clocks and times are UTC nanoseconds.
    """

    def apply(self, recorded: Recorded) -> None:
        """Apply the next event of the log.

        Raises:
            InvalidInput: The constants ask for pairs below what the log recorded.
        """
        applied_by = _APPLIED_BY.get(type(recorded.event))
        if applied_by is not None:
            applied_by(self, recorded.event, recorded)
        self.seq = recorded.seq

    def value(self, memory: Memory, t: int) -> float:
        """Effectiveness at t, in [0, 1]."""
        return learning.value(self.constants, memory, t)

    def adjusted(self, memory: Memory, t: int) -> float:
        """Effectiveness at t, lowered by the share of uses that had no effect."""
        return learning.adjusted(self.constants, memory, t)

    def velocity(self, memory: Memory, t: int) -> int:
        """Causal feedbacks in the window that ends at t."""
        return learning.velocity(self.constants, memory, t)

    def recency_days(self, memory: Memory, t: int) -> int:
        """Whole days from the memory's anchor to t, at least 0."""
        return learning.recency_days(memory, t)

    def visible(self, memory: Memory, t: int, valid_at: int | None = None) -> bool:
        """Whether a recall at clock t may show the memory; with `valid_at`, whether it is what held then."""
        return validity.visible(self, memory, t, valid_at)
