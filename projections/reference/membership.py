"""Which text belongs to which memory: what a stored text joins or begins, and what a person overrules."""

from __future__ import annotations

from ...eventlog.events import ErasedEvent, MembershipOverruled, MemoryStored, Recorded, Scope
from ..ledger.normal import exact_form
from .edges import SIMILAR
from .memory import Memory, Partition, Text, begun, later, united
from .pairs import Candidate, Pairs, require_floor, rows_of
from .state import HOLE, State


def text_erased(state: State, event: ErasedEvent, recorded: Recorded) -> None:
    """An event is only a header; a text leaves a hole that keeps its ordinal."""
    state.erased_events += 1
    if event.kind == "memory_stored":
        state.number(recorded.seq, None)
        state.root_of.append(HOLE)
        state.status.append("erased")
        state.reason.append(None)


def text_stored(state: State, event: MemoryStored, recorded: Recorded) -> None:
    """A text joins a memory or begins one, and makes the edges it declares."""
    if event.evidence is not None:
        require_floor(state.constants, event.evidence)
    text = _admitted(state, event, recorded)
    pairs = Pairs(state, text)
    joined = _joined(state, text, pairs)
    state.reason.append(joined)
    if joined is None:
        state.status.append("added")
        state.root_of.append(text.ordinal)
        state.memories[text.ordinal] = begun(text, state.constants)
        _link(state, text, pairs)
    else:
        root, cosine = joined
        state.status.append("reinforced" if cosine is None else "merged")
        state.root_of.append(root)
        _take_in(state, state.memories[root], text)
    _declare(state, text)


def _admitted(state: State, event: MemoryStored, recorded: Recorded) -> Text:
    """Number the text and keep what later ones are compared with."""
    text = Text(
        ordinal=len(state.texts),
        seq=recorded.seq,
        id=recorded.id,
        recorded_at=recorded.recorded_at,
        event=event,
        form=exact_form(event.text),
        partition=_partition(event.scope, state.owner),
    )
    state.number(recorded.seq, text)
    if event.vectors is not None and event.vectors.rows:
        state.vectors[text.ordinal, event.vectors.fingerprint] = rows_of(event.vectors.rows, event.vectors.dtype)
    return text


def _partition(scope: Scope, owner: str | None) -> Partition:
    if scope.visibility == "shared":
        return "shared", None, scope.project
    return "private", owner if scope.user is None else scope.user, scope.project


def _joined(state: State, text: Text, pairs: Pairs) -> tuple[int, float | None] | None:
    """The root that the text joins, and the cosine that decided or None for an exact repeat."""
    if text.always_begins:
        return None
    same_form = {state.root_of[n] for n in state.exact_repeats[text.form] if n != text.ordinal}
    repeated = [root for root in same_form if _open_to(state.memories[root], text)]
    if repeated:
        return min(repeated), None
    if text.protected:
        return None
    nearest = pairs.enough(pairs.thresholds.duplicate, 1, lambda found: _merges(state, text, found))
    return (nearest[0].root, nearest[0].cosine) if nearest else None


def _open_to(memory: Memory, text: Text) -> bool:
    """Whether the memory's state, partition and intervals let the text join."""
    return memory.live and memory.partition == text.partition and memory.intervals == text.intervals


def _merges(state: State, text: Text, found: Candidate) -> bool:
    """Whether nothing but the cosine decides."""
    memory = state.memories[found.root]
    return found.guard == 0 and not memory.protected and memory.kind == text.event.kind and _open_to(memory, text)


def _link(state: State, text: Text, pairs: Pairs) -> None:
    """Make `similar` edges to the nearest memories; what could be one with this text, it would have joined."""
    for found in pairs.enough(pairs.thresholds.related, state.constants.max_links):
        state.edges.declare(text.ordinal, found.root, SIMILAR, found.cosine)


def _take_in(state: State, memory: Memory, text: Text) -> None:
    """The text becomes a member; what it says of itself is united with what the memory has."""
    event = text.event
    memory.members += (text.ordinal,)
    memory.tags = united(memory.tags, event.tags)
    memory.entities = united(memory.entities, (term.key for term in event.entities))
    memory.categories = united(memory.categories, (term.key for term in event.categories))
    memory.expires_at = later(memory.expires_at, event.expires_at)
    memory.pruned = False
    memory.lead = _lead(state, memory.members)


def _lead(state: State, members: tuple[int, ...]) -> int:
    """The longest member, of equals the later."""
    return max(members, key=lambda ordinal: (state.text_of(ordinal).length, ordinal))


def _declare(state: State, text: Text) -> None:
    """Make the edges that the text itself names."""
    root = state.root_of[text.ordinal]
    for relation in text.event.relations:
        weight = 1.0 if relation.confidence is None else relation.confidence
        for target in state.known([relation.target]):
            state.edges.declare(root, target.root, relation.relation, weight)
    for target in state.known(text.event.provenance.derived_from):
        state.edges.declare(root, target.root, "derives", 1.0)


def overruled(state: State, event: MembershipOverruled, recorded: Recorded) -> None:
    """A person's word on whether two ids are one memory."""
    if event.verdict == "different":
        _split(state, event.first, recorded.seq)
        return
    first, second = state.named(event.first, event.second)
    if first is not None and second is not None and first is not second:
        _unite(state, *sorted((first, second), key=lambda memory: memory.root))


def _unite(state: State, older: Memory, younger: Memory) -> None:
    """Every member of the younger moves to the older, which keeps its own record."""
    for ordinal in younger.members:
        state.root_of[ordinal] = older.root
    older.members += younger.members
    older.tags = united(older.tags, younger.tags)
    older.entities = united(older.entities, younger.entities)
    older.categories = united(older.categories, younger.categories)
    older.expires_at = later(older.expires_at, younger.expires_at)
    older.lead = _lead(state, older.members)
    older.superseded_by = tuple(root for root in older.superseded_by if state.root_of[root] != older.root)
    del state.memories[younger.root]


def _split(state: State, text_id: str, seq: int) -> None:
    """The text of this id leaves its memory and begins its own, as if it had when it was stored."""
    for memory in state.known([text_id]):
        ordinal = state.ordinal(text_id)
        if ordinal is None or memory.members == (ordinal,):
            return
        if ordinal == memory.root:
            state.ignored.append((seq, "a root does not leave while others remain"))
            return
        memory.members = tuple(member for member in memory.members if member != ordinal)
        memory.lead = _lead(state, memory.members)
        state.root_of[ordinal] = ordinal
        state.memories[ordinal] = begun(state.text_of(ordinal), state.constants)
