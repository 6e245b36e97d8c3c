"""`unlink`: take an edge back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import InvalidInput, NotFound
from ..eventlog.events import Event, MemoriesUnlinked
from . import checks
from .appending import Locked, append_decided, before, checked_reason
from .endpoints import Tie, endpoint, ties

if TYPE_CHECKING:
    from .opened import OpenStore


class Unlinked(msgspec.Struct, frozen=True, kw_only=True):
    """The edges that were taken back, as they were."""

    seq: int
    removed: tuple[Tie, ...]
    reason: str | None
    repeated: bool = False


def unlink(
    self: OpenStore,
    source: str,
    target: str,
    relation: str | None = None,
    reason: str | None = None,
    *,
    user: str | None = None,
    key: str | None = None,
) -> Unlinked:
    """Take back the edges between two ends, in either direction; also one that evidence made, such as `similar`.

    Ends are written as for `link`, and memories may be in any state but erased. What a memory names (entities and
    categories that came with it) is changed by `annotate`; a supersession is undone by `restore`.

    Args:
        self: The store.
        source: One end.
        target: The other.
        relation: Only this relation; all if not given.
        reason: Why, for their history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key unlinks once, for ever.

    Raises:
        InvalidInput, AmbiguousId: An end or the relation is malformed; the log is unchanged, as with every error here.
        NotFound: There is no such edge or memory.
        KeyConflict: The key was used for something else.
    """
    relation = None if relation is None else checks.check_name(relation, what="relation")
    ends = endpoint(self, source, user), endpoint(self, target, user)
    if ends[0] == ends[1]:
        raise InvalidInput("both ends of the link are the same", remedy="name two different ends")
    reason = checked_reason(reason)
    removed: list[Tie] | None = None

    def decide(locked: Locked) -> list[Event]:
        nonlocal removed
        removed = ties(locked.beliefs, *ends, relation)
        if not removed:
            named = "" if relation is None else f" {relation!r}"
            raise NotFound(
                f"there is no edge{named} between {source} and {target}",
                remedy="`helix neighbors` shows the edges; names come off with `helix annotate --remove-entity`",
            )
        return [MemoriesUnlinked(**self.stamp(key), source=ends[0], target=ends[1], relation=relation, reason=reason)]

    appended = append_decided(self, decide, verb="unlink", asked=(ends, relation, reason), key=key)
    if removed is None:
        removed = ties(before(self, appended).beliefs, *ends, relation)
    return Unlinked(seq=appended.last, removed=tuple(removed), reason=reason, repeated=appended.repeated)
