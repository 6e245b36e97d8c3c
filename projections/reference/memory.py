"""What the reference fold remembers: texts, and the memories they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...constants import Constants
from ...eventlog.events import MemoryStored

PROTECTING_TAGS = frozenset({"user-provided", "user-preference"})
PROTECTED_KIND = "instruction"

Partition = tuple[str, str | None, str | None]
"""Visibility, user (None when shared, and for an owner without a name) and project."""

IndexedForm = tuple[Partition, str, str | None, int | None]
"""What is embedded: partition, exact form, title and observed time."""

Item = TypeVar("Item")


def is_protected(kind: str, tags: Iterable[str]) -> bool:
    """Whether no cosine may join a text of this kind with these tags."""
    return kind == PROTECTED_KIND or not PROTECTING_TAGS.isdisjoint(tags)


def united(old: Iterable[Item], new: Iterable[Item]) -> tuple[Item, ...]:
    """The old ones in their order, then the new ones not yet among them."""
    return tuple(dict.fromkeys([*old, *new]))


def without(old: Iterable[Item], gone: Iterable[Item]) -> tuple[Item, ...]:
    """The old ones in their order, but those that are gone."""
    removed = set(gone)
    return tuple(item for item in old if item not in removed)


def later(first: int | None, second: int | None) -> int | None:
    """The later of two expiries; None is never, and later than any."""
    return None if first is None or second is None else max(first, second)


@dataclass(slots=True, frozen=True)
class Text:
    """One `memory_stored` event: the text as it came, which no later event changes."""

    ordinal: int
    seq: int
    id: str | None
    recorded_at: int
    event: MemoryStored
    form: str
    partition: Partition

    @property
    def length(self) -> int:
        """Code points of the exact form."""
        return len(self.form)

    @property
    def indexed_form(self) -> IndexedForm:
        """Texts of one indexed form have one vector, and one entry in the evidence."""
        return self.partition, self.form, self.event.title, self.event.observed_at

    @property
    def protected(self) -> bool:
        """Whether this text, by its own kind and tags, is joined by exact repeats only."""
        return is_protected(self.event.kind, self.event.tags)

    @property
    def intervals(self) -> tuple[int | None, ...]:
        """What must be equal for two texts to be one memory."""
        event = self.event
        return event.valid_from, event.valid_to, event.event_start, event.event_end

    @property
    def always_begins(self) -> bool:
        """Whether this text begins a memory whatever it resembles."""
        return bool(self.event.relations) or self.event.superseding


@dataclass(slots=True, kw_only=True)
class Memory:
    """One belief. Texts and other memories are named by ordinal; times are UTC nanoseconds."""

    root: int
    id: str | None
    members: tuple[int, ...]
    lead: int

    partition: Partition
    kind: str
    intervals: tuple[int | None, ...]
    valid_from: int | None
    valid_to: int | None
    begins: int | None
    recorded_at: int
    """From when it held, if nobody said: when it was observed, else recorded."""

    tags: tuple[str, ...]
    entities: tuple[str, ...]
    categories: tuple[str, ...]
    expires_at: int | None
    pin: str | None = None
    salience: float
    accesses: int = 0

    forgotten: bool = False
    erased: bool = False
    pruned: bool = False
    superseded_by: tuple[int, ...] = ()
    """Roots, as they were at the event's own seq, in order."""
    restored_at: int
    """When it was last restored, else created: prune counts from here."""
    restored_uses: int
    """Its uses then."""

    e: float
    k0: int = 0
    anchor: int
    uses: int
    hits: int
    velocity: list[int] = field(default_factory=list)
    """When each causal feedback was recorded."""
    spread: float = 0.0
    centroid: NDArray[np.float64] | None = None
    contexts: int = 0
    context_fingerprint: str | None = None
    exposed: bool = False
    last_returned: int | None = None

    @property
    def protected(self) -> bool:
        """Whether no cosine joins it and no prune hides it, as its tags are now."""
        return is_protected(self.kind, self.tags)

    @property
    def live(self) -> bool:
        """Whether it may be joined, linked and pruned: neither forgotten nor erased nor superseded."""
        return not (self.forgotten or self.erased or self.superseded_by)


def begun(text: Text, constants: Constants) -> Memory:
    """A memory as the text that begins it makes it."""
    event, prior = text.event, text.event.prior
    return Memory(
        root=text.ordinal,
        id=text.id,
        members=(text.ordinal,),
        lead=text.ordinal,
        partition=text.partition,
        kind=event.kind,
        intervals=text.intervals,
        valid_from=event.valid_from,
        valid_to=event.valid_to,
        begins=event.observed_at if event.valid_from is None else event.valid_from,
        recorded_at=text.recorded_at,
        tags=united((), event.tags),
        entities=united((), (term.key for term in event.entities)),
        categories=united((), (term.key for term in event.categories)),
        expires_at=event.expires_at,
        salience=constants.salience_initial if event.salience is None else event.salience,
        restored_at=text.recorded_at,
        restored_uses=0 if prior is None else prior.uses,
        e=constants.initial(event.origin) if prior is None else prior.effectiveness,
        anchor=text.recorded_at,
        uses=0 if prior is None else prior.uses,
        hits=0 if prior is None else prior.hits,
    )
