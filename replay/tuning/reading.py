"""From a log and its fold to what can be judged.

A recall is judged where a feedback names it and tells which of the memories
it showed were causes. Scores are as they were shown, under the constants of
that day, so what these made of what was learned is divided out; what is left is
the fused rank, to the last digits. A neighbour that was held back by a direct hit
keeps the place it was held at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...constants import OUTCOMES, Constants
from ...eventlog.events import ConstantsAdopted, FeedbackGiven, MemoriesRecalled, Returned, StoreCreated
from ...eventlog.log import LogReader
from ...projections.beliefs import Beliefs
from ...projections.effectiveness.refold import Refolder
from ...projections.effectiveness.verdicts import exposed
from .objectives import GOOD
from .showings import Evidence, Flags, Numbers, Showings, factors_under

Fold = Callable[[Constants], Beliefs]
"""The beliefs at the last event read, under other constants."""


class Recall(NamedTuple):
    """What is kept of a recall: the point that was asked, and what was returned."""

    seq: int
    clock: int
    returned: tuple[Returned, ...]


class Shown(NamedTuple):
    """A memory in a judged recall: its id, its score as shown, and whether it was a cause."""

    id: str
    score: float
    causal: bool


class Judged(NamedTuple):
    """A recall that a feedback judged: the feedback's event, the point that was asked, and what was shown."""

    feedback: int
    seq: int
    clock: int
    shown: tuple[Shown, ...]
    good: bool

    @property
    def tells(self) -> bool:
        """Whether an order of what was shown can be better than another."""
        return self.good and len({one.causal for one in self.shown}) > 1


class Era(NamedTuple):
    """From the event `start` on these constants were in force."""

    start: int
    constants: Constants


def read(log: LogReader, beliefs: Beliefs, fold: Fold) -> Evidence:
    """What the events behind these beliefs hold that can be judged, with their memberships and causes.

    Args:
        log: The log.
        beliefs: The fold of the events to read.
        fold: The same events folded with other constants, for recalls of a time when other thresholds were in force.
    """
    judged, eras = _judged(log, beliefs)
    judged = [one for one in judged if one.tells]
    refolder = Refolder(beliefs.effectiveness)
    evidence, known = _found(refolder, beliefs, judged)
    seqs = np.array([one.seq for one in judged for _ in one.shown], np.int64)
    factor = np.ones(len(seqs))
    for number, era in enumerate(eras):
        until = eras[number + 1].start if number + 1 < len(eras) else beliefs.seq + 1
        then = (seqs >= era.start) & (seqs < until)
        if then.any():
            seen, there = evidence, known
            if era.constants.thresholds != beliefs.constants.thresholds:
                other = fold(era.constants)
                seen, there = _found(Refolder(other.effectiveness), other, judged)
            factor[then] = factors_under(seen, era.constants)[then]
            known = known & (there | ~then)
    shown = evidence.showings
    return _both_kinds(evidence._replace(showings=shown._replace(rrf=shown.rrf / factor)), known)


def _judged(log: LogReader, beliefs: Beliefs) -> tuple[list[Judged], list[Era]]:
    """Recalls that were judged, in the order of their feedback, and what was in force when."""
    recalls: dict[str, Recall] = {}
    eras: list[Era] = []
    found = []
    for recorded in log.read(1, beliefs.seq):
        event = recorded.event
        if isinstance(event, StoreCreated | ConstantsAdopted):
            eras.append(Era(recorded.seq, Constants.from_dict(event.constants)))
        elif isinstance(event, MemoriesRecalled) and recorded.id is not None:
            recalls[recorded.id] = Recall(event.point_seq, event.point_clock, event.returned)
        elif isinstance(event, FeedbackGiven) and event.outcome in OUTCOMES:
            recall = recalls.get(event.recall_id or "")
            if recall is not None:
                found.append(_judgement(recorded.seq, event, recall, beliefs.constants))
    return found, eras


def _judgement(seq: int, event: FeedbackGiven, recall: Recall, constants: Constants) -> Judged:
    """What a feedback says of a recall; what it says nothing of, or whose score went with an erasure, is left out."""
    ids = {exposure.id: place for place, exposure in enumerate(event.exposures)}
    told = exposed(event, constants, lambda name: ids.get(name, -1))
    shown = []
    for returned in recall.returned:
        weight = told.get(ids.get(returned.id, -1))
        if weight is not None and returned.score > 0.0:
            shown.append(Shown(returned.id, returned.score, weight >= 0.0))
    good = constants.outcome(event.outcome) > GOOD
    return Judged(seq, recall.seq, recall.clock, tuple(shown), good)


def _found(refolder: Refolder, beliefs: Beliefs, judged: Sequence[Judged]) -> tuple[Evidence, Flags]:
    """Every showing with its step, `rrf` still being the score, and which of them have one.

    A memory has none that was erased, or that became part of another between the recall and the feedback.
    """
    shown = [(number, one, showing) for number, one in enumerate(judged) for showing in one.shown]
    root = np.array([beliefs.texts.ordinal_of(showing.id) for _, _, showing in shown], np.int64)
    step = _step(refolder, root, np.array([one.seq for _, one, _ in shown], np.int64))
    showings = Showings(
        group=np.array([number for number, _, _ in shown], np.int64),
        step=np.maximum(step, 0),
        time=np.array([one.clock for _, one, _ in shown], np.int64),
        rrf=np.array([showing.score for _, _, showing in shown], np.float64),
        root=root,
        relevant=np.array([showing.causal for _, _, showing in shown], np.bool_),
    )
    return Evidence(refolder, showings, np.array([one.feedback for one in judged], np.int64)), step >= 0


def _step(refolder: Refolder, root: Numbers, seq: Numbers) -> Numbers:
    """The first step of each memory after an event, or -1."""
    steps = refolder.steps
    if not len(steps):
        return np.full(len(root), -1)
    place = np.minimum(np.searchsorted(steps.memories, root), len(steps.memories) - 1)
    rows = np.searchsorted(refolder.observed["seq"], seq, "right")
    keys = (steps.of.astype(np.int64) << 32) | steps.rows
    step = np.searchsorted(keys, (place.astype(np.int64) << 32) | rows)
    there = (steps.memories[place] == root) & (step <= steps.last[place])
    return np.where(there, step, -1)


def _both_kinds(evidence: Evidence, known: Flags) -> Evidence:
    """The evidence without what is not known, and without groups that have lost one kind by that."""
    shown = evidence.showings.at(np.flatnonzero(known))
    size = len(evidence.feedback)
    good = np.bincount(shown.group, weights=shown.relevant, minlength=size)
    both = (good > 0) & (good < np.bincount(shown.group, minlength=size))
    shown = shown.at(np.flatnonzero(both[shown.group]))
    number = np.cumsum(both) - 1
    return evidence._replace(showings=shown._replace(group=number[shown.group]), feedback=evidence.feedback[both])
