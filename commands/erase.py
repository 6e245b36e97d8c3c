"""`erase`: destroy what a memory said, or all that is of a user, for good."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..errors import InvalidInput, NotFound, ReadOnlyView, StoreReadOnly
from ..eventlog import erasing
from ..eventlog.events import Draft, ErasedRecord, Event, MemoryErased, MemoryStored, Recorded
from ..eventlog.log import WAIT, LogReader
from ..projections import epochs
from ..projections.beliefs import Beliefs
from ..projections.catalog import Catalog
from ..projections.ledger.texts import user_of
from ..recall.view import Asker
from ..recall.visibility import may_see
from . import checks
from .appending import text_id
from .projections import FOLDER
from .scrubbing import Gone, Scrubber, Traces
from .seeing import quoted

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""

COPIES = (
    "backups of the store, and exports, made before",
    "snapshots of the file system, and what the disk keeps of deleted files",
    "transcripts and contexts of agents that were shown it",
)
"""Where copies may remain that no store can reach."""


class Erased(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt: what is gone, or with `dry_run` would go.

    `seq` is the event that records it. `memories` are the memories that lost texts, by their root, `texts` all texts,
    by their ids. `destroyed` counts events of which only the header is left, by type; `rewritten` those that lost
    what they said of the texts. `derived` are memories drawn from them, directly or not, that the asker may see:
    gone as well with `--derived`, else still there; `derived_unseen` counts others. `same_text` are memories that
    say the very same and stay, `profiles` events that sum up what a text said and stay, `unread` the number of events
    of a newer release that nobody looked into. `copies` says where else it may remain.
    """

    dry_run: bool
    seq: int | None
    memories: tuple[str, ...]
    texts: tuple[str, ...]
    destroyed: dict[str, int]
    rewritten: dict[str, int]
    derived: tuple[str, ...]
    derived_erased: bool
    derived_unseen: int
    same_text: tuple[str, ...]
    profiles: tuple[int, ...]
    unread: int
    copies: tuple[str, ...]


