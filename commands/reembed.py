"""`reembed`: give every text vectors of another embedder, or none.

Texts get their vectors in batches that change nothing yet: queries go on with
the old embedder. The last step runs under the write lock. It sees what was
stored meanwhile, embeds that too, and appends the rest of the vectors together
with the adoption, so that at every point of the log the embedder in use covers
every text. A run that was broken off is taken up by the next: what has vectors
is not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import (
    ConstantsAdopted,
    EmbedderAdopted,
    Event,
    MemoriesReembedded,
    MemoryStored,
)
from ..eventlog.log import Appended, LogReader
from ..projections.text.document import indexed_text
from . import checks
from .appending import Decided, Locked, append_decided, before, checked_reason
from .coverage import Coverage
from .init import embedder_name

if TYPE_CHECKING:
    from ..constants import Constants
    from ..embedding.protocol import Embedder
    from .opened import OpenStore

BATCH = 1_000
"""Most texts of one event."""

LATE = 32
"""Most texts that are embedded under the write lock; more, and another batch goes before."""

SLICE = 64
"""Texts embedded at a time, between two reports of progress."""

Rows = tuple[bytes, ...]
Progress = Callable[[int, int], None]
"""(texts done, texts in all)."""


class Reembedded(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of embedder did; `seq` is null for a dry run.

    `embedder` and `fingerprint` are those from here on, `previous` the fingerprint before (null for none). `texts`
    counts those that were (or would be) given vectors, `kept` those that had them already, `events` what was appended.
    """

    seq: int | None
    dry_run: bool
    embedder: str | None
    fingerprint: str | None
    previous: str | None
    texts: int
    kept: int
    constants_adopted: bool
    events: int
    repeated: bool = False


def reembed(
    self: OpenStore,
    embedder: str | Embedder,
    reason: str | None = None,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    key: str | None = None,
) -> Reembedded:
    """Give every text vectors of another embedder, and use it from here on; a store without one gets its first.

    Points of the past keep theirs, and so does what was decided from them. The new embedder's thresholds join the
    constants, unless they are there.

    Args:
        self: The store.
        embedder: Its name, one of your own, or "none" to recall by words and names only.
        reason: Why.
        dry_run: Say what would be done; nothing is embedded or appended.
        progress: Called now and then with (texts done, texts in all).
        key: The same key adopts once, for ever.

    Raises:
        Conflict: The store uses this embedder already, or another was adopted meanwhile.
        InvalidInput, EmbedderUnavailable: The embedder cannot be had.
        EmbedderError: It failed; what has vectors by then is kept, and nothing else changed.
        KeyConflict: The key was used for something else.
    """
    reason, chosen = checked_reason(reason), self.load_embedder(embedder)
    change = _Change(self, chosen, reason, key)
    if checks.check_flag(dry_run, what="dry_run"):
        constants = change.begin()
        return change.answer(texts=len(change.coverage.wanting), constants_adopted=change.lacks_row(constants))
    repeated = None if key is None else change.append(lambda _: [])
    if repeated is not None and repeated.repeated:
        return _repeated(self, repeated)
    change.begin()
    return change.run(progress or _silent)


def _silent(_done: int, _all: int) -> None:
    """Report to nobody."""


