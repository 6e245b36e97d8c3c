"""One row a stored text: what its event says, as columns that no constant can change.

The row number is the text's ordinal. Rows are only ever appended, so the first
k rows are what a log with k texts gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ...eventlog.events import ErasedEvent, MemoryStored, Recorded, Scope
from ..columns import NONE, Column, Lookup, Names, Pieces, Table
from ..vector.evidence import ENTRY, unpack
from .normal import exact_form

SCHEMA = {
    "seq": ("i8", 0),
    "recorded_at": ("i8", 0),
    "id": ("S32", b""),
    "partition": ("i4", -1),
    "kind": ("i4", -1),
    "user": ("i4", -1),
    "project": ("i4", -1),
    "session": ("i4", -1),
    "agent": ("i4", -1),
    "container": ("i4", -1),
    "shared": ("u1", 0),
    "origin": ("i4", -1),
    "prior": ("f8", np.nan),
    "prior_uses": ("i4", 0),
    "prior_hits": ("i4", 0),
    "valid_from": ("i8", NONE),
    "valid_to": ("i8", NONE),
    "expires_at": ("i8", NONE),
    "observed_at": ("i8", NONE),
    "event_start": ("i8", NONE),
    "event_end": ("i8", NONE),
    "salience": ("f8", np.nan),
    "length": ("i4", 0),
    "exact": ("u8", 0),
    "form": ("u8", 0),
    "print": ("i4", -1),
    "repeat": ("u1", 0),
    "declared": ("u1", 0),
    "machine": ("u1", 0),
    "erased": ("u1", 0),
    "fingerprint": ("i4", -1),
    "floor": ("f8", np.nan),
    "horizon": ("f8", np.nan),
    "near_start": ("i8", 0),
    "near_count": ("i4", 0),
    "terms_start": ("i8", 0),
    "terms_count": ("i4", 0),
    "granted": ("u1", 0),
}
"""`exact` and `form` are hashes of the exact and of the indexed form, `print` the
embedder of its vectors, `repeat` marks a form that came before with such vectors,
`machine` a text that an agent or a tool stored, `granted` one that names further users."""

OWNER = ""
"""The owner's name in a partition; a scope without a user means them."""


