"""`link`: declare an edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import Conflict, InvalidInput
from ..eventlog.events import Event, MemoriesLinked
from . import checks
from .appending import Locked, after, append_decided, checked_reason
from .endpoints import endpoint, ends_of, ties

if TYPE_CHECKING:
    from .opened import OpenStore


class Linked(msgspec.Struct, frozen=True, kw_only=True):
    """An edge as it stands just after; ends are ids of memories or `KIND:NAME`, weight is in (0, 1]."""

    seq: int
    source: str
    target: str
    relation: str
    weight: float
    reason: str | None
    repeated: bool = False


def link(
    self: OpenStore,
    source: str,
    target: str,
    *,
    relation: str = "relates_to",
    weight: float = 1.0,
    reason: str | None = None,
    user: str | None = None,
    key: str | None = None,
) -> Linked:
    """Declare that one end is related to another. Recall follows edges between memories.

    An end is the id of a memory (whatever its state, unless erased; a hidden one is not shown through an edge either)
    or `entity:NAME`, `category:NAME`, `document:ID`, `session:ID`. The same edge declared again gets the new weight;
    of `similar`, which has no direction, the first weight stays. To replace a memory use `supersede`: an edge `updates`
    alone hides nothing.

    Args:
        self: The store.
        source: Where the edge begins.
        target: Where it ends.
        relation: Such as relates_to, extends, derives, led_to; any word is accepted.
        weight: Above 0, at most 1.
        reason: Why, for their history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key links once, for ever.

    Raises:
        InvalidInput, AmbiguousId: An end, the relation or the weight is malformed; the log is unchanged, as with every
            error here.
        NotFound: A memory is not there, or was erased.
        Conflict: Both ends are one memory.
        KeyConflict: The key was used for something else.
    """
    relation = checks.check_name(relation, what="relation")
    if checks.check_share(weight, what="weight") == 0.0:
        raise InvalidInput("the weight is 0", remedy="give one above 0, or take the edge back with `helix unlink`")
    ends = endpoint(self, source, user), endpoint(self, target, user)
    if ends[0] == ends[1]:
        raise InvalidInput("both ends of the link are the same", remedy="name two different ends")
    reason = checked_reason(reason)

    def decide(locked: Locked) -> list[Event]:
        if ends_of(locked.beliefs, ends[0]) & ends_of(locked.beliefs, ends[1]):
            raise Conflict(f"{source} and {target} are one memory", remedy="split it first with `helix split`")
        event = MemoriesLinked(
            **self.stamp(key), source=ends[0], target=ends[1], relation=relation, weight=float(weight), reason=reason
        )
        return [event]

    appended = append_decided(self, decide, verb="link", asked=(ends, relation, float(weight), reason), key=key)
    found = ties(after(self, appended).beliefs, *ends, relation)
    if not found:  # Another writer has taken it back already.
        found = ties(self.view(f"@{appended.last}").beliefs, *ends, relation)
    tie = found[0]
    return Linked(
        seq=appended.last,
        source=tie.source,
        target=tie.target,
        relation=tie.relation,
        weight=tie.weight,
        reason=reason,
        repeated=appended.repeated,
    )
