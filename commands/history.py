"""`history`: everything that ever happened to one memory, and what it was worth after each event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from ..eventlog import events as ev
from ..eventlog.events import Recorded
from ..projections.beliefs import Beliefs
from ..projections.catalog import batches
from ..projections.ledger.membership import NO_PAIRS, Membership, Pairs, Placement
from ..recall.view import View
from ..recall.visibility import state
from ..replay.stepping import begun
from .log import mentions
from .opened import AsOf, AsOfPoint, reading
from .scanning import naming, tag_of
from .seeing import Sight, visible_root
from .summaries import summary
from .times import format_time

if TYPE_CHECKING:
    from .opened import OpenStore

TICKS = ("decay_ticked", "prune_ticked", "expiry_ticked")
"""Events that touch every memory; a history shows those that changed something."""

_ALWAYS = ("store_created", "embedder_adopted", "membership_overruled", *TICKS)


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a memory, and the memory just after it; `effectiveness` includes decay up to then."""

    seq: int
    time: str
    type: str
    summary: str
    effectiveness: float
    uses: int
    hits: int
    state: str


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The events of a memory in the order of the log; `id` is the memory's."""

    id: str
    events: tuple[Moment, ...]
    as_of: AsOfPoint


class Lived(NamedTuple):
    """An event of a memory, the memory just after it, and the fold at that event: to be read before the next."""

    recorded: Recorded
    moment: Moment
    beliefs: Beliefs
    row: int


@reading
def history(self: OpenStore, memory: str, *, user: str | None = None, as_of: AsOf | None = None) -> History:
    """Every event of one memory: its texts, recalls, feedback, links, changes of state, and ticks that changed it.

    Its numbers are those of the constants in force at the point. An event the asker may not see counts, but is not
    shown.

    Args:
        self: The store.
        memory: Its id, that of one of its texts, or a unique beginning.
        user: Who asks; the owner if not given.
        as_of: What had happened by then; see `recall`.

    Raises:
        NotFound: There is none, or the asker may not see it.
    """
    self.catch_up()
    view = self.view(as_of)
    return history_in(self, view, visible_root(self, view, memory, user), user)


def history_in(self: OpenStore, view: View, root: int, user: str | None) -> History:
    """The history of a memory in a view, under the constants of the view."""
    sight = Sight(self, view, user)
    return History(
        id=view.beliefs.texts.id_of(root),
        events=tuple(one.moment for one in lived(self, view, root) if sight.of(one.recorded) is not None),
        as_of=self.as_of_point(view.point),
    )


def happened(self: OpenStore, view: View, roots: Sequence[int]) -> list[Recorded]:
    """The events that may be about any of these memories, found in one pass over the log."""
    texts, members = view.beliefs.texts, view.beliefs.memories.members
    ids = tuple(texts.id_of(int(member)) for root in roots for member in members(root))
    return list(naming(self.eventlog, ids, view.point.seq, types=_ALWAYS))


def lived(self: OpenStore, view: View, root: int, found: Sequence[Recorded] | None = None) -> Iterator[Lived]:
    """The events of a memory, each with the memory after it; `found` is what `happened` gave for it and others."""
    texts = view.beliefs.texts
    ids = tuple(texts.id_of(int(member)) for member in view.beliefs.memories.members(root))
    found = happened(self, view, (root,)) if found is None else found
    parted = _overruled(view, root, found)
    if parted is None:
        return _moments(found, ids, _Alone(view, root))
    wanted = tuple(dict.fromkeys((*ids, *parted)))
    found = list(naming(self.eventlog, wanted, view.point.seq, types=_ALWAYS))
    return _moments(found, wanted, _Whole(self, view, root, wanted))


def _overruled(view: View, root: int, found: Iterable[Recorded]) -> tuple[str, ...] | None:
    """Texts that were taken out of memories, if a person's word may have changed what belongs to this one; or None."""
    verdicts = [one.event for one in found if isinstance(one.event, ev.MembershipOverruled)]
    parted = tuple(verdict.first for verdict in verdicts if verdict.verdict == "different")
    united = any(view.beliefs.memories.resolve(verdict.first) == root for verdict in verdicts)
    return parted if parted or united else None


