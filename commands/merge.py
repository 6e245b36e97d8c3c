"""`merge`: a person's word that two memories are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict
from ..eventlog.events import Event, MembershipOverruled
from .appending import Locked, after, append_decided, checked_reason, lead_text, root_of, shown_ids, state_in, text_id

if TYPE_CHECKING:
    from .opened import OpenStore

OUT_OF_SIGHT = ("forgotten", "superseded", "pruned")


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """Two memories that are one: the older's id, the text that leads, and the ids of its other texts."""

    seq: int
    id: str
    state: str
    text: str
    merged_from: tuple[str, ...]
    reason: str | None
    repeated: bool = False


def merge(
    self: OpenStore,
    first: str,
    second: str,
    reason: str | None = None,
    *,
    user: str | None = None,
    key: str | None = None,
) -> Merged:
    """Declare that two memories say the same; this binds every fold from here on, whatever the constants.

    The older keeps its id, scope, kind and effectiveness and gets the texts of the younger, its tags and names and
    the later expiry of the two. The longest text leads. A person may merge what the fold would not: protected
    memories, other kinds, other intervals. `split` takes a text out again.

    Args:
        self: The store.
        first: The id of one, or a unique beginning of it.
        second: The id of the other.
        reason: Why, for their history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key merges once, for ever.

    Raises:
        InvalidInput, AmbiguousId: An id or the reason is malformed; the log is unchanged, as with every error here.
        NotFound: One of them is not there, or was erased.
        Conflict: They are one memory already, one is out of sight, or they are not for the same eyes.
        KeyConflict: The key was used for something else.
    """
    ids = text_id(self, first, user), text_id(self, second, user)
    reason = checked_reason(reason)

    def decide(locked: Locked) -> list[Event]:
        _check(locked, *ids)
        return [MembershipOverruled(**self.stamp(key), verdict="same", first=ids[0], second=ids[1], reason=reason)]

    appended = append_decided(self, decide, verb="merge", asked=(ids, reason), key=key)
    view = after(self, appended)
    beliefs = view.beliefs
    root = root_of(beliefs, ids[0])
    return Merged(
        seq=appended.last,
        id=beliefs.texts.id_of(root),
        state=state_in(view, root),
        text=lead_text(view.body, beliefs, root),
        merged_from=tuple(
            shown_ids(beliefs, (one for one in beliefs.memories.members(root).tolist() if one != root), user)
        ),
        reason=reason,
        repeated=appended.repeated,
    )


def _check(locked: Locked, first: str, second: str) -> None:
    """Refuse what would do nothing, hide a text that is seen, or show one to other eyes."""
    roots = locked.root(first), locked.root(second)
    if roots[0] == roots[1]:
        raise Conflict(
            f"{first} and {second} are one memory already",
            remedy="`helix get` lists its texts, `helix split` parts them",
        )
    for memory, root in zip((first, second), roots, strict=True):
        state = locked.state(root)
        if state in OUT_OF_SIGHT:
            raise Conflict(f"{memory} is {state}", remedy=f"`helix restore {memory}` first, then merge")
    texts = locked.beliefs.texts
    if texts.label("partition", roots[0]) != texts.label("partition", roots[1]):
        raise Conflict(
            f"{first} and {second} are of different projects, or not seen by the same people",
            remedy="store the text again in the other scope and forget it here",
        )
