"""Which memories may be shown at a clock, and which held at another time."""

from __future__ import annotations

from .memory import Memory
from .state import State


def visible(state: State, memory: Memory, t: int, valid_at: int | None) -> bool:
    """Whether a recall at clock t may show the memory; with `valid_at`, whether it is what held then."""
    if memory.forgotten or memory.erased or memory.pruned:
        return False
    moment = t if valid_at is None else valid_at
    if memory.expires_at is not None and memory.expires_at <= moment:
        return False
    if valid_at is None:
        return not memory.superseded_by and _within(memory.valid_from, memory.valid_to, t)
    return _held(state, memory, valid_at) and not any(_held(state, newer, valid_at) for newer in _newer(state, memory))


def _within(start: int | None, end: int | None, moment: int) -> bool:
    """Whether moment is in [start, end); None is open."""
    return (start is None or start <= moment) and (end is None or moment < end)


def _held(state: State, memory: Memory, moment: int) -> bool:
    """Whether moment is in the memory's own interval.

    Without an end it ends where a successor begins; a successor that does not say when it begins is a
    correction, and what it corrects never held.
    """
    begins = [successor.begins for successor in _successors(state, memory)]
    known = [begin for begin in begins if begin is not None]
    if len(known) < len(begins):
        return False
    start = memory.recorded_at if memory.begins is None else memory.begins
    end = min(known) if memory.valid_to is None and known else memory.valid_to
    return _within(start, end, moment)


def _successors(state: State, memory: Memory) -> list[Memory]:
    """The memories that took its place, as they are named now."""
    roots = dict.fromkeys(state.root_of[root] for root in memory.superseded_by)
    return [state.memories[root] for root in roots if root != memory.root]


def _newer(state: State, memory: Memory) -> list[Memory]:
    """Its successors, theirs and so on, each once."""
    newer: dict[int, Memory] = {}
    waiting = _successors(state, memory)
    while waiting:
        successor = waiting.pop()
        if successor.root not in newer and successor.root != memory.root:
            newer[successor.root] = successor
            waiting.extend(_successors(state, successor))
    return list(newer.values())
