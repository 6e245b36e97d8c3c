"""One memory's history under two sets of constants, event by event: where the two part, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..eventlog import events as ev
from ..eventlog.events import Recorded
from ..projections.effectiveness.verdicts import exposed
from ..recall.view import View
from .history import Moment, lived
from .seeing import Sight, visible_root, visible_text

if TYPE_CHECKING:
    from .opened import OpenStore


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The memory just after an event.

    `weight` is what a feedback counted for: from 0 to 1 for a cause, -1 for a use that was none, null where nothing is
    known of it or the event is no feedback.
    """

    effectiveness: float
    uses: int
    hits: int
    state: str
    weight: float | None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """An event of the memory under both sets; null where it is no event of the memory under that set.

    `similarity` is the cosine a feedback measured of it, `differs` whether the two are not the same just after.
    """

    seq: int
    time: str
    type: str
    summary: str
    similarity: float | None
    before: Standing | None
    after: Standing | None
    differs: bool


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that a text belongs to under each set, and its events."""

    id: tuple[str, str]
    events: tuple[Step, ...]


def side_by_side(self: OpenStore, before: View, after: View, memory: str, user: str | None) -> Explained:
    """The history of the memory that an id names, under the constants of two views.

    Raises:
        InvalidInput, NotFound, AmbiguousId: See `get`.
    """
    named = before.beliefs.texts.id_of(visible_text(self, before, memory, user))
    roots = tuple(visible_root(self, view, named, user) for view in (before, after))
    sides = [_standings(self, view, root, user) for view, root in zip((before, after), roots, strict=True)]
    identities = [view.beliefs.texts.id_of(root) for view, root in zip((before, after), roots, strict=True)]
    return Explained(
        id=(identities[0], identities[1]),
        events=tuple(_step(sides[0].get(seq), sides[1].get(seq)) for seq in sorted(sides[0].keys() | sides[1].keys())),
    )


class _Event(NamedTuple):
    """An event of the memory under one set."""

    moment: Moment
    similarity: float | None
    standing: Standing


def _step(before: _Event | None, after: _Event | None) -> Step:
    one = before or after
    assert one is not None  # noqa: S101 - its seq came from one of the two
    ours, theirs = (None if side is None else side.standing for side in (before, after))
    return Step(
        seq=one.moment.seq,
        time=one.moment.time,
        type=one.moment.type,
        summary=one.moment.summary,
        similarity=one.similarity,
        before=ours,
        after=theirs,
        differs=ours != theirs,
    )


def _standings(self: OpenStore, view: View, root: int, user: str | None) -> dict[int, _Event]:
    """The memory's events that the asker may see, by seq."""
    sight = Sight(self, view, user)
    return {
        one.recorded.seq: _Event(
            one.moment,
            _similarity(view, one.recorded, root),
            Standing(
                effectiveness=one.moment.effectiveness,
                uses=one.moment.uses,
                hits=one.moment.hits,
                state=one.moment.state,
                weight=_weight(view, one.recorded, root),
            ),
        )
        for one in lived(self, view, root)
        if sight.of(one.recorded) is not None
    }


def _own(view: View, event: ev.FeedbackGiven, root: int) -> ev.FeedbackGiven:
    """The feedback without what it says of other memories."""
    resolve = view.beliefs.memories.resolve
    own = tuple(one for one in event.exposures if resolve(one.id) == root)
    return msgspec.structs.replace(event, exposures=own)


def _weight(view: View, recorded: Recorded, root: int) -> float | None:
    event = recorded.event
    if not isinstance(event, ev.FeedbackGiven):
        return None
    return exposed(_own(view, event, root), view.beliefs.constants, view.beliefs.memories.resolve).get(root)


def _similarity(view: View, recorded: Recorded, root: int) -> float | None:
    """The highest cosine that a feedback measured of the memory."""
    event = recorded.event
    if not isinstance(event, ev.FeedbackGiven) or event.used is not None:
        return None
    return max(
        (one.similarity for one in _own(view, event, root).exposures if one.similarity is not None), default=None
    )