def erase(
    self: OpenStore,
    memory: str | None = None,
    *,
    user: str | None = None,
    derived: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Erased:
    """Destroy a memory, every text of it, or everything of a user; nothing brings it back.

    The log is rewritten: the texts, what was noted about them, their vectors and every number measured of them are
    gone from all files of the store, and so are the queries and summaries of what showed them. Sequence numbers and
    the chain stay. Every answer, also as of before, is then that of a log in which they had never been.

    Args:
        self: The store.
        memory: Its id, that of one of its texts, or a unique beginning.
        user: With `memory`, who acts; the owner if not given. Without it, whose everything goes: each text that is
            theirs, also within memories of others, their recalls, blocks, documents and profiles.
        derived: Also the memories that were drawn from them, as far as the same user may see them.
        dry_run: Only say what would go.
        progress: See `Progress`.

    Raises:
        InvalidInput, AmbiguousId: Neither is given, or one is malformed; the log is unchanged, as with every error.
        NotFound: There is no such memory, it was erased, or nothing is of that user.
        ReadOnlyView, StoreReadOnly, StoreBusy, OutOfSpace: It cannot be written now.
        Corrupted: The log is damaged.
    """
    checks.check_flag(derived, what="derived")
    checks.check_flag(dry_run, what="dry_run")
    if memory is None and user is None:
        raise InvalidInput("erase needs to be told what", remedy="give the id of a memory, or a user")
    if user is not None:
        checks.check_name(user, what="user")
    if self.at is not None:
        raise ReadOnlyView(f"this view is of @{self.at.seq}", remedy="erase from the live memory")
    named = None if memory is None else text_id(self, memory, user)
    if dry_run:
        with self.reading():
            plan = _Plan(self.catalog, self.eventlog, named, user, derived=derived)
            return plan.receipt(plan.tally(progress), seq=None)
    if not self.eventlog.writable:
        raise StoreReadOnly(f"{self.folder} cannot be written", remedy="open it without `read_only`")
    return _carry_out(self, named, user, derived=derived, progress=progress)


def _carry_out(
    self: OpenStore, named: str | None, user: str | None, *, derived: bool, progress: Progress | None
) -> Erased:
    plans: list[_Plan] = []

    def decide(log: LogReader) -> erasing.Rewriting:
        plans.append(_Plan(self.synced(log), log, named, user, derived=derived))
        return erasing.Rewriting(plans[-1].left, lambda altered: Draft(plans[-1].closing(self, altered)))

    root = self.folder / FOLDER
    with epochs.closed(root, WAIT):
        done = erasing.erase(self.eventlog, decide, clock=self.clock(), wait=WAIT, progress=progress)
        with self.reading():
            self.drop_projections()
        epochs.clear(root, self.eventlog.generation)
        _sweep(self.folder)
    return plans[-1].receipt(plans[-1].counted, seq=done.appended.last)


def _sweep(folder: Path) -> None:
    """Delete what was left half-made in the store's folder: it may be a copy of the log."""
    for path in folder.iterdir():
        if path.name.startswith(".") and ".new-" in path.name:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


class _Tally(msgspec.Struct):
    """Events by type: destroyed, and rewritten."""

    destroyed: dict[str, int] = {}
    rewritten: dict[str, int] = {}


class _Plan:
    """What goes and what is left, worked out from the log while nobody else writes."""

    def __init__(self, catalog: Catalog, log: LogReader, named: str | None, user: str | None, *, derived: bool) -> None:
        self._beliefs, self._log = catalog.beliefs, log
        beliefs, owner = catalog.beliefs, catalog.beliefs.texts.owner
        whole = named is None
        chosen = _of_user(beliefs, user) if named is None else _members(beliefs, named)
        found = _derived(beliefs, log, chosen)
        seen = may_see(beliefs, Asker(user=user))
        self._from_it = tuple(root for root in found if seen[root])
        self._unseen = len(found) - len(self._from_it)
        self._with_derived = derived
        gone = sorted({*chosen, *(_all_members(beliefs, self._from_it) if derived else ())})
        self.gone = Gone(
            ordinals=tuple(gone),
            ids=frozenset(map(beliefs.texts.id_of, gone)),
            user=user_of(user, owner) if whole else None,
            profiles=derived,
        )
        self._traces = Traces(self.gone, owner).learn(log.read())
        self._seen = seen
        self._scrubber = Scrubber(catalog, self._traces)
        self.counted = _Tally()
        if whole and not gone and not any(self._theirs()):
            raise NotFound(f"nothing in the store is of {quoted(user)}", remedy="check the name")

    def _theirs(self) -> Iterable[bool]:
        return (self._scrubber.left(recorded) is not recorded.event for recorded in self._log.read())

    def left(self, recorded: Recorded) -> Event | None:
        """What is left of an event; counts it."""
        left = self._scrubber.left(recorded)
        if left is not recorded.event:
            kind = str(recorded.event.__struct_config__.tag)
            counts = self.counted.destroyed if left is None else self.counted.rewritten
            counts[kind] = counts.get(kind, 0) + 1
        return left

    def tally(self, progress: Progress | None) -> _Tally:
        """What would become of every event."""
        head = self._log.head.seq
        for recorded in self._log.read():
            self.left(recorded)
            if progress is not None and (recorded.seq % erasing.BATCH == 0 or recorded.seq == head):
                progress(recorded.seq, head)
        return self.counted

    def closing(self, self_: OpenStore, altered: tuple[ErasedRecord, ...]) -> MemoryErased:
        """The event that records it."""
        ids = tuple(map(self._beliefs.texts.id_of, self.gone.ordinals))
        return MemoryErased(**self_.stamp(), memories=ids, rewritten=altered)

    def receipt(self, counted: _Tally, *, seq: int | None) -> Erased:
        """The receipt; to be asked for before the projections are at another point."""
        texts, memories = self._beliefs.texts, self._beliefs.memories
        roots = sorted({memories.root(ordinal) for ordinal in self.gone.ordinals})
        return Erased(
            dry_run=seq is None,
            seq=seq,
            memories=tuple(map(texts.id_of, roots)),
            texts=tuple(map(texts.id_of, self.gone.ordinals)),
            destroyed=counted.destroyed,
            rewritten=counted.rewritten,
            derived=tuple(map(texts.id_of, self._from_it)),
            derived_erased=self._with_derived,
            derived_unseen=self._unseen,
            same_text=tuple(map(texts.id_of, self._same_text())),
            profiles=tuple(self._traces.profiles),
            unread=len(self._traces.unread),
            copies=COPIES,
        )

    def _same_text(self) -> list[int]:
        """Roots of the memories that say the very same as a text that goes, stay, and may be seen."""
        texts, gone = self._beliefs.texts, set(self.gone.ordinals)
        forms = {texts.table["exact"][ordinal] for ordinal in gone}
        equal = {row for form in forms for row in texts.by_exact.find(np.uint64(form))} - gone
        roots = {self._beliefs.memories.root(row) for row in equal if self._seen[row]}
        return sorted(roots)


def _of_user(beliefs: Beliefs, user: str | None) -> list[int]:
    """The texts that are a user's own."""
    table, labels = beliefs.texts.table, beliefs.texts.labels
    code = labels.find(user_of(user, beliefs.texts.owner))
    mine: list[int] = np.flatnonzero((table["user"] == code) & (table["erased"] == 0)).tolist() if code >= 0 else []
    return mine


def _members(beliefs: Beliefs, named: str) -> list[int]:
    """Every text of the memory that a text belongs to.

    Raises:
        NotFound: It was erased.
    """
    root = beliefs.memories.resolve(named)
    if root < 0:
        raise NotFound(f"the memory {named} was erased", remedy="`helix list` shows what is there")
    return _all_members(beliefs, (root,))


def _all_members(beliefs: Beliefs, roots: Sequence[int]) -> list[int]:
    table = beliefs.memories.table["root"]
    mine: list[int] = np.flatnonzero(
        np.isin(table, np.array(roots, np.int64)) & (beliefs.texts.table["erased"] == 0)
    ).tolist()
    return mine


def _derived(beliefs: Beliefs, log: LogReader, chosen: Sequence[int]) -> list[int]:
    """Roots of the memories drawn from some texts, directly or not, other than those of the texts; lowest first."""
    texts, memories = beliefs.texts, beliefs.memories
    drawn: dict[int, set[int]] = {}
    for recorded in log.read(checked=False):
        if isinstance(recorded.event, MemoryStored):
            own = memories.root(texts.ordinal_at(recorded.seq))
            for source in _sources(recorded.event):
                drawn.setdefault(texts.ordinal_of(source), set()).add(own)
    found: set[int] = set()
    reached = list(chosen)
    while reached:
        new = {root for ordinal in reached for root in drawn.get(ordinal, ())} - found
        found |= new
        reached = _all_members(beliefs, sorted(new))
    return sorted(found - {memories.root(ordinal) for ordinal in chosen})


def _sources(event: MemoryStored) -> tuple[str, ...]:
    declared = (one.target for one in event.relations if one.relation == "derives")
    return (*event.provenance.derived_from, *declared)
