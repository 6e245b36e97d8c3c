"""A memory as answers show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..eventlog.events import Metadata, Provenance, Scope
from ..projections.columns import NONE
from ..recall.view import View
from ..recall.visibility import Mask, state
from .opened import AsOfPoint
from .times import format_time, optional_time


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One memory at a point. Times are ISO 8601 UTC, numbers in [0, 1] unless they count something.

    Text, title, provenance and metadata are those of the text it is shown with; scope, kind, origin and times those of
    its first. `effectiveness` includes decay, `adjusted` also how seldom its uses were causes. `merged_from` are the
    ids of its other texts. Ids of memories that the asker may not see are left out.
    """

    id: str
    text: str
    title: str | None
    kind: str
    state: str
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    categories: tuple[str, ...]
    effectiveness: float
    adjusted: float
    uses: int
    hits: int
    velocity: int
    spread: float
    salience: float
    accesses: int
    protected: bool
    pin: str | None
    superseded_by: str | None
    supersedes: tuple[str, ...]
    merged_from: tuple[str, ...]
    seq: int
    recorded_at: str
    observed_at: str | None
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None
    event_start: str | None
    event_end: str | None
    origin: str
    provenance: Provenance
    scope: Scope
    metadata: Metadata
    as_of: AsOfPoint


def time_in(view: View, column: str, ordinal: int) -> str | None:
    """A time column's value as ISO 8601, or None."""
    return times_in(view, column, np.array([ordinal]))[0]


def times_in(view: View, column: str, ordinals: NDArray[np.int64]) -> list[str | None]:
    """A time column's values as ISO 8601, None where there is none."""
    values = view.beliefs.texts.table[column][ordinals].tolist()
    return [None if value == NONE else format_time(value) for value in values]


def record(view: View, root: int, seen: Mask) -> Record:
    """The memory that begins with the text `root`, for an asker who may see the texts of the mask `seen`."""
    beliefs, clock = view.beliefs, view.point.clock
    texts, memories, learned = beliefs.texts, beliefs.memories, beliefs.effectiveness
    table = memories.table
    rows = np.array([root], np.int64)
    standing = learned.standing(rows, clock)
    lead, first = view.body(int(table["lead"][root])), view.body(root)
    chain = _chain(view, root, seen)
    expiry = int(table["expires_at"][root])
    pin = int(table["pin"][root])
    return Record(
        id=texts.id_of(root),
        text=lead.text,
        title=lead.title,
        kind=texts.label("kind", root) or "fact",
        state=state(beliefs, root, clock),
        tags=memories.named(root, "t"),
        entities=memories.named(root, "e"),
        categories=memories.named(root, "c"),
        effectiveness=float(standing.value[0]),
        adjusted=float(standing.adjusted[0]),
        uses=int(learned.table["uses"][root]),
        hits=int(learned.table["hits"][root]),
        velocity=int(standing.velocity[0]),
        spread=float(learned.table["spread"][root]),
        salience=float(table["salience"][root]),
        accesses=int(table["accesses"][root]),
        protected=bool(table["protected"][root]),
        pin=None if pin < 0 else memories.pins.names[pin],
        superseded_by=chain.after[-1] if chain.after else None,
        supersedes=tuple(chain.before),
        merged_from=tuple(chain.others),
        seq=int(texts.table["seq"][root]),
        recorded_at=format_time(int(texts.table["recorded_at"][root])),
        observed_at=time_in(view, "observed_at", root),
        valid_from=time_in(view, "valid_from", root),
        valid_to=time_in(view, "valid_to", root),
        expires_at=optional_time(None if expiry == NONE else expiry),
        event_start=time_in(view, "event_start", root),
        event_end=time_in(view, "event_end", root),
        origin=first.origin,
        provenance=lead.provenance,
        scope=first.scope,
        metadata=lead.metadata,
        as_of=AsOfPoint(view.point.seq, format_time(clock)),
    )


class _Chain(NamedTuple):
    """Ids of what took a memory's place, of what it took the place of, and of its other texts."""

    after: list[str]
    before: list[str]
    others: list[str]


def _chain(view: View, root: int, seen: Mask) -> _Chain:
    """Only what the asker may see."""
    memories, table = view.beliefs.memories, view.beliefs.memories.table
    members = memories.members(root).tolist()
    after = memories.superseded_by(root) if table["superseded"][root] else ()
    replaced = {old for member in members for old in memories.predecessors.get(member, ())}
    before = sorted(set(map(memories.root, replaced)))

    def ids(ordinals: Iterable[int]) -> list[str]:
        return [view.beliefs.texts.id_of(one) for one in ordinals if seen[one]]

    return _Chain(ids(after), ids(before), ids(one for one in members if one != root))
