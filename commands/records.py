"""A memory as answers show it."""

from __future__ import annotations

import msgspec

from ..eventlog.events import Metadata, Provenance, Scope
from ..projections.columns import NONE
from ..recall.view import View
from ..recall.visibility import state
from .times import format_time, optional_time


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One memory at a point. Times are ISO 8601 UTC, numbers in [0, 1] unless they count something.

    Text, title, provenance and metadata are those of the text it is shown with; scope, kind, origin and times those of
    its first. `effectiveness` includes decay, `adjusted` also how seldom its uses were causes. `merged_from` are the
    ids of its other texts.
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


def time_in(view: View, column: str, ordinal: int) -> str | None:
    """A time column's value as ISO 8601, or None."""
    value = int(view.beliefs.texts.table[column][ordinal])
    return None if value == NONE else format_time(value)


def record(view: View, root: int) -> Record:
    """The memory that begins with the text `root`."""
    beliefs, clock = view.beliefs, view.point.clock
    texts, memories, learned = beliefs.texts, beliefs.memories, beliefs.effectiveness
    table = memories.table
    import numpy as np

    rows = np.array([root], np.int64)
    value = learned.value(rows, clock)
    lead, first = view.body(int(table["lead"][root])), view.body(root)
    successors = memories.superseded_by(root) if table["superseded"][root] else ()
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
        effectiveness=float(value[0]),
        adjusted=float(learned.adjusted(rows, value)[0]),
        uses=int(learned.table["uses"][root]),
        hits=int(learned.table["hits"][root]),
        velocity=int(learned.velocity(rows, clock)[0]),
        spread=float(learned.table["spread"][root]),
        salience=float(table["salience"][root]),
        accesses=int(table["accesses"][root]),
        protected=bool(table["protected"][root]),
        pin=None if pin < 0 else memories.pins.names[pin],
        superseded_by=texts.id_of(successors[-1]) if successors else None,
        supersedes=tuple(texts.id_of(old) for old in predecessors(view, root)),
        merged_from=tuple(texts.id_of(int(member)) for member in memories.members(root) if member != root),
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
    )


def predecessors(view: View, root: int) -> list[int]:
    """Roots whose place this memory took, lowest first."""
    memories = view.beliefs.memories
    return sorted({memories.root(old) for old in memories.successors if root in memories.superseded_by(old)})
