"""`store`: put a text into memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ..errors import Conflict
from ..eventlog.events import (
    Draft,
    Event,
    MemoryStored,
    MemorySuperseded,
    Origin,
    Prior,
    Provenance,
    Relation,
    Scope,
    Term,
)
from ..projections.ledger.memories import STATUS
from ..projections.ledger.normal import exact_form
from ..projections.text.document import indexed_text
from ..recall.view import View
from . import checks
from .appending import Locked, append_decided
from .evidence import with_evidence
from .sources import provenance_of
from .times import When, parse_expiry, parse_time

if TYPE_CHECKING:
    from .opened import OpenStore


TIMES = ("valid_from", "valid_to", "expires_at", "observed_at", "event_start", "event_end")
"""Fields that a caller may give as an age."""


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


def store(
    self: OpenStore,
    text: str,
    *,
    title: str | None = None,
    kind: str = "fact",
    tags: Sequence[str] = (),
    entities: Iterable[Term | str] = (),
    categories: Iterable[Term | str] = (),
    metadata: Mapping[str, object] | None = None,
    source: str | Provenance = "user",
    file: str | None = None,
    lines: str | None = None,
    uri: str | None = None,
    quote: str | None = None,
    confidence: float | None = None,
    derived_from: Sequence[str] = (),
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    container: str | None = None,
    shared: bool = False,
    grants: Sequence[str] = (),
    valid_from: When | None = None,
    valid_to: When | None = None,
    expires_at: When | None = None,
    observed_at: When | None = None,
    event_start: When | None = None,
    event_end: When | None = None,
    temporal_text: str | None = None,
    timezone: str | None = None,
    relations: Sequence[tuple[str, str] | Relation] = (),
    origin: Origin = "normal",
    prior: Prior | None = None,
    salience: float | None = None,
    language: str | None = None,
    key: str | None = None,
) -> Stored:
    """Store a text; it is durable and can be recalled when this returns.

    Args:
        self: The store.
        text: What to remember: one fact, preference, procedure or episode, complete in itself.
        title: Indexed with the text, but no part of the fact.
        kind: A word such as fact, preference, procedure, episode, instruction.
        tags: `user-provided` and `user-preference` protect against merging.
        entities: Names the text is about, `NAME` or `NAME:TYPE`.
        categories: Names of what it belongs to.
        metadata: Strings, finite numbers and booleans of your own.
        source: Where it comes from, `KIND[:NOTE]`, KIND user, agent, tool, file or import.
        file: A file it stands in, with `lines` such as "10-14".
        lines: Lines of `file`.
        uri: Where else it stands.
        quote: The words of the source.
        confidence: Of the source, 0 to 1.
        derived_from: Ids of memories it follows from.
        user: Whose it is; the store's owner if not given.
        project: Memories of different projects are never merged.
        session: The session it belongs to.
        agent: The agent it belongs to.
        container: Any other holder.
        shared: Whether every user may see it.
        grants: Users who may see it besides its own.
        valid_from: When it became true in the world.
        valid_to: When it ceased to be.
        expires_at: When to stop recalling it; an age such as 30d counts from now.
        observed_at: When the source says it was seen.
        event_start: When what it tells of began.
        event_end: When that ended.
        temporal_text: The words of the source for that time.
        timezone: The source's zone.
        relations: (relation, id) of earlier memories: updates (supersedes it), extends, derives, duplicate, relates_to.
        origin: normal, derived, synthesised or imported.
        prior: What was already known of it elsewhere.
        salience: 0 to 1.
        language: Of the text, as a BCP 47 tag.
        key: The same key with the same content stores once, for ever.

    Raises:
        InvalidInput: A value cannot be stored; the log is unchanged.
        NotFound: A related id is unknown.
        Conflict: The text repeats the memory it updates.
        KeyConflict: The key was used with other content.
    """
    now = self.now()
    event = MemoryStored(
        **self.stamp(key),
        text=checks.check_text(text),
        title=checks.check_optional(title, what="title"),
        language=language,
        kind=checks.check_name(kind, what="kind"),
        origin=checks.check_choice(origin, ("normal", "derived", "synthesised", "imported"), what="origin"),
        prior=checks.check_prior(prior),
        tags=checks.check_names(tags, what="tag"),
        entities=checks.terms(entities, what="entity"),
        categories=checks.terms(categories, what="category"),
        relations=checks.check_relations(relations),
        metadata=checks.check_metadata(metadata or {}),
        salience=None if salience is None else checks.check_share(salience, what="salience"),
        provenance=provenance_of(
            source, file=file, lines=lines, uri=uri, quote=quote, confidence=confidence, derived_from=derived_from
        ),
        scope=Scope(
            user=checks.check_optional(user, what="user"),
            project=checks.check_optional(project, what="project"),
            session=checks.check_optional(session, what="session"),
            agent=checks.check_optional(agent, what="agent"),
            container=checks.check_optional(container, what="container"),
            visibility="shared" if shared else "private",
            grants=checks.check_names(grants, what="grant"),
        ),
        valid_from=_time(valid_from, now),
        valid_to=_time(valid_to, now),
        expires_at=None if expires_at is None else parse_expiry(expires_at, now=now),
        observed_at=_time(observed_at, now),
        event_start=_time(event_start, now),
        event_end=_time(event_end, now),
        temporal_text=temporal_text,
        timezone=timezone,
    )
    checks.check_interval(event.valid_from, event.valid_to, what="validity")
    checks.check_interval(event.event_start, event.event_end, what="event", instant=True)
    times = (valid_from, valid_to, expires_at, observed_at, event_start, event_end)
    return store_events(self, [event], key=key, times=times)[0]


def _time(value: When | None, now: int) -> int | None:
    return None if value is None else parse_time(value, now=now)


def store_events(
    self: OpenStore, events: Sequence[MemoryStored], *, key: str | None = None, times: Sequence[object] = ()
) -> list[Stored]:
    """Embed, measure and append texts as one batch; what became of each, by the fold at its own event.

    `times` are those of the caller as they were given: an age such as 30d counts from the call, so a repetition with
    the same key shares the age and not the time it came to.
    """
    view = self.view()
    ids = [self.new_id() for _ in events]
    resolved = [_with_targets(self, view, event) for event in events]
    ready = _embedded(self, view.beliefs.fingerprint, resolved)

    def decide(locked: Locked) -> list[Draft]:
        _check_targets(locked, resolved)
        current = locked.beliefs.fingerprint
        # Another embedder may have been adopted while the texts were embedded; it has to cover every text.
        texts = ready if current == view.beliefs.fingerprint else _embedded(self, current, resolved)
        return _drafts(locked, texts, ids)

    asked = [msgspec.structs.replace(event, key=None, **(dict.fromkeys(TIMES) if times else {})) for event in resolved]
    appended = append_decided(self, decide, verb="store", asked=(asked, times), key=key)
    if appended.repeated:
        ids = [found for seq in range(appended.first, appended.last + 1) if (found := self.event(seq).id)]
    return [_stored(self.view(), text_id, repeated=appended.repeated) for text_id in ids]


def _embedded(self: OpenStore, fingerprint: str | None, events: Sequence[MemoryStored]) -> list[MemoryStored]:
    vectors = self.embed(fingerprint, [indexed_text(event) for event in events])
    return [msgspec.structs.replace(event, vectors=found) for event, found in zip(events, vectors, strict=True)]


def _with_targets(self: OpenStore, view: View, event: MemoryStored) -> MemoryStored:
    """The event with full ids in its relations."""
    texts = view.beliefs.texts
    relations = tuple(
        msgspec.structs.replace(relation, target=texts.id_of(self.find(view, relation.target)))
        for relation in event.relations
    )
    derived = tuple(texts.id_of(self.find(view, memory)) for memory in event.provenance.derived_from)
    updating = any(relation.relation == "updates" for relation in relations)
    return msgspec.structs.replace(
        event,
        relations=relations,
        superseding=event.superseding or updating,
        provenance=msgspec.structs.replace(event.provenance, derived_from=derived),
    )


def _check_targets(locked: Locked, events: Sequence[MemoryStored]) -> None:
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
                refuse_dead(locked, relation.target, root)


def refuse_dead(locked: Locked, memory: str, root: int) -> None:
    """Refuse a memory that was forgotten or superseded: nothing can take its place, and it nothing's.

    Raises:
        Conflict: It was.
    """
    memories = locked.beliefs.memories
    if memories.live(root):
        return
    if memories.table["forgotten"][root]:
        raise Conflict(f"{memory} is forgotten", remedy=f"bring it back first with `helix restore {memory}`")
    newer = ", ".join(locked.beliefs.texts.id_of(new) for new in memories.superseded_by(root))
    raise Conflict(
        f"{memory} is superseded already", remedy=f"supersede what took its place ({newer}), or restore it first"
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
    declared = bool(texts.table["declared"][ordinal])
    superseded = tuple(texts.id_of(old) for old, news in memories.successors.items() if declared and ordinal in news)
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
