"""`replay`: the log folded again under other constants, and what would differ. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..constants import Constants
from ..errors import InvalidInput
from ..eventlog import events as ev
from ..eventlog.events import Recorded
from ..projections.beliefs import Beliefs
from ..recall.view import Asker, Point, View
from ..replay import comparing
from ..replay.asking import Reordered, answered, ranks
from ..replay.changes import Changes, changes
from ..replay.comparing import Ignored, LinkChange, MemoryChange, Merge, Side
from ..replay.stepping import Progress, begun, stops
from . import checks
from .explain import question_of
from .opened import AsOf, AsOfPoint, reading
from .refolding import Projection, refolded
from .scanning import naming
from .seeing import Sight, visible
from .sidebyside import Explained, side_by_side
from .supposing import supposed

if TYPE_CHECKING:
    from .opened import OpenStore

MOST_RECALLS = 1_000
"""Recorded recalls that are asked again, if not said otherwise: the newest."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What would differ, and only that; pairs are (under the constants in force, under those supposed).

    `head` is the last event folded. `recalls_asked` is how many recorded recalls were asked again, each at its own
    point. `pairs_computed` are pairs of texts that evidence did not reach down to, worked out from recorded vectors.
    `leaning` counts memories that learned from feedback about recorded recalls: what those showed was decided by the
    constants of their day, so under other constants there might have been other feedback. `ignored` are events that
    take effect under one set only. `explained` and `projections` are null unless they were asked for.
    """

    constants: Changes
    head: int
    as_of: AsOfPoint
    memories: tuple[MemoryChange, ...]
    merges: tuple[Merge, ...]
    links: tuple[LinkChange, ...]
    recalls: tuple[Reordered, ...]
    ignored: tuple[Ignored, ...]
    recalls_asked: int
    pairs_computed: int
    leaning: int
    explained: Explained | None
    projections: tuple[Projection, ...] | None


class _Asked(NamedTuple):
    """A recorded recall."""

    id: str
    seq: int
    event: ev.MemoriesRecalled


@reading
def replay(
    self: OpenStore,
    *,
    changes: Mapping[str, object] | None = None,
    constants: Constants | None = None,
    as_of: AsOf | None = None,
    check: bool = False,
    explain: str | None = None,
    recalls: int = MOST_RECALLS,
    user: str | None = None,
    progress: Progress | None = None,
) -> Replayed:
    """Fold the log again under other constants, and say what would differ from what is believed at the point.

    Exact: texts are not embedded and nothing is searched again. Nothing is written, so that it may be broken off at
    any moment and begun again.

    Args:
        self: The store.
        changes: Constants that are to have other values, by name.
        constants: All constants, in place of those in force; `changes` are made to them.
        as_of: Fold only up to there; see `recall`.
        check: Fold under the constants in force instead, and compare the digest of every projection.
        explain: A memory whose history under both sets is to be shown side by side.
        recalls: Most recorded recalls that are asked again, the newest; 0 for none.
        user: Whose memories and recalls are compared; the owner's if not given.
        progress: See `Progress`.

    Raises:
        InvalidInput: A constant is unknown, out of range, or lower than the evidence reaches; or `check` is given
            together with constants.
        NotFound: There is no such memory, or the asker may not see it.
    """
    recalls = checks.check_count(recalls, what="number of recalls", least=0, most=1_000_000_000)
    wanted = checks.check_flag(check, what="check")
    self.catch_up()
    point = self.point(as_of)
    asked = supposed(self, point, changes, constants)
    if wanted and asked is not None:
        raise InvalidInput("a check folds under the constants in force", remedy="leave the other constants out")
    before = self.view(self.naming(point))
    chosen = before.beliefs.constants if asked is None else asked
    if wanted:
        return _same(self, before, refolded(self, point, progress))
    questions = _recorded(self, before, user, recalls)
    other, reordered = _folded(self, before, chosen, questions, progress)
    sides = tuple(Side(view, visible(view, Asker(user=user))) for view in (before, other))
    return _compared(self, sides[0], sides[1], reordered, len(questions), explain=explain, user=user)


def _compared(
    self: OpenStore,
    before: Side,
    after: Side,
    reordered: tuple[Reordered, ...],
    asked: int,
    *,
    explain: str | None,
    user: str | None,
) -> Replayed:
    ours, theirs = before.view.beliefs, after.view.beliefs
    memories = with_evidence(self, before.view, after.view, comparing.memories(before, after))
    placed_alike = theirs.constants.places_as(ours.constants)  # then no merge and no link can differ
    return Replayed(
        constants=changes(ours.constants, theirs.constants, ours.fingerprint),
        head=before.view.point.seq,
        as_of=self.as_of_point(before.view.point),
        memories=memories,
        merges=() if placed_alike else comparing.merges(before, after),
        links=() if placed_alike else comparing.links(before, after),
        recalls=reordered,
        ignored=comparing.ignored(before, after),
        recalls_asked=asked,
        pairs_computed=theirs.membership.pairs_computed,
        leaning=sum(bool(one.evidence) for one in memories),
        explained=None if explain is None else side_by_side(self, before.view, after.view, explain, user),
        projections=None,
    )


def _same(self: OpenStore, view: View, projections: tuple[Projection, ...]) -> Replayed:
    """What a check found: no other constants, so nothing else to tell."""
    return Replayed(
        constants={},
        head=view.point.seq,
        as_of=self.as_of_point(view.point),
        memories=(),
        merges=(),
        links=(),
        recalls=(),
        ignored=(),
        recalls_asked=0,
        pairs_computed=view.beliefs.membership.pairs_computed,
        leaning=0,
        explained=None,
        projections=projections,
    )


def _recorded(self: OpenStore, view: View, user: str | None, most: int) -> list[_Asked]:
    """The newest recorded recalls of the asker, oldest first."""
    if not most:
        return []
    sight = Sight(self, view, user)
    found: list[_Asked] = []
    for recorded in naming(self.eventlog, (), view.point.seq, types=("memories_recalled",)):
        event = recorded.event
        if isinstance(event, ev.MemoriesRecalled) and recorded.id is not None and sight.asked(event):
            found.append(_Asked(recorded.id, recorded.seq, event))
    return found[-most:]


def _folded(
    self: OpenStore, before: View, chosen: Constants, questions: list[_Asked], progress: Progress | None
) -> tuple[View, tuple[Reordered, ...]]:
    """The fold at the point under the chosen constants; and the questions that it would have answered otherwise.

    Each is asked at its own point, as on its day.
    """
    waiting = sorted(questions, key=lambda one: one.event.point_seq)
    found: list[Reordered] = []
    both = (before.beliefs.constants, chosen)
    for stop, folds in _stages(self, both, [one.event.point_seq for one in waiting], before.point.seq, progress):
        while waiting and waiting[0].event.point_seq <= stop:
            one = waiting.pop(0)
            views = [at_point(self, fold, Point(stop, one.event.point_clock)) for fold in folds]
            orders = tuple(answered(view, question_of(view, one.event)) for view in views)
            if orders[0] != orders[1]:
                found.append(reordered(one.id, one.seq, one.event, orders[0], orders[1]))
    return at_point(self, folds[1], before.point), tuple(sorted(found, key=lambda one: one.seq))


def _stages(
    self: OpenStore, both: tuple[Constants, Constants], seqs: list[int], last: int, progress: Progress | None
) -> Iterator[tuple[int, Sequence[Beliefs]]]:
    """Both folds at each of these events in turn, and in the end at `last`.

    Where the constants change what is learned alone, no event is read; else the folds pass the points on their way.
    """
    catalog = self.catalog
    ways = [catalog.under(constants) for constants in both]
    known = [way for way in ways if way is not None]
    if len(known) == len(ways):
        for stop in sorted({*seqs, last}):
            yield stop, [at(stop) for at in known]
            if progress is not None:
                progress(stop, last)
        return
    folds = [begun(catalog, constants) for constants in both]
    brought = folds if seqs else folds[1:]
    for stop in stops(self.eventlog.read, brought, seqs, last, progress):
        yield stop, folds


def at_point(self: OpenStore, beliefs: Beliefs, point: Point) -> View:
    """A fold as a view."""
    catalog = self.catalog
    vectors = None if beliefs.fingerprint is None else catalog.vectors_of(beliefs.fingerprint)
    return View(point, beliefs, catalog.text, vectors, catalog.bodies)


def reordered(
    recall_id: str, seq: int, event: ev.MemoriesRecalled, before: tuple[str, ...], after: tuple[str, ...]
) -> Reordered:
    """A recall with another order."""
    return Reordered(
        recall_id=recall_id,
        query=event.query,
        seq=seq,
        order=(before, after),
        ranks=ranks(before, after),
        shown=tuple(one.id for one in event.returned),
    )


def with_evidence(
    self: OpenStore, before: View, after: View, found: tuple[MemoryChange, ...]
) -> tuple[MemoryChange, ...]:
    """The changes, each with the recorded recalls whose feedback its memory learned from."""
    if not found:
        return found
    learned: dict[str, dict[str, None]] = {}
    for recall_id, roots in _feedback(
        naming(self.eventlog, (), after.point.seq, types=("feedback_given",)), before, after
    ):
        for root in roots:
            learned.setdefault(root, {})[recall_id] = None
    return tuple(msgspec.structs.replace(one, evidence=tuple(learned.get(one.id, ()))) for one in found)


def _feedback(events: Iterator[Recorded], before: View, after: View) -> Iterator[tuple[str, set[str]]]:
    """Recalls that got feedback, and the memories which that reached in either fold."""
    for recorded in events:
        event = recorded.event
        if isinstance(event, ev.FeedbackGiven) and event.recall_id is not None:
            yield (
                event.recall_id,
                {
                    view.beliefs.texts.id_of(root)
                    for view in (before, after)
                    for one in event.exposures
                    if (root := view.beliefs.memories.resolve(one.id)) >= 0
                },
            )
