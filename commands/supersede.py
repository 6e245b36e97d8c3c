"""`supersede`: put a new text, or another memory, in the place of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from ..errors import Conflict, InvalidInput
from ..eventlog.events import Event, MemorySuperseded, Origin, Provenance, Relation, Term
from .appending import Locked, append_decided, checked_reason, lead_text, root_of, state_in, text_id
from .store import refuse_dead, store
from .times import When

if TYPE_CHECKING:
    from .opened import OpenStore

HIDDEN = ("pruned", "expired")


class TextOptions(TypedDict, total=False):
    """What may be said of the new text; see `store`."""

    title: str | None
    kind: str
    tags: Sequence[str]
    entities: Iterable[Term | str]
    categories: Iterable[Term | str]
    metadata: Mapping[str, object] | None
    source: str | Provenance
    file: str | None
    lines: str | None
    uri: str | None
    quote: str | None
    confidence: float | None
    derived_from: Sequence[str]
    user: str | None
    project: str | None
    session: str | None
    agent: str | None
    container: str | None
    shared: bool
    grants: Sequence[str]
    valid_from: When | None
    valid_to: When | None
    expires_at: When | None
    observed_at: When | None
    event_start: When | None
    event_end: When | None
    temporal_text: str | None
    timezone: str | None
    origin: Origin
    salience: float | None
    language: str | None


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
    named, reason = text_id(self, old), checked_reason(reason)
    if text is not None:
        return _by_text(self, named, text, options, reason=reason, key=key)
    if options:
        raise InvalidInput(f"{min(options)} is said of a new text, and there is none", remedy="leave it out with --by")
    return _by_memory(self, named, text_id(self, by or ""), reason, key)


def _by_text(
    self: OpenStore, old: str, text: str, options: TextOptions, *, reason: str | None, key: str | None
) -> Superseded:
    relation = Relation(relation="updates", target=old, reason=reason)
    chosen: TextOptions = {**_inherited(self, old), **options}
    stored = store(self, text, relations=(relation,), key=key, **chosen)
    # The supersession follows its text in the same append.
    return _answer(
        self, stored.seq + 1, stored.text_id, old, reason, repeated=stored.repeated, warnings=stored.warnings
    )


def _inherited(self: OpenStore, old: str) -> TextOptions:
    """What a correction has in common with what it corrects: kind, tags and scope."""
    view = self.view()
    root = root_of(view.beliefs, old)
    scope = view.body(root).scope
    return TextOptions(
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


def _by_memory(self: OpenStore, old: str, new: str, reason: str | None, key: str | None) -> Superseded:
    def decide(locked: Locked) -> list[Event]:
        _check(locked, old, new)
        return [MemorySuperseded(**self.stamp(key), old=old, new=new, reason=reason)]

    appended = append_decided(self, decide, verb="supersede", asked=(old, new, reason), key=key)
    return _answer(self, appended.last, new, old, reason, repeated=appended.repeated)


def _check(locked: Locked, old: str, new: str) -> None:
    """Refuse what would change nothing, or leave nothing to be recalled."""
    before, after = locked.root(old), locked.root(new)
    if before == after:
        raise Conflict(f"{old} and {new} are one memory", remedy="split it first with `helix split`")
    refuse_dead(locked, old, before)
    refuse_dead(locked, new, after)
    state = locked.state(after)
    if state in HIDDEN:
        raise Conflict(f"{new} is {state}, so neither would be recalled", remedy="make it live again first")
    if locked.beliefs.memories.reaches(after, before):
        raise Conflict(f"{new} was itself superseded by {old}", remedy="`helix history` shows the chain")


def _answer(
    self: OpenStore,
    seq: int,
    new: str,
    old: str,
    reason: str | None,
    *,
    repeated: bool,
    warnings: tuple[str, ...] = (),
) -> Superseded:
    view = self.view(f"@{seq}")
    beliefs = view.beliefs
    root = root_of(beliefs, new)
    return Superseded(
        seq=seq,
        id=beliefs.texts.id_of(root),
        state=state_in(view, root),
        text=lead_text(view.body, beliefs, root),
        old=beliefs.texts.id_of(root_of(beliefs, old)),
        reason=reason,
        repeated=repeated,
        warnings=warnings,
    )
