"""`store`: put a text into memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..eventlog.events import Origin, Prior, Provenance, Relation, Term
from .composing import StoreOptions, compose
from .texts import Stored, store_events
from .times import When

if TYPE_CHECKING:
    from .opened import OpenStore


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
        user: Whose it is, and who stores it; the store's owner if not given.
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
        ContentRejected: A text may not be shown to a model again: an order to it, a credential, hidden characters, a
            way out for data. The message names category and field, never the text.
    """
    options = StoreOptions(
        title=title,
        kind=kind,
        tags=tags,
        entities=entities,
        categories=categories,
        metadata=metadata,
        source=source,
        file=file,
        lines=lines,
        uri=uri,
        quote=quote,
        confidence=confidence,
        derived_from=derived_from,
        user=user,
        project=project,
        session=session,
        agent=agent,
        container=container,
        shared=shared,
        grants=grants,
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=expires_at,
        observed_at=observed_at,
        event_start=event_start,
        event_end=event_end,
        temporal_text=temporal_text,
        timezone=timezone,
        relations=relations,
        origin=origin,
        prior=prior,
        salience=salience,
        language=language,
    )
    composed = compose(self, text, key, options)
    return store_events(self, [composed.event], user=user, key=key, said=(text, composed.said))[0]