class Texts:
    """All texts of a log prefix."""

    def __init__(self, owner: str | None = None) -> None:
        self.owner = owner
        self.table = Table(SCHEMA)
        self.labels = Names()
        self.terms = Names()
        self.term_codes = Column(np.empty(0, np.int32))
        self.near_entries = Pieces(np.empty(0, ENTRY))
        self.grants: dict[int, tuple[int, ...]] = {}
        self.by_id = Lookup.over(self.table["id"])
        self.by_exact = Lookup.over(self.table["exact"])
        self.by_form = Lookup.over(self.table["form"])
        self.by_term = Lookup.over(self.term_codes.values)

    def __len__(self) -> int:
        return len(self.table)

    def add(self, recorded: Sequence[Recorded]) -> slice:
        """Append rows for `memory_stored` events, erased ones included; returns their ordinals."""
        rows = self.table.grow(len(recorded))
        for ordinal, event in enumerate(recorded, rows.start):
            self._fill(ordinal, event)
        return rows

    def _fill(self, ordinal: int, recorded: Recorded) -> None:
        table, event = self.table, recorded.event
        table["seq"][ordinal] = recorded.seq
        table["recorded_at"][ordinal] = recorded.recorded_at
        key = (recorded.id or "").encode()
        table["id"][ordinal] = key
        table["terms_start"][ordinal] = len(self.term_codes)
        table["near_start"][ordinal] = len(self.near_entries)
        self.by_id.add(key, ordinal)
        if isinstance(event, ErasedEvent):
            table["erased"][ordinal] = 1
            return
        assert isinstance(event, MemoryStored)  # noqa: S101 - the caller hands over nothing else
        self._fill_scope(ordinal, event.scope)
        self._fill_times(ordinal, event)
        self._fill_forms(ordinal, event)
        self._fill_terms(ordinal, event)
        self._fill_evidence(ordinal, event)
        table["kind"][ordinal] = self.labels.code(event.kind)
        table["origin"][ordinal] = self.labels.code(event.origin)
        table["declared"][ordinal] = bool(event.relations) or event.superseding
        table["machine"][ordinal] = event.provenance.kind in ("agent", "tool")
        if event.prior is not None:
            table["prior"][ordinal] = event.prior.effectiveness
            table["prior_uses"][ordinal] = event.prior.uses
            table["prior_hits"][ordinal] = event.prior.hits
        if event.salience is not None:
            table["salience"][ordinal] = event.salience

    def _fill_scope(self, ordinal: int, scope: Scope) -> None:
        table, code = self.table, self.labels.code
        table["partition"][ordinal] = code(partition_of(scope, self.owner))
        table["user"][ordinal] = code(user_of(scope.user, self.owner))
        table["shared"][ordinal] = scope.visibility == "shared"
        for name in ("project", "session", "agent", "container"):
            table[name][ordinal] = code(getattr(scope, name))
        if scope.grants:
            table["granted"][ordinal] = 1
            self.grants[ordinal] = tuple(code(user_of(user, self.owner)) for user in scope.grants)

    def _fill_times(self, ordinal: int, event: MemoryStored) -> None:
        for name in ("valid_from", "valid_to", "expires_at", "observed_at", "event_start", "event_end"):
            time: int | None = getattr(event, name)
            if time is not None:
                self.table[name][ordinal] = time

    def _fill_forms(self, ordinal: int, event: MemoryStored) -> None:
        table, partition = self.table, partition_of(event.scope, self.owner)
        form = exact_form(event.text)
        exact = form_hash(partition, form)
        indexed = exact
        if event.title is not None or event.observed_at is not None:
            indexed = form_hash(partition, form, event.title or "", str(event.observed_at))
        table["length"][ordinal] = len(form)
        table["exact"][ordinal] = exact
        table["form"][ordinal] = indexed
        if event.vectors is not None:
            table["print"][ordinal] = self.labels.code(event.vectors.fingerprint)
            earlier = self.by_form.find(indexed)
            table["repeat"][ordinal] = bool((table["print"][earlier] == table["print"][ordinal]).any())
        self.by_exact.add(exact, ordinal)
        self.by_form.add(indexed, ordinal)

    def _fill_terms(self, ordinal: int, event: MemoryStored) -> None:
        codes = [self.terms.code(term) for term in terms_of(event)]
        self.table["terms_count"][ordinal] = len(codes)
        if codes:
            self.term_codes.extend(codes)
        for code in codes:
            self.by_term.add(code, ordinal)

    def _fill_evidence(self, ordinal: int, event: MemoryStored) -> None:
        evidence, table = event.evidence, self.table
        if evidence is None:
            return
        near = unpack(evidence.near)
        table["fingerprint"][ordinal] = self.labels.code(evidence.fingerprint)
        table["floor"][ordinal] = evidence.floor
        table["horizon"][ordinal] = evidence.horizon
        table["near_count"][ordinal] = len(near)
        if len(near):
            self.near_entries.extend(near)

    # -- reading ---------------------------------------------------------------

    def ordinal_of(self, memory: str) -> int:
        """The text with this id, or -1."""
        found = self.by_id.find(memory.encode())
        return found[0] if found else -1

    def ordinal_at(self, seq: int) -> int:
        """The text stored by event `seq`, or -1."""
        place = int(np.searchsorted(self.table["seq"], seq))
        return place if place < len(self) and self.table["seq"][place] == seq else -1

    def id_of(self, ordinal: int) -> str:
        """The id of a text."""
        return bytes(self.table["id"][ordinal]).decode()

    def label(self, column: str, ordinal: int) -> str | None:
        """A label column's value in words."""
        code = int(self.table[column][ordinal])
        return None if code < 0 else self.labels.names[code]

    def own_terms(self, ordinal: int) -> tuple[int, ...]:
        """Codes of the tags, entities and categories that came with the text."""
        start = int(self.table["terms_start"][ordinal])
        return tuple(self.term_codes.values[start : start + int(self.table["terms_count"][ordinal])].tolist())

    def term_lookup(self) -> Lookup:
        """From a term's code to the texts that came with it, made anew from the columns."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.table["terms_count"])
        order = np.argsort(self.term_codes.values, kind="stable")
        return Lookup(self.term_codes.values[order], owners[order])

    def near(self, ordinal: int) -> NDArray[np.void]:
        """The evidence entries of a text, nearest first; dtype `evidence.ENTRY`."""
        start = int(self.table["near_start"][ordinal])
        return self.near_entries.part(start, int(self.table["near_count"][ordinal]))


def user_of(user: str | None, owner: str | None) -> str:
    """The user a scope means; the owner is `OWNER`, however they are named."""
    return OWNER if user is None or user == owner else user


def partition_of(scope: Scope, owner: str | None) -> str:
    """The part of a store within which texts may be one memory: who sees it, whose it is, which project."""
    who = "shared" if scope.visibility == "shared" else f"private/{user_of(scope.user, owner)}"
    return f"{who}//{scope.project or ''}"


def form_hash(*parts: str) -> int:
    """64 bits of BLAKE2b over strings, unambiguous."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return int.from_bytes(digest.digest(), "big")


def terms_of(event: MemoryStored) -> list[str]:
    """Tags, entity keys and category keys of a text, each once, with their kind in front."""
    terms = [f"t:{tag}" for tag in event.tags]
    terms += [f"e:{term.key}" for term in event.entities]
    terms += [f"c:{term.key}" for term in event.categories]
    return list(dict.fromkeys(terms))