class _Change:
    """One run: from the embedder in use to another."""

    def __init__(self, store: OpenStore, embedder: Embedder | None, reason: str | None, key: str | None) -> None:
        self.store, self.embedder, self.reason, self.key = store, embedder, reason, key
        self.fingerprint = None if embedder is None else embedder.identity.fingerprint
        self.previous: str | None = None
        self.coverage = Coverage(self.fingerprint)
        self.ready: dict[int, Rows] = {}
        self.kept = self.covered = self.events = 0
        self.adopted_row = False

    def begin(self) -> Constants:
        """Look at the store as it is; the constants in force.

        Raises:
            Conflict: It uses this embedder already.
        """
        beliefs = self.store.view().beliefs
        self.previous = beliefs.fingerprint
        if self.previous == self.fingerprint:
            raise Conflict(
                f"the store uses {self.fingerprint or 'no embedder'} already", remedy="name another embedder"
            )
        self.kept = self.coverage.extend(self.store.eventlog).kept
        return beliefs.constants

    def run(self, progress: Progress) -> Reembedded:
        """Embed and append until the adoption has gone through."""
        if self.embedder is not None:
            self.store.use_embedder(self.embedder)
            self.embedder.thresholds  # noqa: B018 - calibrated now, not under the write lock
        while True:
            wanting = list(self.coverage.extend(self.store.eventlog).wanting)
            self._prepare(wanting[:BATCH], progress)
            if len(wanting) > BATCH:
                self.store.append([self._vectors(wanting[:BATCH], self.ready)])
                self.events += 1
                self.ready.clear()
                continue
            appended = self.append(self._adoption)
            if appended.repeated:
                return _repeated(self.store, appended)
            if appended.last >= appended.first:
                self.events += appended.last - appended.first + 1
                return self.answer(appended, texts=self.covered - self.kept, constants_adopted=self.adopted_row)

    def append(self, decide: Decided) -> Appended:
        """Append with the caller's key."""
        return append_decided(self.store, decide, verb="reembed", asked=(self.fingerprint, self.reason), key=self.key)

    def _prepare(self, seqs: Sequence[int], progress: Progress) -> None:
        """Embed texts that are not ready yet, a few at a time."""
        every = self.coverage.kept + len(self.coverage.wanting)
        todo = [seq for seq in seqs if seq not in self.ready]
        for start in range(0, len(todo), SLICE):
            self.ready.update(self._embed(todo[start : start + SLICE], self.store.eventlog))
            progress(self.coverage.kept + len(self.ready), every)

    def _embed(self, seqs: Sequence[int], reader: LogReader) -> dict[int, Rows]:
        """Vectors of texts by their events; none for one that means nothing to the embedder, or was erased."""
        bodies = {found.seq: found.event for found in reader.get_many(seqs)}
        texts = {seq: indexed_text(body) for seq, body in bodies.items() if isinstance(body, MemoryStored)}
        vectors = self.store.embed(self.fingerprint, list(texts.values()))
        made = {seq: () if found is None else found.rows for seq, found in zip(texts, vectors, strict=True)}
        return {seq: made.get(seq, ()) for seq in seqs}

    def _vectors(self, seqs: Sequence[int], rows: Mapping[int, Rows]) -> MemoriesReembedded:
        if self.embedder is None or self.fingerprint is None:
            raise AssertionError("without an embedder no text is wanting")
        return MemoriesReembedded(
            **self.store.stamp(),
            fingerprint=self.fingerprint,
            dims=self.embedder.identity.dimensions,
            texts=tuple(seqs),
            rows=tuple(rows[seq] for seq in seqs),
        )

    def _adoption(self, locked: Locked) -> list[Event]:
        """The last step under the write lock; no events where too many texts came meanwhile."""
        if locked.beliefs.fingerprint != self.previous:
            raise Conflict("another embedder was adopted meanwhile", remedy="look at `helix health` and decide anew")
        coverage = self.coverage.copy().extend(locked.reader)
        late = [seq for seq in coverage.wanting if seq not in self.ready]
        if len(late) > LATE:
            return []
        rows = {**self.ready, **self._embed(late, locked.reader)}
        wanting = list(coverage.wanting)
        events: list[Event] = [
            self._vectors(wanting[start : start + BATCH], rows) for start in range(0, len(wanting), BATCH)
        ]
        lacking = self.lacks_row(locked.beliefs.constants)
        if self.embedder is not None and lacking:
            events.append(self._with_row(self.embedder, locked.beliefs.constants))
        identity = None if self.embedder is None else msgspec.to_builtins(self.embedder.identity)
        events.append(
            EmbedderAdopted(
                **self.store.stamp(self.key), fingerprint=self.fingerprint, embedder=identity, reason=self.reason
            )
        )
        self.covered, self.adopted_row = coverage.kept + len(wanting), lacking
        return events

    def lacks_row(self, constants: Constants) -> bool:
        """Whether the constants have no thresholds for the embedder, and it needs some."""
        return self.fingerprint is not None and self.fingerprint not in constants.thresholds

    def _with_row(self, embedder: Embedder, constants: Constants) -> ConstantsAdopted:
        found, fingerprint = embedder.thresholds, embedder.identity.fingerprint
        return ConstantsAdopted(
            **self.store.stamp(),
            constants=constants.with_thresholds(fingerprint, found).as_dict(),
            reason=f"thresholds of {fingerprint}",
        )

    def answer(self, appended: Appended | None = None, *, texts: int, constants_adopted: bool) -> Reembedded:
        """What was done; without `appended`, what would be."""
        return Reembedded(
            seq=None if appended is None else appended.last,
            dry_run=appended is None,
            embedder=embedder_name(self.fingerprint),
            fingerprint=self.fingerprint,
            previous=self.previous,
            texts=texts,
            kept=self.kept,
            constants_adopted=constants_adopted,
            events=self.events,
        )


def _repeated(self: OpenStore, appended: Appended) -> Reembedded:
    """What the last step of the call that used the key first did."""
    events = [recorded.event for recorded in self.eventlog.read(appended.first, appended.last)]
    fingerprint = next((event.fingerprint for event in events if isinstance(event, EmbedderAdopted)), None)
    return Reembedded(
        seq=appended.last,
        dry_run=False,
        embedder=embedder_name(fingerprint),
        fingerprint=fingerprint,
        previous=before(self, appended).beliefs.fingerprint,
        texts=sum(len(event.texts) for event in events if isinstance(event, MemoriesReembedded)),
        kept=Coverage(fingerprint).extend(self.eventlog, appended.first - 1).kept,
        constants_adopted=any(isinstance(event, ConstantsAdopted) for event in events),
        events=len(events),
        repeated=True,
    )
