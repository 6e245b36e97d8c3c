"""`restore`: make a forgotten, pruned or superseded memory live again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import Event, MemoryRestored
from .appending import Locked, after, append_decided, checked_reason, root_of, state_in, text_id

if TYPE_CHECKING:
    from .opened import OpenStore

HIDING = ("forgotten", "pruned", "superseded")
"""What a restore undoes."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was brought back; `state` is what it is just after, "expired" if its time is over all the same."""

    seq: int
    id: str
    state: str
    reason: str | None
    repeated: bool = False


def restore(
    self: OpenStore, memory: str, reason: str | None = None, *, user: str | None = None, key: str | None = None
) -> Restored:
    """Make a memory live again that was forgotten, pruned or superseded; of several, all at once.

    A restored superseded memory stands beside what took its place: both are recalled. A prune counts its uses from
    here. An expiry stays as it is.

    Args:
        self: The store.
        memory: Its id, or a unique beginning of one.
        reason: Why, for its history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key restores once, for ever.

    Raises:
        InvalidInput, AmbiguousId: The id or reason is malformed; the log is unchanged, as with every error here.
        NotFound: There is no such memory, or it was erased.
        Conflict: There is nothing to restore.
        KeyConflict: The key was used for something else.
    """
    named, reason = text_id(self, memory, user), checked_reason(reason)

    def decide(locked: Locked) -> list[Event]:
        root, table = locked.root(named), locked.beliefs.memories.table
        if not any(table[name][root] for name in HIDING):
            raise _nothing_to_restore(named, locked.state(root))
        return [MemoryRestored(**self.stamp(key), memory=named, reason=reason)]

    appended = append_decided(self, decide, verb="restore", asked=(named, reason), key=key)
    view = after(self, appended)
    root = root_of(view.beliefs, named)
    return Restored(
        seq=appended.last,
        id=view.beliefs.texts.id_of(root),
        state=state_in(view, root),
        reason=reason,
        repeated=appended.repeated,
    )


def _nothing_to_restore(named: str, state: str) -> Conflict:
    if state == "expired":
        return Conflict(
            f"there is nothing to restore: {named} has expired",
            remedy="clear its expiry with `helix annotate --clear expires_at`",
        )
    return Conflict(
        f"there is nothing to restore: {named} was neither forgotten nor pruned nor superseded",
        remedy="`helix get` shows its state",
    )
