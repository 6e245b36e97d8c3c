"""`forget`: put a memory out of sight, reversibly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import Event, MemoryForgotten
from .appending import Locked, after, append_decided, checked_reason, root_of, state_in, text_id

if TYPE_CHECKING:
    from .opened import OpenStore


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was put out of sight; `state` is what it is just after."""

    seq: int
    id: str
    state: str
    reason: str | None
    repeated: bool = False


def forget(
    self: OpenStore, memory: str, reason: str | None = None, *, user: str | None = None, key: str | None = None
) -> Forgotten:
    """Put a memory out of sight; nothing of it is lost, and `restore` brings it back.

    Any memory that is not forgotten or erased can be forgotten, whether it is live, superseded, pruned or expired. Its
    text may be stored again, and is then a new memory. For content that has to go for good there is erasing.

    Args:
        self: The store.
        memory: Its id, or a unique beginning of one.
        reason: Why, for its history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key forgets once, for ever.

    Raises:
        InvalidInput, AmbiguousId: The id or reason is malformed; the log is unchanged, as with every error here.
        NotFound: There is no such memory, or it was erased.
        Conflict: It is forgotten already.
        KeyConflict: The key was used for something else.
    """
    named, reason = text_id(self, memory, user), checked_reason(reason)

    def decide(locked: Locked) -> list[Event]:
        if locked.beliefs.memories.table["forgotten"][locked.root(named)]:
            raise Conflict(f"{named} is forgotten already", remedy="`helix restore` brings it back")
        return [MemoryForgotten(**self.stamp(key), memory=named, reason=reason)]

    appended = append_decided(self, decide, verb="forget", asked=(named, reason), key=key)
    view = after(self, appended)
    root = root_of(view.beliefs, named)
    return Forgotten(
        seq=appended.last,
        id=view.beliefs.texts.id_of(root),
        state=state_in(view, root),
        reason=reason,
        repeated=appended.repeated,
    )
