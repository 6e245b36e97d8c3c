"""Events that change the state of memories already there, or the edges between them."""

from __future__ import annotations

from ...eventlog.events import (
    MemoriesLinked,
    MemoriesUnlinked,
    MemoryAnnotated,
    MemoryErased,
    MemoryForgotten,
    MemoryReinforced,
    MemoryRestored,
    MemorySuperseded,
    Recorded,
)
from .memory import Memory, united, without
from .state import State


def superseded(state: State, event: MemorySuperseded, recorded: Recorded) -> None:
    """One memory takes the place of another, unless that would make a cycle."""
    old, new = state.named(event.old, event.new)
    if old is None or new is None:
        return
    if old is new:
        state.ignored.append((recorded.seq, "both ids are one memory"))
    elif old.root in _after(state, new):
        state.ignored.append((recorded.seq, "it would be superseded by what it supersedes"))
    else:
        old.superseded_by = united(old.superseded_by, (new.root,))
        state.edges.declare(new.root, old.root, "updates", 1.0)


def _after(state: State, memory: Memory) -> set[int]:
    """Roots of everything that took the memory's place, directly or through others."""
    reached: set[int] = set()
    waiting = list(memory.superseded_by)
    while waiting:
        root = state.root_of[waiting.pop()]
        if root not in reached:
            reached.add(root)
            waiting.extend(state.memories[root].superseded_by)
    return reached


def restored(state: State, event: MemoryRestored, recorded: Recorded) -> None:
    """A memory is live again; of a superseded one there are then two tips."""
    for memory in state.known([event.memory]):
        memory.forgotten = memory.pruned = False
        memory.superseded_by = ()
        memory.restored_at = recorded.recorded_at
        memory.restored_uses = memory.uses


def forgotten(state: State, event: MemoryForgotten, _recorded: Recorded) -> None:
    """A memory is out of sight until it is restored."""
    for memory in state.known([event.memory]):
        memory.forgotten = True


def erased(state: State, event: MemoryErased, _recorded: Recorded) -> None:
    """Memories are gone for good; as a rule their texts are holes already."""
    for memory in state.known(event.memories):
        memory.erased = True


def reinforced(state: State, event: MemoryReinforced, _recorded: Recorded) -> None:
    """A memory was used, without a verdict."""
    for memory in state.known([event.memory]):
        memory.accesses += 1
        memory.salience = min(1.0, memory.salience + state.constants.salience_step)


def annotated(state: State, event: MemoryAnnotated, _recorded: Recorded) -> None:
    """Remove, add, set, clear, in this order."""
    for memory in state.known([event.memory]):
        memory.tags = united(without(memory.tags, event.remove_tags), event.add_tags)
        memory.entities = united(
            without(memory.entities, event.remove_entities), (term.key for term in event.add_entities)
        )
        memory.categories = united(
            without(memory.categories, event.remove_categories), (term.key for term in event.add_categories)
        )
        _set(memory, event)
        _clear(memory, event, state.constants.salience_initial)


def _set(memory: Memory, event: MemoryAnnotated) -> None:
    if event.expires_at is not None:
        memory.expires_at = event.expires_at
    if event.pin is not None:
        memory.pin = event.pin
    if event.salience is not None:
        memory.salience = event.salience


def _clear(memory: Memory, event: MemoryAnnotated, initial_salience: float) -> None:
    if "expires_at" in event.clear:
        memory.expires_at = None
    if "pin" in event.clear:
        memory.pin = None
    if "salience" in event.clear:
        memory.salience = initial_salience


def linked(state: State, event: MemoriesLinked, _recorded: Recorded) -> None:
    """An edge is declared."""
    source, target = state.node(event.source), state.node(event.target)
    if source is not None and target is not None:
        state.edges.declare(source, target, event.relation, event.weight)


def unlinked(state: State, event: MemoriesUnlinked, _recorded: Recorded) -> None:
    """Edges are taken back."""
    source, target = state.node(event.source), state.node(event.target)
    if source is not None and target is not None:
        state.edges.withdraw(source, target, event.relation)
