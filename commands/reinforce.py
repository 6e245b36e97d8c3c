"""`reinforce`: note that a memory was used, without a verdict on whether it helped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import Event, MemoryReinforced
from .appending import Locked, after, append_decided, checked_reason, root_of, state_in, text_id

if TYPE_CHECKING:
    from .opened import OpenStore


class Reinforced(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was used: how often so far, and its salience in [0, 1], just after."""

    seq: int
    id: str
    state: str
    accesses: int
    salience: float
    repeated: bool = False


def reinforce(
    self: OpenStore, memory: str, *, note: str | None = None, user: str | None = None, key: str | None = None
) -> Reinforced:
    """Note that a memory was used: one more access, a little more salience. Effectiveness is `feedback`'s business.

    Only a memory that is live now can be used: not one that is forgotten, superseded, pruned, expired or outside its
    validity.

    Args:
        self: The store.
        memory: Its id, or a unique beginning of one.
        note: What it was used for, for its history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key reinforces once, for ever.

    Raises:
        InvalidInput, AmbiguousId: The id or note is malformed; the log is unchanged, as with every error here.
        NotFound: There is no such memory, or it was erased.
        Conflict: It is not live.
        KeyConflict: The key was used for something else.
    """
    named, note = text_id(self, memory, user), checked_reason(note, what="note")

    def decide(locked: Locked) -> list[Event]:
        state = locked.state(locked.root(named))
        if state != "live":
            raise Conflict(
                f"{named} is {state}, so nobody can have recalled it",
                remedy="reinforce what took its place, or `helix restore` it first",
            )
        return [MemoryReinforced(**self.stamp(key), memory=named, note=note)]

    appended = append_decided(self, decide, verb="reinforce", asked=(named, note), key=key)
    view = after(self, appended)
    root = root_of(view.beliefs, named)
    table = view.beliefs.memories.table
    return Reinforced(
        seq=appended.last,
        id=view.beliefs.texts.id_of(root),
        state=state_in(view, root),
        accesses=int(table["accesses"][root]),
        salience=float(table["salience"][root]),
        repeated=appended.repeated,
    )
