"""`diff`: what changed between two moments, or between two sets of constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from ..constants import Constants
from ..errors import InvalidInput
from ..eventlog import events as ev
from ..recall.question import Question
from ..recall.view import Asker, View
from ..replay import comparing
from ..replay.asking import Reordered, answered
from ..replay.changes import Changes
from ..replay.changes import changes as differing
from ..replay.comparing import MERGED, LinkChange, MemoryChange, Side
from ..replay.intervals import LIVE
from . import checks
from .explain import question_of
from .opened import AsOf, AsOfPoint, reading
from .replay import reordered
from .scanning import naming
from .seeing import Sight, visible
from .supposing import supposed

if TYPE_CHECKING:
    from .opened import OpenStore

MOST_QUERIES = 200
"""Recorded questions that are asked at both moments, if not said otherwise: the newest, each once."""

HIDDEN = ("forgotten", "pruned", "expired", "not_yet_valid", "no_longer_valid")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that is not what it was: (before, after) each, as in `replay`. `by` took its place or took it in."""

    id: str
    text: str
    state: tuple[str | None, str | None]
    effectiveness: tuple[float | None, float | None]
    by: str | None
    reason: str | None


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from `before` to `after`.

    `added` are all that came, whatever became of them; a memory is in every list it belongs to: `superseded`, `merged`
    into another, `parted` from another, `hidden` (forgotten, pruned, expired or out of its validity), `restored`.
    `effectiveness` has those on both sides whose worth moved, decay included. `recalls` are recorded questions that
    the two moments answer otherwise, of `recalls_asked` that were asked at both.
    """

    before: AsOfPoint
    after: AsOfPoint
    constants: Changes
    added: tuple[Difference, ...]
    superseded: tuple[Difference, ...]
    merged: tuple[Difference, ...]
    parted: tuple[Difference, ...]
    hidden: tuple[Difference, ...]
    restored: tuple[Difference, ...]
    effectiveness: tuple[Difference, ...]
    links: tuple[LinkChange, ...]
    recalls: tuple[Reordered, ...]
    recalls_asked: int
    counterfactual: Changes | None
    as_of: AsOfPoint


@reading
def diff(
    self: OpenStore,
    before: AsOf | None = None,
    after: AsOf | None = None,
    *,
    changes: Mapping[str, object] | None = None,
    constants: Constants | None = None,
    recalls: int = MOST_QUERIES,
    user: str | None = None,
    as_of: AsOf | None = None,
) -> Diff:
    """What is believed at one moment and not at another, or under other constants.

    Args:
        self: The store.
        before: The earlier moment, as for `as_of` of `recall`; that of `after` if not given.
        after: The later moment; now if not given.
        changes: Constants that have other values at the later moment, by name (a counterfactual).
        constants: All constants at the later moment; `changes` are made to them.
        recalls: Most recorded questions that are asked at both, the newest; 0 for none.
        user: Whose memories and questions; the owner's if not given.
        as_of: The moment that is meant by now.

    Raises:
        InvalidInput: Nothing tells the two sides apart, or an option is malformed.
    """
    recalls = checks.check_count(recalls, what="number of recalls", least=0, most=1_000_000_000)
    if before is None and not changes and constants is None:
        raise InvalidInput("there is nothing to compare with", remedy="give a moment, two, or a constant with --set")
    if after is not None and as_of is not None:
        raise InvalidInput("the later moment is given twice", remedy="leave --as-of out")
    self.catch_up()
    later = self.point(as_of if after is None else after)
    earlier = later if before is None else self.point(before)
    asked = supposed(self, later, changes, constants)
    views = (self.view(self.naming(earlier)), self.view(self.naming(later), asked))
    ours, theirs = (Side(view, visible(view, Asker(user=user))) for view in views)
    found = _described(self, comparing.memories(ours, theirs), *views, user=user)
    reasked, number = _reasked(self, *views, user=user, most=recalls)

    def those(fits: Callable[[str | None, str | None], bool]) -> tuple[Difference, ...]:
        return tuple(one for one in found if one.state[0] != one.state[1] and fits(*one.state))

    return Diff(
        before=self.as_of_point(earlier),
        after=self.as_of_point(later),
        constants=differing(views[0].beliefs.constants, views[1].beliefs.constants, views[1].beliefs.fingerprint),
        added=those(lambda was, _: was is None),
        superseded=those(lambda _, now: now == "superseded"),
        merged=those(lambda _, now: now == MERGED),
        parted=those(lambda was, _: was == MERGED),
        hidden=those(lambda _, now: now in HIDDEN),
        restored=those(lambda was, now: now == LIVE and was not in (None, MERGED)),
        effectiveness=tuple(one for one in found if _moved(one)),
        links=comparing.links(ours, theirs),
        recalls=reasked,
        recalls_asked=number,
        counterfactual=None if asked is None else self.counterfactual(views[1]),
        as_of=self.as_of_point(later),
    )


def _moved(one: Difference) -> bool:
    before, after = one.effectiveness
    return before is not None and after is not None and before != after


def _described(
    self: OpenStore, found: Sequence[MemoryChange], before: View, after: View, *, user: str | None
) -> list[Difference]:
    """The changes with what took a memory's place, and why."""
    reasons = _reasons(self, before, after, Sight(self, after, user))
    texts, memories, seen = after.beliefs.texts, after.beliefs.memories, visible(after, Asker(user=user))
    result = []
    for one in found:
        ordinal = texts.ordinal_of(one.id)
        others: Iterable[int] = ()
        if one.state[1] == "superseded":
            others = memories.superseded_by(ordinal)
        elif one.state[1] == MERGED:
            others = (memories.root(ordinal),)
        result.append(
            Difference(
                id=one.id,
                text=one.text,
                state=one.state,
                effectiveness=one.effectiveness,
                by=next((texts.id_of(other) for other in others if seen[other]), None),
                reason=reasons.get(ordinal),
            )
        )
    return result


