"""Who may see which memory and which event, for the verbs that read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from ..errors import AmbiguousId, InvalidInput, NotFound
from ..eventlog import events as ev
from ..eventlog.ids import is_own_id
from ..eventlog.log import LogReader
from ..projections.ledger.texts import user_of
from ..recall.view import Asker, View
from ..recall.visibility import Mask, may_see

if TYPE_CHECKING:
    from .opened import OpenStore

LISTED = 3
"""Ids named in a message about several."""

LONGEST_QUOTED = 80
"""Characters of what a caller wrote that a message repeats."""

_FOR_ALL = (
    ev.StoreCreated,
    ev.ConstantsAdopted,
    ev.EmbedderAdopted,
    ev.MemoriesReembedded,
    ev.DecayTicked,
    ev.PruneTicked,
    ev.ExpiryTicked,
    ev.TierTicked,
    ev.SynthesisTicked,
    ev.ContentRejected,
)
"""Events about the store as a whole."""


def visible_text(self: OpenStore, view: View, memory: str, user: str | None) -> int:
    """The ordinal of the text an id, or a unique beginning of one, names among those `user` may see.

    An id that belongs to somebody else is as unknown as one that is nobody's.

    Raises:
        InvalidInput: It is no id.
        NotFound: No memory that the user may see has it, or it was erased.
        AmbiguousId: Several have.
    """
    asked = checked_id(memory, what="memory")
    beliefs, seen = view.beliefs, may_see(view.beliefs, Asker(user=user))
    texts, root, erased = beliefs.texts, beliefs.memories.root, beliefs.memories.table["erased"]
    exact = texts.ordinal_of(asked)
    hole = exact >= 0 and bool(texts.table["erased"][exact])
    if exact >= 0 and (hole or seen[root(exact)]):
        if hole or erased[root(exact)]:
            raise NotFound(f"the memory {asked} was erased", remedy="`helix list` shows what is there")
        return exact

    def fits(seq: int) -> bool:
        ordinal = texts.ordinal_at(seq)
        return ordinal >= 0 and bool(seen[root(ordinal)]) and not erased[root(ordinal)]

    found = beginning(self.eventlog, asked, fits)
    return texts.ordinal_at(the_one(found, memory, what="memory", remedy="`helix list` shows the ids")[1])


def checked_id(asked: object, *, what: str) -> str:
    """What may be an id or the beginning of one, in the letters of ids; raises InvalidInput."""
    plain = asked.strip().lower() if isinstance(asked, str) else ""
    if not plain:
        raise InvalidInput(f"{quoted(asked)} is no id", remedy=f"give the id of a {what}, or its beginning")
    return plain


def beginning(log: LogReader, asked: str, fits: Callable[[int], bool]) -> list[tuple[str, int]]:
    """Ids that begin so and whose event, by its seq, fits: all if there are at most one, else a few, in their order.

    Ids of other events never crowd out those that fit.
    """
    if not is_own_id(asked):
        return []
    limit = 32
    while True:
        found = log.resolve(asked, limit=limit)
        matches = [(name, seq) for name, seq in found if fits(seq)]
        if len(matches) > 1 or len(found) < limit:
            return matches[: LISTED + 1]
        limit *= 16


def the_one(found: Sequence[tuple[str, int]], asked: str, *, what: str, remedy: str) -> tuple[str, int]:
    """The only id found.

    Raises:
        NotFound: There is none.
        AmbiguousId: There are several.
    """
    if not found:
        raise NotFound(f"no {what} has the id {quoted(asked)}", remedy=remedy)
    if len(found) > 1:
        listed = ", ".join(name for name, _ in found[:LISTED])
        raise AmbiguousId(f"{quoted(asked)} begins several ids: {listed} ...", remedy="give more of it")
    return found[0]


def quoted(asked: object) -> str:
    """What a caller wrote, as a message repeats it."""
    if isinstance(asked, str) and len(asked) > LONGEST_QUOTED:
        asked = f"{asked[:LONGEST_QUOTED]}..."
    return repr(asked)


def recall_by(self: OpenStore, recall_id: str, user: str | None) -> tuple[str, ev.MemoriesRecalled]:
    """The recall with this id, or a unique beginning of it, among those that `user` asked.

    Raises:
        NotFound: There is none.
        AmbiguousId: There are several.
    """
    view = self.view()
    sight, recalls = Sight(self, view, user), dict[int, ev.MemoriesRecalled]()

    def fits(seq: int) -> bool:
        event = None if seq > view.point.seq or sight.is_text(seq) else self.event(seq).event
        if isinstance(event, ev.MemoriesRecalled) and sight.asked(event):
            recalls[seq] = event
        return seq in recalls

    asked = recall_id.strip().lower() if isinstance(recall_id, str) else ""
    remedy = "give the recall_id that `helix recall` printed"
    name, seq = the_one(beginning(self.eventlog, asked, fits), recall_id, what="recall", remedy=remedy)
    return name, recalls[seq]


def visible_root(self: OpenStore, view: View, memory: str, user: str | None) -> int:
    """The root of the memory an id names; raises as `visible_text`."""
    return view.beliefs.memories.root(visible_text(self, view, memory, user))


def visible(view: View, asker: Asker) -> Mask:
    """Texts that belong to memories which the asker may know of; bool by ordinal."""
    table = view.beliefs.memories.table
    seen = may_see(view.beliefs, asker) & (table["erased"] == 0)
    shown: Mask = seen[table["root"]]
    return shown


class Sight:
    """Which events an asker may see, and of an event what.

    An event about memories is seen by those who may see all of them; one that lists several (a recall's results,
    a feedback's exposures) is shown without the hidden ones. A recall belongs to who asked, and so does what
    was reported of it. What names no memory and no user, such as a session, is the owner's.
    """

    def __init__(self, self_: OpenStore, view: View, user: str | None) -> None:
        self._store, self._texts = self_, view.beliefs.texts
        self._seen = visible(view, Asker(user=user))
        self._owner = self._texts.owner
        self._user = user_of(user, self._owner)
        self._asked: dict[str, bool] = {}

    def is_text(self, seq: int) -> bool:
        """Whether an event stored a text."""
        return self._texts.ordinal_at(seq) >= 0

    def knows(self, memory: str) -> bool:
        """Whether the asker may see the text with this id."""
        ordinal = self._texts.ordinal_of(memory)
        return ordinal >= 0 and bool(self._seen[ordinal])

    def of(self, recorded: ev.Recorded) -> ev.Recorded | None:
        """The event as the asker may see it, or None."""
        event = recorded.event
        if isinstance(event, _FOR_ALL) or (isinstance(event, ev.ErasedEvent | ev.UnknownEvent) and not recorded.id):
            return recorded
        if isinstance(event, ev.MemoriesRecalled):
            return self._recall(recorded, event)
        if isinstance(event, ev.FeedbackGiven):
            return self._feedback(recorded, event)
        if isinstance(event, ev.ErasedEvent | ev.UnknownEvent | ev.MemoryErased):
            return recorded if self._owns() else None
        if isinstance(event, ev.MemoryStored):
            return recorded if recorded.id and self.knows(recorded.id) else None
        named = memories_of(event)
        if named is not None:
            return recorded if all(map(self.knows, named)) else None
        scope = getattr(event, "scope", None)
        user = scope.user if isinstance(scope, ev.Scope) else getattr(event, "user", None)
        shared = isinstance(scope, ev.Scope) and scope.visibility == "shared"
        return recorded if shared or user_of(user, self._owner) == self._user else None

    def _owns(self) -> bool:
        return user_of(None, self._owner) == self._user

    def asked(self, event: ev.MemoriesRecalled) -> bool:
        """Whether the asker is the one who asked this."""
        user = event.filters.get("user")
        return user_of(user if isinstance(user, str) else None, self._owner) == self._user

    def _recall(self, recorded: ev.Recorded, event: ev.MemoriesRecalled) -> ev.Recorded | None:
        self._asked[recorded.id or ""] = self.asked(event)
        if not self.asked(event):
            return None
        shown = structs.replace(
            event,
            returned=tuple(one for one in event.returned if self.knows(one.id)),
            injected=tuple(filter(self.knows, event.injected)),
            suppressed=tuple(filter(self.knows, event.suppressed)),
        )
        return structs.replace(recorded, event=shown)

    def _asked_in(self, recall_id: str) -> bool:
        """Whether a recall, by its id, is the asker's; one whose payload is gone is anybody's."""
        if recall_id not in self._asked:
            found = self._store.eventlog.resolve(recall_id, limit=1) if is_own_id(recall_id) else []
            recall = self._store.event(found[0][1]).event if found else None
            self._asked[recall_id] = not isinstance(recall, ev.MemoriesRecalled) or self.asked(recall)
        return self._asked[recall_id]

    def _feedback(self, recorded: ev.Recorded, event: ev.FeedbackGiven) -> ev.Recorded | None:
        if event.recall_id is not None and not self._asked_in(event.recall_id):
            return None
        exposures = tuple(one for one in event.exposures if self.knows(one.id))
        if event.exposures and not exposures:
            return None
        used = None if event.used is None else tuple(filter(self.knows, event.used))
        return structs.replace(recorded, event=structs.replace(event, exposures=exposures, used=used))


def memories_of(event: ev.Event) -> tuple[str, ...] | None:
    """The memories that an event is about; None for an event about none."""
    if isinstance(event, ev.MemorySuperseded):
        return event.old, event.new
    if isinstance(event, ev.MembershipOverruled):
        return (event.first,) if event.second is None else (event.first, event.second)
    if isinstance(event, ev.MemoriesLinked | ev.MemoriesUnlinked):
        ends = (event.source, event.target)
        return tuple(end.id for end in ends if end.kind == "memory") or None
    if isinstance(event, ev.MemoryRestored | ev.MemoryForgotten | ev.MemoryAnnotated | ev.MemoryReinforced):
        return (event.memory,)
    return None
