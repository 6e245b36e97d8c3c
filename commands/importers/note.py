"""What a reader hands over: notes, links between them, and what it could not read.

A reader only reads its source. It opens no store and asks no clock and no
environment, so what it yields is a function of the source's bytes, and reading
twice yields the same notes with the same keys. The whole source is read before
the first note is handed over: malformed input is refused before anything is
stored.
"""

from __future__ import annotations

import msgspec

from ...eventlog.events import Metadata, Origin, Prior, Provenance, Term
from ...projections.ledger.normal import name_key


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One memory as a source has it, ready to be stored.

    `source_key` is the same whenever the same text comes from the same place of the same source, wherever in
    the file it has moved to; storing under it makes importing twice harmless. `local_id` is the note's id
    within its source, which links refer to. Times are UTC nanoseconds and are those the source gives; when the
    note was recorded is the importing command's to say. `prior` is what was learned elsewhere.
    """

    text: str
    source_key: str
    local_id: str
    provenance: Provenance
    title: str | None = None
    kind: str = "fact"
    tags: tuple[str, ...] = ()
    entities: tuple[Term, ...] = ()
    categories: tuple[Term, ...] = ()
    metadata: Metadata = {}
    origin: Origin = "imported"
    prior: Prior | None = None
    expires_at: int | None = None
    observed_at: int | None = None
    event_start: int | None = None
    event_end: int | None = None
    temporal_text: str | None = None
    timezone: str | None = None


class LinkNote(msgspec.Struct, frozen=True, kw_only=True):
    """An edge between two notes of a source, by their `local_id`; weight in (0, 1]."""

    source_local: str
    target_local: str
    relation: str
    weight: float = 1.0
    reason: str | None = None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one import found.

    `name` is the kind of source. Every `source_key` and every `local_id` occurs once, and both ends of every
    link are among the notes. `warnings` are sentences for the person importing: what was left out or altered,
    where, and what to do. `sessions` are archived sessions, which are no memories, as the source has them.
    """

    name: str
    notes: tuple[Note, ...] = ()
    links: tuple[LinkNote, ...] = ()
    warnings: tuple[str, ...] = ()
    sessions: tuple[dict[str, str | None], ...] = ()

    @property
    def total(self) -> int:
        """How many notes there are."""
        return len(self.notes)


def term(name: str, kind: str | None = None, *, role: str | None = None) -> Term:
    """An entity or category called `name`, matched without regard to case, width and spacing."""
    return Term(name=name, key=name_key(name), type=kind, role=role)
