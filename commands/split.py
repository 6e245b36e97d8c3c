"""`split`: a person's word that a text is a memory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import Event, MembershipOverruled
from .appending import (
    Locked,
    after,
    append_decided,
    before,
    checked_reason,
    lead_text,
    root_of,
    shown_ids,
    state_in,
    text_id,
)

if TYPE_CHECKING:
    from .opened import OpenStore

MOST_LISTED = 3


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is a memory of its own, and `split_from`, the id of the memory it was in."""

    seq: int
    id: str
    state: str
    text: str
    split_from: str
    reason: str | None
    repeated: bool = False


def split(
    self: OpenStore, text: str, reason: str | None = None, *, user: str | None = None, key: str | None = None
) -> Split:
    """Take a text out of the memory it was merged into; this binds every fold from here on, whatever the constants.

    The text begins a memory of its own with its own id, tags and times, live whatever the other is, and without what
    the other has learned, which stays there. The text that began a memory gives it its id and stays; split the others
    off instead.

    Args:
        self: The store.
        text: The id of the text (`text_id` of `store`, or one of `merged_from`), or a unique beginning of it.
        reason: Why, for their history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key splits once, for ever.

    Raises:
        InvalidInput, AmbiguousId: The id or reason is malformed; the log is unchanged, as with every error here.
        NotFound: There is no such text, or it was erased.
        Conflict: The memory has no other text, or the text is the one that began it.
        KeyConflict: The key was used for something else.
    """
    named, reason = text_id(self, text, user), checked_reason(reason)
    parent: str | None = None

    def decide(locked: Locked) -> list[Event]:
        nonlocal parent
        parent = _parent(locked, named, user)
        return [MembershipOverruled(**self.stamp(key), verdict="different", first=named, reason=reason)]

    appended = append_decided(self, decide, verb="split", asked=(named, reason), key=key)
    if parent is None:
        earlier = before(self, appended).beliefs
        parent = earlier.texts.id_of(root_of(earlier, named))
    view = after(self, appended)
    root = root_of(view.beliefs, named)
    return Split(
        seq=appended.last,
        id=named,
        state=state_in(view, root),
        text=lead_text(view.body, view.beliefs, root),
        split_from=parent,
        reason=reason,
        repeated=appended.repeated,
    )


def _parent(locked: Locked, named: str, user: str | None) -> str:
    """The id of the memory the text is in; refuses a text that is alone, and one that others were merged into."""
    beliefs, root = locked.beliefs, locked.root(named)
    others = [one for one in beliefs.memories.members(root).tolist() if one != root]
    if not others:
        raise Conflict(
            f"{named} has only this one text, so there is nothing to split",
            remedy="name a text that was merged: `helix get` lists them as merged_from",
        )
    parent = beliefs.texts.id_of(root)
    if parent == named:
        ids = shown_ids(beliefs, others, user)
        listed = ", ".join(ids[:MOST_LISTED]) + (" ..." if len(ids) > MOST_LISTED else "")
        raise Conflict(
            f"{named} began its memory and gives it its id, so it stays",
            remedy=f"split off the others instead: {listed}",
        )
    return parent
