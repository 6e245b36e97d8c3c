"""One row a stored text: what its event says, as columns that no constant can change.

The row number is the text's ordinal. Rows are only ever appended, so the first
k rows are what a log with k texts gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...eventlog.events import Event, MemoryStored, Recorded, Scope
from ..columns import NONE, Column, Lookup, Names, Pieces, Table
from ..vector.evidence import ENTRY, unpack
from .normal import exact_form, form_hash

SCHEMA = {
    "seq": ("i8", 0),
    "recorded_at": ("i8", 0),
    "id": ("S64", b""),
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
    "again": ("u1", 0),
    "declared": ("u1", 0),
    "protective": ("u1", 0),
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
"""`exact` and `form` are hashes of the exact and of the indexed form, `print` the embedder of its vectors, `repeat`
marks a form that came before with such vectors, `again` an exact form that came before at all,
`protective` a text that protects its memory from merges by cosine,
`machine` one that an agent or a tool stored, `granted` one that names further users."""

FILLED = tuple(SCHEMA)
TIMES = ("valid_from", "valid_to", "expires_at", "observed_at", "event_start", "event_end")
MACHINES = ("agent", "tool")
INSTRUCTION = "instruction"
PROTECTING = ("t:user-provided", "t:user-preference")

LONGEST_ID = 64
"""Letters of the longest id, as wide as its column."""

MOST_KNOWN = 1 << 16
"""Ids whose texts are remembered: most feedback is on few memories, and an id is that of one text for good."""

MOST_USES = 2_000_000_000
"""Prior uses beyond which an event is not believed, as its column could not hold many more."""

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
        self._scopes: dict[Scope, dict[str, object]] = {}
        self._prints: dict[int, int] = {}
        self._repeated: set[int] | None = None
        self._known: dict[str, int] = {}
        self.by_id = Lookup.over(self.table["id"])
        self.by_exact = Lookup.over(self.table["exact"])
        self.by_form = Lookup.over(self.table["form"])
        self.by_term = Lookup.over(self.term_codes.values)

    def __len__(self) -> int:
        return len(self.table)

    def add(self, recorded: Sequence[Recorded]) -> slice:
        """Append rows for `memory_stored` events, erased ones included; returns their ordinals."""
        rows = self.table.grow(len(recorded))
        cells = {name: [] for name in FILLED}  # type: dict[str, list[object]]
        terms: list[int] = []
        near = _Near(len(self.near_entries))
        for ordinal, event in enumerate(recorded, rows.start):
            key = (event.id or "").encode()
            self.by_id.add(key, ordinal)
            row = self._row(ordinal, event.event, terms, near)
            row.update(seq=event.seq, recorded_at=event.recorded_at, id=key)
            for name, values in cells.items():
                values.append(row[name] if name in row else SCHEMA[name][1])
        for name, cell in cells.items():
            self.table[name][rows] = cell
        self.term_codes.extend(terms)
        if near.parts:
            self.near_entries.extend(np.frombuffer(b"".join(near.parts), ENTRY))
        self._prints.clear()
        return rows

    def _row(self, ordinal: int, event: Event, terms: list[int], near: _Near) -> dict[str, object]:
        """The cells of a text that say something; its terms and evidence go to the ends of `terms` and `near`."""
        row: dict[str, object] = {
            "terms_start": len(self.term_codes) + len(terms),
            "near_start": near.total,
        }
        if not isinstance(event, MemoryStored):
            row["erased"] = 1
            return row
        row.update(self._scope(event.scope))
        if event.scope.grants:
            self.grants[ordinal] = tuple(self.labels.code(user_of(user, self.owner)) for user in event.scope.grants)
        row["kind"], row["origin"] = self.labels.code(event.kind), self.labels.code(event.origin)
        row["declared"] = bool(event.relations) or event.superseding
        row["machine"] = event.provenance.kind in MACHINES
        for name in TIMES:
            time = getattr(event, name)
            if time is not None:
                row[name] = time
        # What was recorded before numbers had bounds must not stop a fold.
        if event.prior is not None:
            prior = event.prior
            row["prior"] = min(max(prior.effectiveness, 0.0), 1.0)
            row["prior_uses"] = min(max(prior.uses, 0), MOST_USES)
            row["prior_hits"] = min(max(prior.hits, 0), MOST_USES)
        if event.salience is not None:
            row["salience"] = min(max(event.salience, 0.0), 1.0)
        self._forms(ordinal, event, row)
        self._own_terms(ordinal, event, row, terms)
        if event.evidence is not None:
            count = near.add(event.evidence.near)
            row["fingerprint"] = self.labels.code(event.evidence.fingerprint)
            row.update(floor=event.evidence.floor, horizon=event.evidence.horizon, near_count=count)
        return row

    def _scope(self, scope: Scope) -> dict[str, object]:
        """The cells of a scope; most texts share one."""
        known = self._scopes.get(scope)
        if known is None:
            code = self.labels.code
            known = self._scopes[scope] = {
                "partition": code(partition_of(scope, self.owner)),
                "user": code(user_of(scope.user, self.owner)),
                "shared": scope.visibility == "shared",
                "granted": bool(scope.grants),
                **{name: code(getattr(scope, name)) for name in ("project", "session", "agent", "container")},
            }
        return known

    def _forms(self, ordinal: int, event: MemoryStored, row: dict[str, object]) -> None:
        exact, indexed, length = forms_of(event, partition_of(event.scope, self.owner))
        row["length"], row["exact"], row["form"] = length, exact, indexed
        row["again"] = self.by_exact.count(np.uint64(exact)) > 0
        if self.by_form.count(np.uint64(indexed)):
            self.repeated.add(indexed)
        if event.vectors is not None:
            row["repeat"] = self.has_form(indexed, event.vectors.fingerprint)
            row["print"] = self._prints[ordinal] = self.labels.code(event.vectors.fingerprint)
        self.by_exact.add(exact, ordinal)
        self.by_form.add(indexed, ordinal)

    @property
    def repeated(self) -> set[int]:
        """The forms that more than one text has."""
        if self._repeated is None:
            forms, counts = np.unique(self.table["form"], return_counts=True)
            self._repeated = set(forms[counts > 1].tolist())
        return self._repeated

    def has_form(self, form: int, fingerprint: str) -> bool:
        """Whether a text of this indexed form has vectors of this embedder."""
        printed = self.labels.find(fingerprint)
        return printed >= 0 and any(
            self._print(other) == printed for other in reversed(self.by_form.find(np.uint64(form)))
        )

    def _print(self, ordinal: int) -> int:
        """The embedder of a text's vectors; rows of the batch at hand are not in the table yet."""
        found = self._prints.get(ordinal)
        return int(self.table["print"][ordinal]) if found is None else found

    def _own_terms(self, ordinal: int, event: MemoryStored, row: dict[str, object], terms: list[int]) -> None:
        names = terms_of(event)
        codes = [self.terms.code(name) for name in names]
        row["terms_count"] = len(codes)
        row["protective"] = event.kind == INSTRUCTION or any(name in PROTECTING for name in names)
        terms += codes
        for code in codes:
            self.by_term.add(code, ordinal)

    # -- reading ---------------------------------------------------------------

    def as_of(self, seq: int) -> Texts:
        """The texts stored up to an event, sharing memory with these; names seen later have numbers nobody carries."""
        stop = int(np.searchsorted(self.table["seq"], seq, "right"))
        then = Texts(self.owner)
        then.table = self.table.first(stop)
        then.labels, then.terms = self.labels, self.terms
        then.term_codes = Column(self.term_codes.values[: int(then.table["terms_count"].sum())])
        then.near_entries = self.near_entries.first(int(then.table["near_count"].sum()))
        then.grants = {ordinal: users for ordinal, users in self.grants.items() if ordinal < stop}
        then.by_id, then.by_exact, then.by_form = (
            lookup.before(stop) for lookup in (self.by_id, self.by_exact, self.by_form)
        )
        then.by_term = self.by_term.before(stop)
        return then

    def ordinal_of(self, memory: str) -> int:
        """The text with this id, or -1; also for what can be no id."""
        known = self._known.get(memory)
        if known is not None:
            return known
        if len(memory) > LONGEST_ID or not memory.isascii() or memory.endswith("\0"):
            return -1
        found = self.by_id.find(memory.encode())
        if not found:
            return -1
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[memory] = found[0]
        return found[0]

    def ordinal_at(self, seq: int) -> int:
        """The text stored by event `seq`, or -1."""
        place = int(np.searchsorted(self.table["seq"], seq))
        return place if place < len(self) and self.table["seq"][place] == seq else -1

    def id_of(self, ordinal: int) -> str:
        """The id of a text."""
        return bytes(self.table["id"][ordinal]).decode()

    def ids_of(self, ordinals: NDArray[np.int64]) -> list[str]:
        """The ids of some texts."""
        return [key.decode() for key in self.table["id"][ordinals].tolist()]

    def label(self, column: str, ordinal: int) -> str | None:
        """A label column's value in words."""
        code = int(self.table[column][ordinal])
        return None if code < 0 else self.labels.names[code]

    def labels_of(self, column: str, ordinals: NDArray[np.int64]) -> list[str | None]:
        """A label column's values in words."""
        names = self.labels.names
        return [None if code < 0 else names[code] for code in self.table[column][ordinals].tolist()]

    def own_terms(self, ordinal: int) -> tuple[int, ...]:
        """Codes of the tags, entities and categories that came with the text."""
        start = int(self.table["terms_start"][ordinal])
        return tuple(self.term_codes.values[start : start + int(self.table["terms_count"][ordinal])].tolist())

    def own_terms_of(self, ordinals: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """Of each of some texts, the codes of what came with it."""
        codes = self.term_codes.values
        starts, counts = self.table["terms_start"][ordinals].tolist(), self.table["terms_count"][ordinals].tolist()
        return [tuple(codes[start : start + count].tolist()) for start, count in zip(starts, counts, strict=True)]

    def term_lookup(self) -> Lookup:
        """From a term's code to the texts that came with it, made anew from the columns."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.table["terms_count"])
        order = np.argsort(self.term_codes.values, kind="stable")
        return Lookup(self.term_codes.values[order], owners[order])

    def near(self, ordinal: int) -> NDArray[np.void]:
        """The evidence entries of a text, nearest first; dtype `evidence.ENTRY`."""
        start = int(self.table["near_start"][ordinal])
        return self.near_entries.part(start, int(self.table["near_count"][ordinal]))


class _Near:
    """Evidence entries of a batch, and how many there are with those before it."""

    def __init__(self, total: int) -> None:
        self.parts: list[bytes] = []
        self.total = total

    def add(self, near: bytes) -> int:
        """Take the entries of one event; returns how many there are."""
        count, rest = divmod(len(near), ENTRY.itemsize)
        if rest:
            unpack(near)  # says what is wrong with it
        self.parts.append(near)
        self.total += count
        return count


def user_of(user: str | None, owner: str | None) -> str:
    """The user a scope means; the owner is `OWNER`, however they are named."""
    return OWNER if user is None or user == owner else user


def partition_of(scope: Scope, owner: str | None) -> str:
    """The part of a store within which texts may be one memory: who sees it, whose it is, which project."""
    who = "shared" if scope.visibility == "shared" else f"private/{user_of(scope.user, owner)}"
    return f"{who}//{scope.project or ''}"


def forms_of(event: MemoryStored, partition: str) -> tuple[int, int, int]:
    """The hashes of a text's exact form and of its indexed form, and the length of the former."""
    form = exact_form(event.text)
    exact = indexed = form_hash(partition, form)
    if event.title is not None or event.observed_at is not None:
        indexed = form_hash(partition, form, event.title or "", str(event.observed_at))
    return exact, indexed, len(form)


def terms_of(event: MemoryStored) -> list[str]:
    """Tags, entity keys and category keys of a text, each once, with their kind in front."""
    terms = [f"t:{tag}" for tag in event.tags]
    terms += [f"e:{term.key}" for term in event.entities]
    terms += [f"c:{term.key}" for term in event.categories]
    return list(dict.fromkeys(terms))
