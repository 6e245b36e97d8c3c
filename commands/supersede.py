"""`supersede`: put a new text, or another memory, in the place of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import msgspec

from ..errors import Conflict, InvalidInput
from ..eventlog.events import Event, MemorySuperseded, Relation
from ..eventlog.log import Appended
from .appending import Locked, after, append_decided, checked_reason, lead_text, root_of, state_in, text_id
from .composing import StoreOptions, TextOptions, compose
from .texts import refuse_dead, store_events

if TYPE_CHECKING:
    from .opened import OpenStore

HIDDEN = ("pruned", "expired")


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """A supersession: `id`, `text` and `state` are those of the memory that took the place of `old`."""

    seq: int
    id: str
    state: str
    text: str
    old: str
    reason: str | None
    repeated: bool = False
    warnings: tuple[str, ...] = ()


def supersede(
    self: OpenStore,
    old: str,
    text: str | None = None,
    *,
    by: str | None = None,
    reason: str | None = None,
    user: str | None = None,
    key: str | None = None,
    **options: Unpack[TextOptions],
) -> Superseded:
    """Put a new text, or a memory that is there, in the place of a memory. Recall shows the newer; history keeps both.

    The old memory may be live, pruned or expired, but neither forgotten nor superseded. A new text is never merged
    with another memory. It takes over the old one's kind, tags and scope, unless they are given; its names, times and
    source are its own. Without a `valid_from` it is a correction: the old text never held.

    Args:
        self: The store.
        old: The id of the memory that is replaced, or a unique beginning of it.
        text: What is to be remembered instead.
        by: The id of a memory that takes its place, instead of a text; it must be recallable.
        reason: Why, for their history.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found; a new text is
            whose the old one was.
        key: The same key supersedes once, for ever.
        options: As for `store`, with a text.

    Raises:
        InvalidInput, AmbiguousId: Not exactly one of `text` and `by`, or a value is malformed; the log is unchanged,
            as with every error here.
        NotFound: One of the memories is not there, or was erased.
        Conflict: One of them is out of sight, both are one, the text repeats the old one, or it would be a circle.
        KeyConflict: The key was used for something else.
    """
    if (text is None) == (by is None):
        raise InvalidInput("a supersession needs a text or a memory", remedy="give either a new text or --by ID")
    unknown = sorted(set(options) - set(TextOptions.__annotations__))
    if unknown:
        raise TypeError(f"supersede() got an unexpected keyword argument {unknown[0]!r}")
    named, reason = text_id(self, old, user), checked_reason(reason)
    if text is not None:
        return _by_text(self, named, text, options, reason=reason, user=user, key=key)
    if options:
        raise InvalidInput(f"{min(options)} is said of a new text, and there is none", remedy="leave it out with --by")
    return _by_memory(self, named, text_id(self, by or "", user), reason=reason, user=user, key=key)


def _by_text(
    self: OpenStore,
    old: str,
    text: str,
    options: TextOptions,
    *,
    reason: str | None,
    user: str | None,
    key: str | None,
) -> Superseded:
    relation = Relation(relation="updates", target=old, reason=reason)
    chosen: StoreOptions = {**_inherited(self, old), **options, "relations": (relation,)}
    composed = compose(self, text, key, chosen)
    # What the old memory brings in may be another by the time a call is repeated.
    said = {name: value for name, value in composed.said.items() if name in options}
    (stored,) = store_events(
        self, [composed.event], user=user, verb="supersede", key=key, said=(text, old, reason, said)
    )
    # The supersession follows its text in the same append.
    appended = Appended(stored.seq, stored.seq + 1, 0, repeated=stored.repeated)
    return _answer(self, appended, stored.text_id, old, reason, warnings=stored.warnings)


def _inherited(self: OpenStore, old: str) -> StoreOptions:
    """What a correction has in common with what it corrects: kind, tags and scope."""
    view = self.view()
    root = root_of(view.beliefs, old)
    scope = view.body(root).scope
    return StoreOptions(
        kind=view.beliefs.texts.label("kind", root) or "fact",
        tags=view.beliefs.memories.named(root, "t"),
        user=scope.user,
        project=scope.project,
        session=scope.session,
        agent=scope.agent,
        container=scope.container,
        shared=scope.visibility == "shared",
        grants=scope.grants,
    )


def _by_memory(
    self: OpenStore, old: str, new: str, *, reason: str | None, user: str | None, key: str | None
) -> Superseded:
    def decide(locked: Locked) -> list[Event]:
        _check(locked, old, new, user)
        return [MemorySuperseded(**self.stamp(key), old=old, new=new, reason=reason)]

    appended = append_decided(self, decide, verb="supersede", asked=(old, new, reason), key=key)
    return _answer(self, appended, new, old, reason)


def _check(locked: Locked, old: str, new: str, user: str | None) -> None:
    """Refuse what would change nothing, or leave nothing to be recalled."""
    before, later = locked.root(old), locked.root(new)
    if before == later:
        raise Conflict(f"{old} and {new} are one memory", remedy="split it first with `helix split`")
    refuse_dead(locked, old, before, user)
    refuse_dead(locked, new, later, user)
    state = locked.state(later)
    if state in HIDDEN:
        raise Conflict(f"{new} is {state}, so neither would be recalled", remedy="make it live again first")
    if locked.beliefs.memories.reaches(later, before):
        raise Conflict(f"{new} was itself superseded by {old}", remedy="`helix history` shows the chain")


def _answer(
    self: OpenStore, appended: Appended, new: str, old: str, reason: str | None, *, warnings: tuple[str, ...] = ()
) -> Superseded:
    view = after(self, appended)
    beliefs = view.beliefs
    root = root_of(beliefs, new)
    return Superseded(
        seq=appended.last,
        id=beliefs.texts.id_of(root),
        state=state_in(view, root),
        text=lead_text(view.body, beliefs, root),
        old=beliefs.texts.id_of(root_of(beliefs, old)),
        reason=reason,
        repeated=appended.repeated,
        warnings=warnings,
    )