_SAYING = {
    "memory_superseded": "old",
    "memory_forgotten": "memory",
    "memory_restored": "memory",
    "membership_overruled": "first",
}
"""Events that say why, and the field that names the memory."""


def _reasons(self: OpenStore, before: View, after: View, sight: Sight) -> dict[int, str | None]:
    """Why a memory is not what it was, by root: the last word between the two moments."""
    resolve, first = after.beliefs.memories.resolve, min(before.point.seq, after.point.seq) + 1
    last = max(before.point.seq, after.point.seq)
    reasons: dict[int, str | None] = {}
    for recorded in naming(self.eventlog, (), last, types=tuple(_SAYING), start=first):
        shown = sight.of(recorded)
        if shown is not None and not isinstance(shown.event, ev.ErasedEvent | ev.UnknownEvent):
            tag = str(shown.event.__struct_config__.tag)
            reasons[resolve(getattr(shown.event, _SAYING[tag]))] = getattr(shown.event, "reason", None)
    return reasons


def _reasked(
    self: OpenStore, before: View, after: View, *, user: str | None, most: int
) -> tuple[tuple[Reordered, ...], int]:
    """Recorded questions that the two moments answer otherwise, oldest first, and how many were asked."""
    last, sight = max(before.point.seq, after.point.seq), Sight(self, after, user)
    newest: dict[object, tuple[str, int, ev.MemoriesRecalled]] = {}
    for recorded in naming(self.eventlog, (), last, types=("memories_recalled",)) if most else ():
        event = recorded.event
        if isinstance(event, ev.MemoriesRecalled) and recorded.id is not None and sight.asked(event):
            same = (event.query, repr(sorted(event.filters.items())), event.limit, event.hops, event.valid_at)
            newest.pop(same, None)
            newest[same] = (recorded.id, recorded.seq, event)
    chosen = list(newest.values())[-most:]
    found = []
    for recall_id, seq, event in chosen:
        ours, theirs = (answered(view, _question(self, view, event)) for view in (before, after))
        if ours != theirs:
            found.append(reordered(recall_id, seq, event, ours, theirs))
    return tuple(found), len(chosen)


def _question(self: OpenStore, view: View, event: ev.MemoriesRecalled) -> Question:
    """A recorded question for another moment, whose embedder may be another."""
    question, fingerprint = question_of(view, event), view.beliefs.fingerprint
    if event.vector is not None and event.vector.fingerprint == fingerprint:
        return question
    vector, _ = self.embed_query(fingerprint, event.query)
    return msgspec.structs.replace(question, vector=vector)
