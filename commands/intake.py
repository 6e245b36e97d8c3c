"""Taking in what an import brings, in batches, each thing once.

What an import appends carries in its `key` the place it came from and, within
that place, what it is ("import:markdown:5f3a.."). The log is asked once which of
these keys it holds, and under the write lock for what was appended since, so
that importing again, or twice at a time, adds nothing. A text is known within
its partition: the same notes may be imported for two projects or users.

A key of the log's own kind (`IdempotencyKey`) would not do: it names a batch,
and which notes share a batch changes with every note that is added.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from ..eventlog import events as ev
from ..eventlog.events import Draft, Event, MemoryStored, Recorded, Relation
from ..eventlog.ids import new_id
from ..projections.ledger.memories import STATUS
from ..projections.ledger.texts import partition_of
from ..projections.text.document import indexed_text
from .appending import Locked, append_decided
from .evidence import with_evidence
from .scanning import naming
from .screening import Refusal

if TYPE_CHECKING:
    from .opened import OpenStore

MARK = "import:"
BATCH = 256
BATCH_CHARACTERS = 20_000
"""Texts that are embedded and appended together."""

Progress = Callable[[int, int], None]
"""Called with the number of texts done and of all."""


T = TypeVar("T")


class Incoming(msgspec.Struct, frozen=True):
    """A text to take in. `local` is its id at home; its event names other texts by theirs, and carries its key.

    `line` is the line of the source it stands in, from 1, if that is known.
    """

    local: str
    event: MemoryStored
    line: int | None = None


class Further(msgspec.Struct, frozen=True):
    """An event about texts taken in. `make` gives it, the ids being in this store; None where one is missing."""

    make: Callable[[Mapping[str, str]], Event | None]
    key: str
    time: int | None = None
    line: int | None = None


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was left out, since it may not be shown to a model again: where it stands, and why, not what.

    `file` is named as the source names it, null where that name is itself refused; `line` from 1, null if unknown;
    `item` is the id it has at home, where it stands in no line.
    """

    file: str | None
    line: int | None
    item: str | None
    category: str
    field: str


