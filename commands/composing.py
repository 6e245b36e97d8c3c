"""What a caller says of a text, checked and made an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, get_args

import msgspec

from ..eventlog.events import MemoryStored, Origin, Prior, Provenance, Relation, Scope, Term
from . import checks
from .sources import provenance_of
from .times import When, parse_expiry, parse_time

if TYPE_CHECKING:
    from .opened import OpenStore

ORIGINS: tuple[Origin, ...] = get_args(Origin)
HOLDERS = ("user", "project", "session", "agent", "container")
SOURCE = ("file", "lines", "uri", "quote", "confidence", "derived_from")
NAMING = ("relations", "derived_from")
"""What names other texts."""
TIMES = ("valid_from", "valid_to", "observed_at", "event_start", "event_end")


class TextOptions(TypedDict, total=False):
    """What may be said of the new text; see `store`."""

    title: str | None
    kind: str
    tags: Sequence[str]
    entities: Iterable[Term | str]
    categories: Iterable[Term | str]
    metadata: Mapping[str, object] | None
    source: str | Provenance
    file: str | None
    lines: str | None
    uri: str | None
    quote: str | None
    confidence: float | None
    derived_from: Sequence[str]
    project: str | None
    session: str | None
    agent: str | None
    container: str | None
    shared: bool
    grants: Sequence[str]
    valid_from: When | None
    valid_to: When | None
    expires_at: When | None
    observed_at: When | None
    event_start: When | None
    event_end: When | None
    temporal_text: str | None
    timezone: str | None
    origin: Origin
    salience: float | None
    language: str | None


class StoreOptions(TextOptions, total=False):
    """What may be said of a text that is stored on its own; see `store`."""

    user: str | None
    relations: Sequence[tuple[str, str] | Relation]
    prior: Prior | None


class Composed(NamedTuple):
    """The event, and what the caller said of it by the caller's names, as a repetition with the same key repeats it.

    The latter holds neither who wrote it nor what was only found out: an age such as 30d stands there and not the time
    it came to, and of a file its name. Ids are not in it, since they may be given by their beginnings.
    """

    event: MemoryStored
    said: dict[str, object]


def compose(self: OpenStore, text: str, key: str | None, options: StoreOptions) -> Composed:
    """The event of a text; ids in it are as they were given.

    Raises:
        InvalidInput: A value cannot be stored.
        NotFound: The file that it names is not there.
    """
    given: dict[str, Any] = dict(options)
    plain = {"text": checks.check_text(text), **_plain(given)}
    scope = _scope(given)
    provenance = provenance_of(
        given.get("source", "user"), **{name: given[name] for name in SOURCE if given.get(name) is not None}
    )
    fields: dict[str, Any] = {**self.stamp(key), **plain, **_times(given, self.now())}
    event = MemoryStored(**fields, scope=scope, provenance=provenance)
    checks.check_interval(event.valid_from, event.valid_to, what="validity")
    checks.check_interval(event.event_start, event.event_end, what="event", instant=True)
    known = {**msgspec.structs.asdict(scope), "shared": given.get("shared", False), **plain}
    return Composed(event, {name: known.get(name, value) for name, value in given.items() if name not in NAMING})


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are recorded as they were said."""
    salience = given.get("salience")
    return {
        "kind": checks.check_name(given.get("kind", "fact"), what="kind"),
        "origin": checks.check_choice(given.get("origin", "normal"), ORIGINS, what="origin"),
        "prior": checks.check_prior(given.get("prior")),
        "tags": checks.check_names(given.get("tags", ()), what="tag"),
        "entities": checks.terms(given.get("entities", ()), what="entity"),
        "categories": checks.terms(given.get("categories", ()), what="category"),
        "relations": checks.check_relations(given.get("relations", ())),
        "metadata": checks.check_metadata(given.get("metadata") or {}),
        "salience": None if salience is None else checks.check_share(salience, what="salience"),
        **{
            name: checks.check_optional(given.get(name), what=name.replace("_", " "))
            for name in ("title", "language", "temporal_text", "timezone")
        },
    }


def _scope(given: Mapping[str, Any]) -> Scope:
    names: dict[str, Any] = {name: checks.check_optional(given.get(name), what=name) for name in HOLDERS}
    shared = checks.check_flag(given.get("shared", False), what="shared")
    grants = checks.check_names(given.get("grants", ()), what="grant")
    return Scope(**names, visibility="shared" if shared else "private", grants=grants)


def _times(given: Mapping[str, Any], now: int) -> dict[str, int | None]:
    def time(value: When | None) -> int | None:
        return None if value is None else parse_time(value, now=now)

    expiry = given.get("expires_at")
    found = {name: time(given.get(name)) for name in TIMES}
    return {**found, "expires_at": None if expiry is None else parse_expiry(expiry, now=now)}
