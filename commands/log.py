"""`log`: the events of the log, as they are."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ..errors import NotFound
from ..eventlog.events import EVENT_TYPES, ErasedEvent, Event, Recorded, UnknownEvent
from ..recall.view import View
from . import checks
from .opened import AsOf, AsOfPoint, reading
from .scanning import backwards, naming, tag_of
from .seeing import Sight, beginning, checked_id, the_one, visible_text
from .summaries import summary
from .times import When, format_time, parse_time

if TYPE_CHECKING:
    from .opened import OpenStore

Content = Literal["kept", "erased", "unknown"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event. `content` says whether its payload is there and understood; `data` holds its fields."""

    seq: int
    time: str
    type: str
    id: str | None
    actor: str
    session_id: str | None
    agent_id: str | None
    summary: str
    content: Content
    data: dict[str, Any]


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """Events in the order of the log; `head` is the last sequence number there is at the point."""

    events: tuple[Entry, ...]
    head: int
    as_of: AsOfPoint


@reading
def log_events(
    self: OpenStore,
    *,
    limit: int = 20,
    type: str | None = None,  # noqa: A002 - the word users know it by
    id: str | None = None,  # noqa: A002 - likewise
    since: When | None = None,
    until: When | None = None,
    after: int | None = None,
    vectors: bool = False,
    user: str | None = None,
    as_of: AsOf | None = None,
) -> Logged:
    """Events of the log, oldest first: the last `limit` asked for, or with `after` the first `limit` behind it.

    Args:
        self: The store.
        limit: Most events.
        type: Only this type, such as memory_stored.
        id: Only events that name this memory, recall or other id, or a unique beginning of one.
        since: Only events recorded at or after this time.
        until: Only events recorded at or before this time.
        after: Only events with a higher sequence number, to follow the log page by page.
        vectors: Show vectors and other bytes as base64; else only their size.
        user: Who asks; the owner if not given.
        as_of: The log as it was then; see `recall`. Ages such as 7d in the other options count from there.

    Raises:
        InvalidInput: An option is malformed.
        NotFound: Nothing has that id, or the asker may not see it.
    """
    limit, vectors = checks.check_count(limit, what="limit"), checks.check_flag(vectors, what="vectors")
    if type is not None:
        checks.check_choice(type, tuple(EVENT_TYPES), what="event type")
    view = self.view(as_of)
    sight = Sight(self, view, user)
    words = () if id is None else _ids(self, view, sight, id, user)
    now, head = view.point.clock, view.point.seq
    first = 1 if since is None else self.eventlog.seq_at(parse_time(since, now=now) - 1) + 1
    last = head if until is None else min(head, self.eventlog.seq_at(parse_time(until, now=now, edge="end")))
    if after is not None:
        first = max(first, checks.check_count(after, what="sequence number", least=0, most=1 << 62) + 1)
        found = naming(self.eventlog, words or ("",), last, start=first)
    else:
        found = backwards(self.eventlog, first, last, words=words)
    chosen = list(islice(_chosen(found, sight, type, words), limit))
    entries = tuple(_entry(recorded, vectors=vectors) for recorded in sorted(chosen, key=lambda one: one.seq))
    return Logged(events=entries, head=head, as_of=self.as_of_point(view.point))


def _chosen(found: Iterator[Recorded], sight: Sight, kind: str | None, words: tuple[str, ...]) -> Iterator[Recorded]:
    for recorded in found:
        if kind is not None and tag_of(recorded) != kind:
            continue
        shown = sight.of(recorded)
        if shown is not None and (not words or mentions(shown, words)):
            yield shown


def _ids(self: OpenStore, view: View, sight: Sight, asked: str, user: str | None) -> tuple[str, ...]:
    """The ids whose events are asked for: those of all texts of a memory, or one other id."""
    texts, memories = view.beliefs.texts, view.beliefs.memories
    try:
        root = memories.root(visible_text(self, view, asked, user))
        return tuple(texts.id_of(int(member)) for member in memories.members(root))
    except NotFound:
        plain = checked_id(asked, what="memory, recall or other event")
        found = beginning(
            self.eventlog,
            plain,
            lambda seq: seq <= view.point.seq and not sight.is_text(seq) and sight.of(self.event(seq)) is not None,
        )
        if not found:
            raise
        return (the_one(found, asked, what="event", remedy="`helix log` shows the ids")[0],)


def mentions(recorded: Recorded, words: tuple[str, ...]) -> bool:
    """Whether an event names one of these ids in a field of its own, not merely in a text."""
    return recorded.id in words or not _values(msgspec.to_builtins(recorded.event, builtin_types=(bytes,))).isdisjoint(
        words
    )


def _values(value: object) -> set[object]:
    """Every string in a plain value."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        value = list(value.values())
    return set().union(*map(_values, value)) if isinstance(value, list | tuple) else set()


def _entry(recorded: Recorded, *, vectors: bool) -> Entry:
    event = recorded.event
    content: Content = "kept"
    if isinstance(event, ErasedEvent | UnknownEvent):
        content = "erased" if isinstance(event, ErasedEvent) else "unknown"
    return Entry(
        seq=recorded.seq,
        time=format_time(recorded.recorded_at),
        type=tag_of(recorded),
        id=recorded.id,
        actor=event.actor,
        session_id=event.session_id,
        agent_id=event.agent_id,
        summary=summary(event),
        content=content,
        data=_data(event, vectors=vectors),
    )


def _data(event: Event, *, vectors: bool) -> dict[str, Any]:
    plain = msgspec.to_builtins(event, builtin_types=(bytes,))
    for name in ("type", "actor", "session_id", "agent_id"):
        plain.pop(name, None)
    shown: dict[str, Any] = _shown(plain, vectors=vectors)
    return shown


def _shown(value: object, *, vectors: bool) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, bytes):
        return b64encode(value).decode() if vectors else f"<{len(value)} bytes>"
    if isinstance(value, dict):
        return {str(key): _shown(item, vectors=vectors) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item, vectors=vectors) for item in value]
    return value