class Intake:
    """One import into one store.

    Attributes:
        ids: From ids at home to ids here, of all texts taken in now or earlier.
        counts: Texts by what became of them: added, merged, reinforced, skipped.
        rejected: What was left out.
    """

    def __init__(self, store: OpenStore, source: str = "") -> None:
        self._store = store
        self._source = source
        self._refusals: dict[str, ev.ContentRejected] = {}
        self._owner = store.catalog.beliefs.texts.owner
        self._known: dict[tuple[str, str], str] = {}
        self._seq = 0
        self.ids: dict[str, str] = {}
        self.rejected: list[Rejected] = []
        self.counts = dict.fromkeys((*STATUS, "skipped"), 0)
        head = store.eventlog.head.seq
        self._learn(naming(store.eventlog, (MARK,), head), head)

    def _learn(self, events: Iterable[Recorded], head: int) -> None:
        for recorded in events:
            key = recorded.event.key
            if key is not None and key.startswith(MARK):
                self._known[self._place(recorded.event), key] = recorded.id or ""
        self._seq = head

    def _place(self, event: Event) -> str:
        return partition_of(event.scope, self._owner) if isinstance(event, MemoryStored) else ""

    def _lookup(self, item: Incoming) -> str | None:
        return self._known.get((self._place(item.event), item.event.key or ""))

    def texts(self, items: Sequence[Incoming], progress: Progress | None = None) -> None:
        """Take in texts, in order; one that refers to another comes after it."""
        done = 0
        for some in _text_batches(items):
            fresh = [item for item in some if self._lookup(item) is None]
            self._append([item for item in fresh if self._fit(item)])
            for item in some:
                known = self._lookup(item)
                if known is not None:
                    self.ids[item.local] = known
            self.counts["skipped"] += len(some) - len(fresh)
            done += len(some)
            if progress is not None:
                progress(done, len(items))

    def _fit(self, item: Incoming) -> bool:
        """Whether a text may be taken in; if not, it is noted where it stands."""
        refused = self._store.screen.event(item.event)
        if refused is not None:
            provenance = item.event.provenance
            if item.line is not None:
                self._refuse(refused, None, item.line, None)
            elif provenance.span is not None:
                self._refuse(refused, provenance.file, provenance.span.line_from, None)
            else:
                self._refuse(refused, provenance.file, None, item.local)
        return refused is None

    def _refuse(self, refused: Refusal, file: str | None, line: int | None, item: str | None) -> None:
        """Note a refusal for the answer and for the log; its key there says where it stands, and nothing of what."""
        named = file or self._source
        shown, which = (None if one is None or self._store.screen.text(one) else one for one in (named, item))
        category, field = refused.finding.category, refused.field
        self.rejected.append(Rejected(file=shown, line=line, item=which, category=category, field=field))
        known = blake2b(repr((shown, line, len(self.rejected))).encode(), digest_size=16)
        self._refusals[f"rejected:{known.hexdigest()}"] = refused.event()

    def finish(self) -> None:
        """Append that something was refused, once for each place of a source."""
        refusals, self._refusals = self._refusals, {}
        stamp = self._store.stamp()
        self.further([Further(partial(_constant, replace(event, **stamp)), key) for key, event in refusals.items()])

    def _append(self, fresh: Sequence[Incoming]) -> None:
        if not fresh:
            return
        store = self._store
        fingerprint = store.catalog.beliefs.fingerprint
        ids = {item.local: new_id(store.now(), os.urandom) for item in fresh}
        ready = self._embedded([item.event for item in fresh], fingerprint)
        taken: list[str] = []
        made: dict[int, list[Draft]] = {}

        def decide(locked: Locked) -> list[Draft]:
            head = locked.reader.head.seq
            if head in made:
                return made[head]  # Run again since the file had to grow: measuring is most of the work.
            self._learn(locked.reader.read(self._seq + 1, head, checked=False), head)
            texts = ready
            if locked.beliefs.fingerprint != fingerprint:
                texts = self._embedded(ready, locked.beliefs.fingerprint)
            new = [(item.local, text) for item, text in zip(fresh, texts, strict=True) if self._lookup(item) is None]
            names = {**self.ids, **ids}
            renamed = [_renamed(text, names) for _, text in new]
            events = with_evidence(locked.catalog, renamed, head + 1)
            taken[:] = [local for local, _ in new]
            made[head] = [Draft(event, ids[local]) for local, event in zip(taken, events, strict=True)]
            return made[head]

        append_decided(store, decide, verb="import")
        self._count(fresh, taken, ids)

    def _count(self, fresh: Sequence[Incoming], taken: Sequence[str], ids: Mapping[str, str]) -> None:
        beliefs = self._store.view().beliefs
        for local in taken:
            ordinal = beliefs.texts.ordinal_of(ids[local])
            self.counts[STATUS[beliefs.memories.table["status"][ordinal]]] += 1
        self.counts["skipped"] += len(fresh) - len(taken)
        for item in fresh:
            self._known.setdefault((self._place(item.event), item.event.key or ""), ids[item.local])

    def _embedded(self, events: Sequence[MemoryStored], fingerprint: str | None) -> list[MemoryStored]:
        """The events with vectors of this embedder; those that have them keep them."""
        bare = [event for event in events if event.vectors is None or event.vectors.fingerprint != fingerprint]
        vectors = iter(self._store.embed(fingerprint, [indexed_text(event) for event in bare]))
        lacking = set(map(id, bare))
        return [
            msgspec.structs.replace(event, vectors=next(vectors)) if id(event) in lacking else event for event in events
        ]

    def further(self, items: Sequence[Further]) -> int:
        """Append events about what was taken in, those that were not appended by an earlier import; how many."""
        appended = 0
        for some in _batches(items):
            made = [pair for item in some if (pair := self._made(item)) is not None]

            def decide(locked: Locked, made: Sequence[tuple[Further, Event]] = made) -> list[Draft]:
                head = locked.reader.head.seq
                self._learn(locked.reader.read(self._seq + 1, head, checked=False), head)
                new = [pair for pair in made if ("", MARK + pair[0].key) not in self._known]
                return [self._draft(item, event) for item, event in new]

            wanted = [pair for pair in made if ("", MARK + pair[0].key) not in self._known]
            if wanted:
                done = append_decided(self._store, decide, verb="import")
                appended += done.last - done.first + 1
        return appended

    def _made(self, item: Further) -> tuple[Further, Event] | None:
        event = item.make(self.ids)
        refused = None if event is None else self._store.screen.event(event)
        if refused is not None:
            self._refuse(refused, None, item.line, None)
        return None if event is None or refused is not None else (item, event)

    def _draft(self, item: Further, event: Event) -> Draft:
        event = msgspec.structs.replace(event, key=MARK + item.key)
        return Draft(event, None if item.time is None else new_id(item.time, os.urandom))


def _text_batches(items: Sequence[Incoming]) -> Iterator[Sequence[Incoming]]:
    """Texts in batches that are soon embedded and so soon durable, however long the texts are."""
    batch: list[Incoming] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.event.text)
        if len(batch) >= BATCH or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _constant(event: Event, _: Mapping[str, str]) -> Event:
    return event


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def _renamed(event: MemoryStored, ids: Mapping[str, str]) -> MemoryStored:
    """The event with the ids of this store; relations to what was not taken in are left out."""
    relations: tuple[Relation, ...] = tuple(
        msgspec.structs.replace(one, target=ids[one.target]) for one in event.relations if one.target in ids
    )
    sources = tuple(ids[one] for one in event.provenance.derived_from if one in ids)
    if relations == event.relations and sources == event.provenance.derived_from:
        return event
    bare = msgspec.structs.replace(event.provenance, derived_from=sources)
    return msgspec.structs.replace(event, relations=relations, provenance=bare)
