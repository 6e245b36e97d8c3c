"""What differs between two folds of one log: memories, merges, links and events that could not take effect.

Texts have the same ordinals in both, since these are counted in the log. What a
text is in a fold, by name: the state of the memory that it begins, `merged` if
it belongs to another, None if it is not there yet.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..projections.graph.edges import SIMILAR
from ..recall.statistics import states
from ..recall.view import View
from ..recall.visibility import STATES, Mask

MERGED = "merged"


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is another memory, or a memory that is worth another: (before, after) each.

    `state` is that of the memory it begins, "merged" where it belongs to another, null where it is not there yet; then
    the numbers are null. `effectiveness` includes decay; `generality` is the spread of the contexts it helped in.
    `evidence` are recorded recalls whose feedback it learned from.
    """

    id: str
    text: str
    state: tuple[str | None, str | None]
    effectiveness: tuple[float | None, float | None]
    adjusted: tuple[float | None, float | None]
    generality: tuple[float | None, float | None]
    evidence: tuple[str, ...] = ()


class Merge(msgspec.Struct, frozen=True, kw_only=True):
    """A text that belongs to another memory; `into` has the memories it joined, null where it is none but its own."""

    id: str
    text: str
    into: tuple[str | None, str | None]


class LinkChange(msgspec.Struct, frozen=True, kw_only=True):
    """An edge that is there on one side only (the other weight is null), or weighs more or less."""

    source: str
    target: str
    relation: str
    weight: tuple[float | None, float | None]


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """An event that takes effect on one side only; `why` not on the other, (before, after), null where it does."""

    seq: int
    why: tuple[str | None, str | None]


class Side(NamedTuple):
    """One of the two folds, and the texts that the asker may see in it (bool by ordinal)."""

    view: View
    seen: Mask


class _Readings(NamedTuple):
    """By ordinal: the root, a place in `STATES` or one of the codes below, and the numbers of roots (NaN elsewhere)."""

    root: NDArray[np.int64]
    state: NDArray[np.int8]
    numbers: NDArray[np.float64]


_MERGED, _ABSENT = np.int8(len(STATES)), np.int8(-1)
_NUMBERS = 3


def memories(before: Side, after: Side) -> tuple[MemoryChange, ...]:
    """Every memory that differs, in the order of their texts."""
    count = max(before.view.texts, after.view.texts)
    ours, theirs = _readings(before, count), _readings(after, count)
    same = (ours.numbers == theirs.numbers) | (np.isnan(ours.numbers) & np.isnan(theirs.numbers))
    differs = (ours.state != theirs.state) | ~same.all(axis=0)
    found = np.flatnonzero(differs & _shown(before, after, count))
    return tuple(_memory(before, after, ours, theirs, int(ordinal)) for ordinal in found)


def _memory(before: Side, after: Side, ours: _Readings, theirs: _Readings, ordinal: int) -> MemoryChange:
    numbers = [(_number(ours.numbers[row, ordinal]), _number(theirs.numbers[row, ordinal])) for row in range(_NUMBERS)]
    return MemoryChange(
        id=_id(before, after, ordinal),
        text=_text(before, after, ordinal),
        state=(_word(ours.state[ordinal]), _word(theirs.state[ordinal])),
        effectiveness=numbers[0],
        adjusted=numbers[1],
        generality=numbers[2],
    )


def merges(before: Side, after: Side) -> tuple[Merge, ...]:
    """Every text that belongs to another memory than before."""
    count = max(before.view.texts, after.view.texts)
    ours, theirs = _readings(before, count), _readings(after, count)
    own = np.arange(count)
    here, there = (np.where(one.state == _MERGED, one.root, own) for one in (ours, theirs))
    found = np.flatnonzero((here != there) & _shown(before, after, count))

    def into(ordinal: int, root: int) -> str | None:
        return None if root == ordinal else _id(before, after, root)

    return tuple(
        Merge(
            id=_id(before, after, ordinal),
            text=_body(before, after, ordinal),
            into=(into(ordinal, int(here[ordinal])), into(ordinal, int(there[ordinal]))),
        )
        for ordinal in found.tolist()
    )


