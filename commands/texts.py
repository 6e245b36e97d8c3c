"""Texts on their way into the log: what they name is looked up, they are embedded, measured and appended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ..errors import Conflict
from ..eventlog.events import Draft, Event, MemoryStored, MemorySuperseded, Relation
from ..eventlog.log import Appended
from ..projections.ledger.memories import ADDED, STATUS
from ..projections.ledger.normal import exact_form
from ..projections.text.document import indexed_text
from ..recall.view import View
from .appending import Locked, append_decided, shown_ids
from .evidence import with_evidence
from .seeing import visible_text

if TYPE_CHECKING:
    from .opened import OpenStore


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a text.

    `status` added | merged | reinforced; `id` is the memory's, `text_id` that of this text within it.
    """

    status: Literal["added", "merged", "reinforced"]
    id: str
    seq: int
    reason: str
    text_id: str
    superseded: tuple[str, ...] = ()
    repeated: bool = False
    warnings: tuple[str, ...] = ()


def store_events(
    self: OpenStore,
    events: Sequence[MemoryStored],
    *,
    user: str | None = None,
    verb: str = "store",
    key: str | None = None,
    said: object = None,
) -> list[Stored]:
    """Embed, measure and append texts as one batch; what became of each, by the fold at its own event.

    Args:
        self: The store.
        events: The texts; the ids they name may be beginnings.
        user: Who stores them; they may name what this user may see.
        verb: The verb that stores them, and
        key: its key, and
        said: what a repetition with the same key has to say again, besides the ids that are named.

    Raises:
        NotFound, AmbiguousId: A related id is unknown, or begins several.
        Conflict: A text repeats what it relates to.
        KeyConflict: The key was used for something else.
        ContentRejected: A text may not be shown to a model again.
    """
    self.refuse_unfit(*events)
    view = self.view()
    ids = [self.new_id() for _ in events]
    resolved = [_with_targets(self, view, event, user) for event in events]
    ready = _embedded(self, view.beliefs.fingerprint, resolved)

    def decide(locked: Locked) -> list[Draft]:
        _check_targets(locked, resolved, user)
        current = locked.beliefs.fingerprint
        # Another embedder may have been adopted while the texts were embedded; it has to cover every text.
        texts = ready if current == view.beliefs.fingerprint else _embedded(self, current, resolved)
        return _drafts(locked, texts, ids)

    named = [(event.text, event.relations, event.provenance.derived_from) for event in resolved]
    appended = append_decided(self, decide, verb=verb, asked=(named, said), key=key)
    if appended.repeated:
        ids = [found for seq in range(appended.first, appended.last + 1) if (found := self.event(seq).id)]
    now = self.view()
    return [_stored(_as_answered(self, now, one, appended), one, repeated=appended.repeated) for one in ids]


def _as_answered(self: OpenStore, view: View, text_id: str, appended: Appended) -> View:
    """The view to answer a call from: the live one, unless a person has moved texts of the memory since the call."""
    if not appended.repeated:
        return view
    memories = view.beliefs.memories
    root = memories.root(view.beliefs.texts.ordinal_of(text_id))
    members = memories.members(root)
    began = members[memories.table["status"][members] == ADDED].tolist()
    return view if began == [root] else self.view(f"@{appended.last}")


def _embedded(self: OpenStore, fingerprint: str | None, events: Sequence[MemoryStored]) -> list[MemoryStored]:
    vectors = self.embed(fingerprint, [indexed_text(event) for event in events])
    return [msgspec.structs.replace(event, vectors=found) for event, found in zip(events, vectors, strict=True)]


