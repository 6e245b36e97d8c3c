"""`timeline`: what was believed when, what took its place, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from ..errors import InvalidInput
from ..eventlog import events as ev
from ..eventlog.events import Recorded
from ..projections.ledger.normal import name_key
from ..recall.question import Question
from ..recall.view import Asker, View
from ..recall.visibility import asked_for, state, with_terms
from ..replay.chains import chained, explored
from ..replay.intervals import Beat, Interval, intervals, turns
from ..replay.matching import matching
from . import checks
from .history import happened, lived
from .opened import AsOf, AsOfPoint, reading
from .records import time_in
from .seeing import Sight, visible, visible_root
from .times import format_time, optional_time

if TYPE_CHECKING:
    from .opened import OpenStore

SubjectKind = Literal["memory", "entity", "tag", "query"]


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What the timeline is of."""

    kind: SubjectKind
    value: str


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """An interval in which a memory was believed: live, from `start` up to `end`, null while it is.

    `began` and `seq` are the events that began and ended it, null where time did. `ended` is the state it went into,
    `by` what took its place, `reason` why, as it was said.
    """

    start: str
    began: int | None
    end: str | None
    seq: int | None
    ended: str | None
    by: str | None
    reason: str | None


class Belief(msgspec.Struct, frozen=True, kw_only=True):
    """A memory and when it was believed.

    Memories with one `chain` number replaced each other; `depth` counts the steps from the first. `supersedes` and
    `superseded_by` are those of all times. `fork`: it was restored beside what replaced it, or was replaced by several.
    """

    id: str
    text: str
    kind: str
    state: str
    effectiveness: float
    seq: int
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    chain: int
    depth: int
    fork: bool
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    held: tuple[Held, ...]


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Beliefs about a subject, chain by chain, each from the first on; `total` of them before the limit.

    `start` is when the first of those shown was recorded, `end` the clock of the point.
    """

    subject: Subject
    start: str | None
    end: str
    beliefs: tuple[Belief, ...]
    total: int
    as_of: AsOfPoint


@reading
def timeline(
    self: OpenStore,
    memory: str | None = None,
    *,
    entity: str | None = None,
    tag: str | None = None,
    query: str | None = None,
    limit: int = 20,
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    container: str | None = None,
    as_of: AsOf | None = None,
) -> Timeline:
    """When each belief about a subject was held, what took its place, and why.

    The subject is one of a memory, an entity, a tag and a query; whatever replaced its memories, or was replaced by
    them, belongs to it. What is out of sight now is in it as well.

    Args:
        self: The store.
        memory: The id of a memory, that of one of its texts, or a unique beginning.
        entity: The name of an entity.
        tag: A tag.
        query: A question; the memories that fit it best, whatever their state.
        limit: Most memories to begin from: the newest, or those that fit best.
        user: Who asks; the owner if not given.
        project: Only this project.
        session: Only this session.
        agent: Only this agent.
        container: Only this container.
        as_of: What had happened by then; see `recall`.

    Raises:
        InvalidInput: Not exactly one subject is given, or an option is malformed.
        NotFound: There is no such memory, or the asker may not see it.
    """
    limit = checks.check_count(limit, what="limit")
    subject = _subject(memory, entity, tag, query)
    self.catch_up()
    view = self.view(as_of)
    asker = Asker(user=user, project=project, session=session, agent=agent, container=container)
    if subject.kind == "memory":
        begun = [visible_root(self, view, subject.value, user)]
        subject = Subject(kind="memory", value=view.beliefs.texts.id_of(begun[0]))
    else:
        begun = _fitting(self, view, subject, asker, limit)
    shown = explored(view.beliefs, begun[:limit], visible(view, asker))
    beliefs = _beliefs(self, view, shown, Sight(self, view, user))
    return Timeline(
        subject=subject,
        start=optional_time(min(map(int, view.beliefs.texts.table["recorded_at"][shown]), default=None)),
        end=format_time(view.point.clock),
        beliefs=beliefs,
        total=len(begun) if subject.kind != "memory" else len(shown),
        as_of=self.as_of_point(view.point),
    )


def _subject(memory: str | None, entity: str | None, tag: str | None, query: str | None) -> Subject:
    kinds: dict[SubjectKind, str | None] = {"memory": memory, "entity": entity, "tag": tag, "query": query}
    given: list[Subject] = [Subject(kind=kind, value=value) for kind, value in kinds.items() if value is not None]
    if len(given) != 1:
        raise InvalidInput(
            "a timeline is of one subject", remedy="give one of: the id of a memory, an entity, a tag, a query"
        )
    if given[0].kind != "memory":
        checks.check_text(given[0].value, what=given[0].kind)
    return given[0]


def _fitting(self: OpenStore, view: View, subject: Subject, asker: Asker, limit: int) -> list[int]:
    """Roots of the memories that are about the subject, whatever their state: the newest or the best first."""
    beliefs = view.beliefs
    allowed = visible(view, asker) & beliefs.memories.roots()
    narrowed = asked_for(beliefs, asker)
    if narrowed is not None:
        allowed &= narrowed
    if subject.kind == "query":
        vector, _ = self.embed_query(beliefs.fingerprint, subject.value)
        question = Question(text=subject.value, vector=vector, asker=asker, limit=limit, exact=True)
        return matching(view, question, allowed)
    term = f"t:{subject.value.strip()}" if subject.kind == "tag" else f"e:{name_key(subject.value)}"
    found: list[int] = np.flatnonzero(allowed & with_terms(beliefs, [term]))[::-1].tolist()
    return found


def _beliefs(self: OpenStore, view: View, shown: Sequence[int], sight: Sight) -> tuple[Belief, ...]:
    """Every memory of the chains, in order."""
    found = happened(self, view, shown)
    links = list(_supersessions(view, found, set(shown)))
    texts = view.beliefs.texts
    result = []
    for place in chained(shown, [(old, new) for old, new, _ in links]):
        root = place.root
        after = tuple(dict.fromkeys(texts.id_of(new) for old, new, _ in links if old == root))
        before = tuple(dict.fromkeys(texts.id_of(old) for old, new, _ in links if new == root))
        now = state(view.beliefs, root, view.point.clock)
        result.append(
            Belief(
                id=texts.id_of(root),
                text=view.body(int(view.beliefs.memories.table["lead"][root])).text,
                kind=texts.label("kind", root) or "fact",
                state=now,
                effectiveness=float(view.beliefs.effectiveness.value(np.array([root]), view.point.clock)[0]),
                seq=int(texts.table["seq"][root]),
                recorded_at=format_time(int(texts.table["recorded_at"][root])),
                valid_from=time_in(view, "valid_from", root),
                valid_to=time_in(view, "valid_to", root),
                chain=place.chain,
                depth=place.depth,
                fork=len(after) > 1 or bool(after and now != "superseded"),
                supersedes=before,
                superseded_by=after,
                held=tuple(_held(self, view, one, sight) for one in _intervals(self, view, root, found)),
            )
        )
    return tuple(result)


class _Link(NamedTuple):
    """One memory took the place of another by an event."""

    old: int
    new: int
    seq: int


def _supersessions(view: View, found: Iterable[Recorded], shown: set[int]) -> Iterator[_Link]:
    """What took whose place, of all times, among the memories shown."""
    resolve, ignored = view.beliefs.memories.resolve, {seq for seq, _ in view.beliefs.ignored}
    for recorded in found:
        event = recorded.event
        if isinstance(event, ev.MemorySuperseded) and recorded.seq not in ignored:
            old, new = resolve(event.old), resolve(event.new)
            if old != new and old in shown and new in shown:
                yield _Link(old, new, recorded.seq)


def _intervals(self: OpenStore, view: View, root: int, found: Sequence[Recorded]) -> tuple[Interval, ...]:
    """When a memory was live, by its events and by time alone."""
    clock = view.point.clock
    beats: list[list[Beat]] = []
    for one in lived(self, view, root, found):
        at = one.recorded.recorded_at
        beats.append([Beat(at, one.moment.state, one.recorded.seq), *turns(one.beliefs, one.row, at, clock)])
    ends = [following[0].time for _, following in pairwise(beats)] + [clock]
    return intervals(
        beat
        for own, end in zip(beats, ends, strict=False)
        for number, beat in enumerate(own)
        if number == 0 or beat.time <= end
    )


def _held(self: OpenStore, view: View, interval: Interval, sight: Sight) -> Held:
    """An interval, with what the asker may know of its end."""
    recorded = None if interval.seq is None else sight.of(self.event(interval.seq))
    event = None if recorded is None else recorded.event
    by = None
    if isinstance(event, ev.MemorySuperseded):
        new = view.beliefs.memories.resolve(event.new)
        by = view.beliefs.texts.id_of(new) if new >= 0 else None
    return Held(
        start=format_time(interval.start),
        began=interval.began,
        end=optional_time(interval.end),
        seq=interval.seq,
        ended=interval.state,
        by=by,
        reason=getattr(event, "reason", None),
    )