def links(before: Side, after: Side) -> tuple[LinkChange, ...]:
    """Every edge between two memories, or of a memory to something else, that is on one side only or weighs more."""
    ours, theirs = _edges(before), _edges(after)
    found = [key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
    return tuple(
        LinkChange(source=source, target=target, relation=relation, weight=(ours.get(key), theirs.get(key)))
        for key in sorted(found)
        for source, target, relation in (key,)
    )


def ignored(before: Side, after: Side) -> tuple[Ignored, ...]:
    """Every event that takes effect on one side only."""
    ours, theirs = dict(before.view.beliefs.ignored), dict(after.view.beliefs.ignored)
    last = min(before.view.point.seq, after.view.point.seq)
    return tuple(
        Ignored(seq=seq, why=(ours.get(seq), theirs.get(seq)))
        for seq in sorted(ours.keys() | theirs.keys())
        if ours.get(seq) != theirs.get(seq) and seq <= last
    )


def _readings(side: Side, count: int) -> _Readings:
    beliefs, clock, there = side.view.beliefs, side.view.point.clock, side.view.texts
    root = np.arange(count)
    root[:there] = beliefs.memories.table["root"][:there]
    state = np.full(count, _ABSENT)
    own = root[:there] == np.arange(there)
    state[:there] = np.where(own, states(beliefs, clock)[:there], _MERGED)
    numbers = np.full((_NUMBERS, count), np.nan)
    roots = np.flatnonzero(own)
    value = beliefs.effectiveness.value(roots, clock)
    numbers[0, roots] = value
    numbers[1, roots] = beliefs.effectiveness.adjusted(roots, value)
    numbers[2, roots] = beliefs.effectiveness.table["spread"][roots]
    return _Readings(root, state, numbers)


def _shown(before: Side, after: Side, count: int) -> Mask:
    """Texts that the asker may see wherever they are there."""
    shown = np.ones(count, np.bool_)
    for side in (before, after):
        shown[: len(side.seen)] &= side.seen
    return shown


def _edges(side: Side) -> dict[tuple[str, str, str], float]:
    """Edges by the ids of their ends and their relation, between what the asker may see."""
    graph, memories, texts = side.view.beliefs.graph, side.view.beliefs.memories, side.view.beliefs.texts
    found: dict[tuple[str, str, str], float] = {}

    def named(end: int) -> str:
        return texts.id_of(end) if end >= 0 else graph.end_name(end)

    for (source, target, relation), weight in graph.resolved(memories.root).items():
        if (source < 0 or side.seen[source]) and (target < 0 or side.seen[target]):
            ends = (named(source), named(target))
            found[(*(sorted(ends) if relation == SIMILAR else ends), relation)] = weight
    return found


def _holder(before: Side, after: Side) -> View:
    """The view that knows of more texts."""
    return after.view if after.view.texts >= before.view.texts else before.view


def _id(before: Side, after: Side, ordinal: int) -> str:
    return _holder(before, after).beliefs.texts.id_of(ordinal)


def _body(before: Side, after: Side, ordinal: int) -> str:
    return _holder(before, after).body(ordinal).text


def _text(before: Side, after: Side, ordinal: int) -> str:
    """The text of the memory that begins there, on the later side if it does on both."""
    for side in (after, before):
        table = side.view.beliefs.memories.table
        if ordinal < side.view.texts and table["root"][ordinal] == ordinal:
            return side.view.body(int(table["lead"][ordinal])).text
    return _body(before, after, ordinal)


def _word(code: np.int8) -> str | None:
    return None if code == _ABSENT else MERGED if code == _MERGED else STATES[code]


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