def _with_targets(self: OpenStore, view: View, event: MemoryStored, user: str | None) -> MemoryStored:
    """The event with full ids in its relations."""

    def full(memory: str) -> str:
        return view.beliefs.texts.id_of(visible_text(self, view, memory, user))

    relations = tuple(msgspec.structs.replace(relation, target=full(relation.target)) for relation in event.relations)
    derived = tuple(map(full, event.provenance.derived_from))
    updating = any(relation.relation == "updates" for relation in relations)
    return msgspec.structs.replace(
        event,
        relations=relations,
        superseding=event.superseding or updating,
        provenance=msgspec.structs.replace(event.provenance, derived_from=derived),
    )


def _check_targets(locked: Locked, events: Sequence[MemoryStored], user: str | None) -> None:
    """Refuse a text that repeats what it relates to, and an update of what is not live."""
    for event in events:
        for relation in event.relations:
            root = locked.root(relation.target)
            if exact_form(locked.lead(root)) == exact_form(event.text):
                raise Conflict(
                    "the text repeats the memory it relates to word for word",
                    remedy="store it without a relation to reinforce that memory",
                )
            if relation.relation == "updates":
                refuse_dead(locked, relation.target, root, user)


def refuse_dead(locked: Locked, memory: str, root: int, user: str | None) -> None:
    """Refuse a memory that was forgotten or superseded: nothing can take its place, and it nothing's.

    Raises:
        Conflict: It was.
    """
    memories = locked.beliefs.memories
    if memories.live(root):
        return
    if memories.table["forgotten"][root]:
        raise Conflict(f"{memory} is forgotten", remedy=f"bring it back first with `helix restore {memory}`")
    newer = ", ".join(shown_ids(locked.beliefs, memories.superseded_by(root), user))
    raise Conflict(
        f"{memory} is superseded already",
        remedy=f"supersede what took its place ({newer}), or restore it first" if newer else "restore it first",
    )


def _drafts(locked: Locked, events: Sequence[MemoryStored], ids: Sequence[str]) -> list[Draft]:
    """Texts with evidence, and then the supersessions they declare."""
    measured = with_evidence(locked.catalog, events, locked.reader.head.seq + 1)
    drafts = [Draft(event, memory) for event, memory in zip(measured, ids, strict=True)]
    superseded = [
        Draft(_supersession(event, relation, memory))
        for event, memory in zip(measured, ids, strict=True)
        for relation in event.relations
        if relation.relation == "updates"
    ]
    return drafts + superseded


def _supersession(event: MemoryStored, relation: Relation, memory: str) -> Event:
    return MemorySuperseded(
        actor=event.actor,
        session_id=event.session_id,
        agent_id=event.agent_id,
        prompt_id=event.prompt_id,
        old=relation.target,
        new=memory,
        reason=relation.reason,
    )


def _stored(view: View, text_id: str, *, repeated: bool) -> Stored:
    """The answer for one text, as the fold decided at its own event."""
    texts, memories = view.beliefs.texts, view.beliefs.memories
    ordinal = texts.ordinal_of(text_id)
    status = STATUS[memories.table["status"][ordinal]]
    root = memories.root(ordinal)
    declared = view.body(ordinal).relations if texts.table["declared"][ordinal] else ()
    replaced = [memories.resolve(one.target) for one in declared if one.relation == "updates"]
    superseded = tuple(dict.fromkeys(texts.id_of(old) for old in replaced if old >= 0))
    reason = {
        "added": "a new memory",
        "reinforced": "the same text is there already",
        "merged": f"says the same as this memory (cosine {memories.table['joined_cosine'][ordinal]:.3f})",
    }[status]
    warnings = [] if _has_vector(view, ordinal) else ["stored without a vector: it is found by words and names only"]
    return Stored(
        status=status,  # type: ignore[arg-type]
        id=texts.id_of(root),
        seq=int(texts.table["seq"][ordinal]),
        reason=reason,
        text_id=text_id,
        superseded=superseded,
        repeated=repeated,
        warnings=tuple(warnings),
    )


def _has_vector(view: View, ordinal: int) -> bool:
    return view.beliefs.fingerprint is None or view.body(ordinal).vectors is not None
