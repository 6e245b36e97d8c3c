"""What was shown, how it went, and what a prune then hides."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import InvalidInput
from ...eventlog.events import Exposure, FeedbackGiven, MemoriesRecalled, PruneTicked, Recorded
from . import learning
from .memory import Memory
from .pairs import rows_of
from .state import State


class Verdict(NamedTuple):
    """What one exposure says of its memory: nothing if not `told`; weight None is a use without effect."""

    told: bool
    weight: float | None


def recalled(state: State, event: MemoriesRecalled, recorded: Recorded) -> None:
    """Remember what was shown; nothing but the prune of what nobody ever saw reads it."""
    for memory in state.known(returned.id for returned in event.returned):
        memory.last_returned = recorded.recorded_at
    for memory in state.known(event.injected):
        memory.exposed = True


def feedback_given(state: State, event: FeedbackGiven, recorded: Recorded) -> None:
    """Each memory that was before the agent learns, erodes or stays, once."""
    try:
        outcome = state.constants.outcome(event.outcome)
    except InvalidInput:
        state.unresolved += 1
        return
    for memory, verdict in _verdicts(state, event):
        if not verdict.told:
            continue
        if verdict.weight is None:
            learning.erode(state.constants, memory, recorded.recorded_at)
            continue
        learning.learn(state.constants, memory, recorded.recorded_at, outcome, verdict.weight)
        context = event.context_vector
        if context is not None and context.rows and context.fingerprint == state.fingerprint:
            vector = rows_of(context.rows[:1], context.dtype)[0]
            learning.widen(memory, context.fingerprint, vector)


def _verdicts(state: State, event: FeedbackGiven) -> list[tuple[Memory, Verdict]]:
    """One verdict a memory: of several exposures the first causal one counts, else the first that says something."""
    used = None if event.used is None else {memory.root for memory in state.known(event.used)}
    verdicts: dict[int, Verdict] = {}
    for exposure in event.exposures:
        for memory in state.known([exposure.id]):
            memory.exposed = True
            verdict = _verdict(state, event, exposure, used=None if used is None else memory.root in used)
            standing = verdicts.setdefault(memory.root, verdict)
            if (standing.weight is None and verdict.weight is not None) or not standing.told:
                verdicts[memory.root] = verdict
    return [(state.memories[root], verdict) for root, verdict in verdicts.items()]


def _verdict(state: State, event: FeedbackGiven, exposure: Exposure, *, used: bool | None) -> Verdict:
    if used is not None:
        return Verdict(told=True, weight=1.0 if used else None)
    if exposure.similarity is None:
        return Verdict(told=False, weight=None)
    weight = learning.causal_weight(state.constants, event.fingerprint, exposure.similarity)
    return Verdict(told=True, weight=weight)


def prune_ticked(state: State, event: PruneTicked, _recorded: Recorded) -> None:
    """Hide what has not proved itself by this clock."""
    for memory in state.memories.values():
        exempt = memory.protected or memory.pin is not None
        if memory.live and not exempt and (_failed(state, memory, event.clock) or _unseen(state, memory, event.clock)):
            memory.pruned = True


def _failed(state: State, memory: Memory, clock: int) -> bool:
    """Whether it was used often enough, since it began or was restored, and did not help."""
    constants = state.constants
    uses = memory.uses - memory.restored_uses
    low = learning.value(constants, memory, clock) < constants.prune_threshold
    low_adjusted = learning.adjusted(constants, memory, clock) < constants.prune_threshold
    return (low and uses >= constants.prune_min_uses) or (low_adjusted and uses >= constants.prune_exposures)


def _unseen(state: State, memory: Memory, clock: int) -> bool:
    """Whether it is only an agent's or a tool's word, old, and nobody ever saw it."""
    patience = learning.nanoseconds(state.constants.prune_ghost_days)
    shown_lately = memory.last_returned is not None and clock - memory.last_returned <= patience
    return (
        all(state.text_of(ordinal).event.provenance.kind in {"agent", "tool"} for ordinal in memory.members)
        and clock - memory.restored_at > patience
        and not memory.exposed
        and not shown_lately
    )
