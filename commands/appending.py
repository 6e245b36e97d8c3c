"""What the verbs that change something share: from an id and a decision to an event and an answer.

Such a verb looks up its ids, hands `append_decided` a function that looks at
the store under the write lock and says which events follow, and answers with
the fold just after them. So what an event means cannot change between the look
and the append, and a call repeated with the same key answers as the first did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..errors import NotFound
from ..eventlog.events import Draft, Event, MemoryStored
from ..eventlog.log import Appended, IdempotencyKey, LogReader
from ..projections.beliefs import Beliefs
from ..projections.catalog import Catalog
from ..recall.view import Asker, View
from ..recall.visibility import may_see, state
from . import checks
from .seeing import visible_text

if TYPE_CHECKING:
    from .opened import OpenStore


class Locked(NamedTuple):
    """The store as its only writer sees it: projections at the head, the log, the time of what it appends (UTC ns)."""

    catalog: Catalog
    reader: LogReader
    clock: int

    @property
    def beliefs(self) -> Beliefs:
        """The fold at the head."""
        return self.catalog.beliefs

    def root(self, memory: str) -> int:
        """The root of the memory a text belongs to; see `root_of`."""
        return root_of(self.beliefs, memory)

    def state(self, root: int) -> str:
        """The state of a memory, in one word of `visibility.STATES`."""
        return state(self.beliefs, root, self.clock)

    def lead(self, root: int) -> str:
        """The text a memory is shown with."""
        return lead_text(self.catalog.body, self.beliefs, root)


Decided = Callable[[Locked], Sequence[Event | Draft]]
"""The events that follow, given the store under the write lock; may raise, and may be run again."""


def append_decided(
    self: OpenStore, decide: Decided, *, verb: str, asked: Sequence[object] = (), key: str | None = None
) -> Appended:
    """Append what `decide` makes of the store; an error it raises leaves the log unchanged.

    Args:
        self: The store.
        decide: See `Decided`.
        verb: Its name, and
        asked: its arguments, which a repetition with the same key has to share. Ids in full.
        key: The caller's idempotency key.

    Raises:
        KeyConflict: The key was used for something else.
        ReadOnlyView, StoreBusy, StoreReadOnly, OutOfSpace: Nothing was appended.
    """
    clock = self.clock()

    def drafts(reader: LogReader) -> list[Draft]:
        locked = Locked(self.synced(reader), reader, max(clock, reader.head.recorded_at))
        return [event if isinstance(event, Draft) else Draft(event) for event in decide(locked)]

    return self.append_with(drafts, clock=clock, key=idempotency(key, verb, asked))


def idempotency(key: str | None, verb: str, asked: Sequence[object]) -> IdempotencyKey | None:
    """The key as the log takes it, or None."""
    if key is None:
        return None
    return IdempotencyKey(checks.check_name(key, what="key"), msgspec.json.encode((verb, asked), enc_hook=str))


def text_id(self: OpenStore, memory: str, user: str | None) -> str:
    """The full id of the text that an id, or a unique beginning of one, names among those `user` may see.

    Raises:
        InvalidInput, NotFound, AmbiguousId: See `visible_text`.
    """
    view = self.view()
    return view.beliefs.texts.id_of(visible_text(self, view, memory, user))


def shown_ids(beliefs: Beliefs, roots: Iterable[int], user: str | None) -> list[str]:
    """The ids of those of these memories that `user` may see."""
    seen = may_see(beliefs, Asker(user=user))
    return [beliefs.texts.id_of(root) for root in roots if seen[root]]


def root_of(beliefs: Beliefs, memory: str) -> int:
    """The root of the memory a text belongs to.

    Raises:
        NotFound: It was erased.
    """
    root = beliefs.memories.resolve(memory)
    if root < 0 or beliefs.memories.table["erased"][root]:
        raise NotFound(f"the memory {memory} was erased", remedy="`helix list` shows what is there")
    return root


def after(self: OpenStore, appended: Appended) -> View:
    """The view after what was appended: the live one, or what a repeated call's first left.

    What another writer appended in between shows in the live one; to leave it out would be to fold the log again.
    """
    return self.view(f"@{appended.last}") if appended.repeated else self.view()


def before(self: OpenStore, appended: Appended) -> View:
    """The view just before what an earlier call with the key appended; it may cost a fold of the log."""
    return self.view(f"@{appended.first - 1}")


def state_in(view: View, root: int) -> str:
    """The state of a memory at a view, in one word of `visibility.STATES`."""
    return state(view.beliefs, root, view.point.clock)


def lead_text(body: Callable[[int], MemoryStored], beliefs: Beliefs, root: int) -> str:
    """The text a memory is shown with."""
    return body(int(beliefs.memories.table["lead"][root])).text


def checked_reason(reason: str | None, *, what: str = "reason") -> str | None:
    """A reason that can be stored; raises InvalidInput."""
    return None if reason is None else checks.check_text(reason, what=what)