def _moments(found: Iterable[Recorded], ids: tuple[str, ...], fold: _Alone | _Whole) -> Iterator[Lived]:
    """The events that are the memory's, each with the memory after it."""
    last: tuple[float, str] | None = None
    for recorded in found:
        touched = fold.apply(recorded)
        tag = tag_of(recorded)
        named = tag not in _ALWAYS or tag == "membership_overruled"
        if fold.row < 0 or (named and not (touched and mentions(recorded, ids))):
            continue
        moment = _moment(fold.beliefs, fold.row, recorded, tag)
        now = (moment.effectiveness, moment.state)
        if named or (tag in TICKS and now != last):
            yield Lived(recorded, moment, fold.beliefs, fold.row)
            last = now


def _moment(beliefs: Beliefs, row: int, recorded: Recorded, tag: str) -> Moment:
    learned, clock = beliefs.effectiveness, recorded.recorded_at
    return Moment(
        seq=recorded.seq,
        time=format_time(clock),
        type=tag,
        summary=summary(recorded.event),
        effectiveness=float(learned.value(np.array([row], np.int64), clock)[0]),
        uses=int(learned.table["uses"][row]),
        hits=int(learned.table["hits"][row]),
        state=state(beliefs, row, clock),
    )


class _AsDecided(Membership):
    """Places the texts of one memory as they were placed: the first begins it, the others join it."""

    def place(self, ordinal: int) -> Placement:
        """See `Membership`."""
        if ordinal == 0:
            return Placement(0, 0, float("nan"), ())
        return Placement(1, 0, float("nan"), ())


class _Unmeasured:
    """Measures nothing: where everything is decided already, nobody asks."""

    def complete(self, _ordinal: int, _floor: float) -> tuple[Pairs, int]:
        return NO_PAIRS, 0

    def compare(self, _ordinal: int, _other: int) -> int:
        return 0

    def mark(self, _ordinal: int) -> int | None:
        return None


class _Alone:
    """The fold of one memory's own events: exact as long as nobody overruled what belongs to it.

    Membership reads no other event, effectiveness and pruning read only the memory's own, and what a supersession
    comes to was decided by the whole fold.
    """

    def __init__(self, view: View, root: int) -> None:
        live = view.beliefs
        self.row = -1
        self._live, self._root = live, root
        self._ignored = {seq for seq, _ in live.ignored}
        self.beliefs = Beliefs(live.constants, _Unmeasured(), owner=live.texts.owner)
        own = self.beliefs
        own.membership = _AsDecided(own.texts, own.memories, own.constants, _Unmeasured())

    def apply(self, recorded: Recorded) -> bool:
        """Apply an event, without what it says of other memories; True."""
        event, resolve = recorded.event, self._live.memories.resolve
        if isinstance(event, ev.MemoryStored):
            if recorded.id is None or resolve(recorded.id) != self._root:
                return True
            bare = msgspec.structs.replace(event.provenance, derived_from=())
            event = msgspec.structs.replace(event, relations=(), evidence=None, vectors=None, provenance=bare)
            self.row = 0
        elif isinstance(event, ev.MemorySuperseded):
            taken = resolve(event.old) == self._root and resolve(event.new) >= 0
            if taken and self.row == 0 and recorded.seq not in self._ignored:
                self.beliefs.memories.table["superseded"][0] = 1
            return True
        elif isinstance(event, ev.MemoriesLinked | ev.MemoriesUnlinked | ev.ErasedEvent):
            return True
        self.beliefs.apply((msgspec.structs.replace(recorded, event=event),))
        return True


class _Whole:
    """The fold of the whole log, stopping at the events that are asked for; takes as long as a rebuild of beliefs."""

    def __init__(self, store: OpenStore, view: View, root: int, ids: tuple[str, ...]) -> None:
        self._store, self._root, self._ids = store, root, ids
        self.beliefs = begun(store.catalog, view.beliefs.constants)

    @property
    def row(self) -> int:
        """The memory that the asked text belongs to at this point; -1 before it was stored."""
        memories = self.beliefs.memories
        return memories.root(self._root) if self._root < len(memories.table) else -1

    def _ours(self, recorded: Recorded) -> bool:
        row = self.row
        memories = self.beliefs.memories
        return row >= 0 and any(memories.resolve(one) == row and mentions(recorded, (one,)) for one in self._ids)

    def apply(self, recorded: Recorded) -> bool:
        """Apply everything up to this event; whether it names a text that belongs to the memory before or after."""
        log = self._store.eventlog
        for batch in batches(log.read(self.beliefs.seq + 1, recorded.seq - 1)):
            self.beliefs.apply(batch)
        before = self._ours(recorded)
        self.beliefs.apply((recorded,))
        return before or self._ours(recorded)
