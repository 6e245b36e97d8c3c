"""`annotate`: change what is said about a memory, not what it says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import InvalidInput
from ..eventlog.events import Event, MemoryAnnotated, Term
from ..eventlog.log import Appended
from ..projections.columns import NONE
from ..recall.view import View
from . import checks
from .appending import Locked, after, append_decided, checked_reason, root_of, state_in, text_id
from .times import When, optional_time, parse_expiry

if TYPE_CHECKING:
    from .opened import OpenStore

CLEARED = ("expires_at", "pin", "salience")
"""Fields that `clear` empties."""


class Annotated(msgspec.Struct, frozen=True, kw_only=True):
    """What is said about a memory just after; names are as the memory carries them, `expires_at` is ISO 8601 UTC."""

    seq: int
    id: str
    state: str
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    categories: tuple[str, ...]
    expires_at: str | None
    pin: str | None
    salience: float
    protected: bool
    note: str | None
    repeated: bool = False


def annotate(
    self: OpenStore,
    memory: str,
    *,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    add_entities: Iterable[Term | str] = (),
    remove_entities: Iterable[Term | str] = (),
    add_categories: Iterable[Term | str] = (),
    remove_categories: Iterable[Term | str] = (),
    expires_at: When | None = None,
    pin: str | None = None,
    salience: float | None = None,
    clear: Sequence[str] = (),
    note: str | None = None,
    user: str | None = None,
    key: str | None = None,
) -> Annotated:
    """Add to, or take from, what is said about a memory; its text stays, for a new text use `supersede`.

    A memory in any state but erased can be annotated. Removing what it does not carry is no error.

    Args:
        self: The store.
        memory: Its id, or a unique beginning of one.
        add_tags: Tags; `user-provided` and `user-preference` protect it against merging and pruning.
        remove_tags: Tags.
        add_entities: Names it is about, `NAME` or `NAME:TYPE`.
        remove_entities: Names, matched by their normalised key.
        add_categories: Names of what it belongs to.
        remove_categories: Names, likewise.
        expires_at: When to stop recalling it; an age such as 30d counts from now.
        pin: The core block it is pinned to; a pinned memory is never pruned.
        salience: 0 to 1.
        clear: Fields to empty: expires_at, pin, salience.
        note: A remark for its history; enough on its own.
        user: Who acts; the store's owner if not given. A memory that they may not see is not found.
        key: The same key annotates once, for ever.

    Raises:
        InvalidInput, AmbiguousId: A value is malformed or contradicts another, or there is nothing to do; the log is
            unchanged, as with every error here.
        NotFound: There is no such memory, or it was erased.
        KeyConflict: The key was used for something else.
    """
    named = text_id(self, memory, user)
    entities = checks.terms(remove_entities, what="entity")
    categories = checks.terms(remove_categories, what="category")
    # Of what is taken off, only the normalised form is recorded; the gate has to see the names as they were given.
    self.refuse_unfit(
        MemoryAnnotated(memory=named, remove_entities=_names(entities), remove_categories=_names(categories))
    )
    changes: dict[str, Any] = {
        "add_tags": checks.check_names(add_tags, what="tag"),
        "remove_tags": checks.check_names(remove_tags, what="tag"),
        "add_entities": checks.terms(add_entities, what="entity"),
        "remove_entities": tuple(term.key for term in entities),
        "add_categories": checks.terms(add_categories, what="category"),
        "remove_categories": tuple(term.key for term in categories),
        "expires_at": None if expires_at is None else parse_expiry(expires_at, now=self.now()),
        "pin": None if pin is None else checks.check_name(pin, what="pin"),
        "salience": None if salience is None else checks.check_share(salience, what="salience"),
        "clear": tuple(checks.check_choice(name, CLEARED, what="field") for name in _fields(clear)),
        "note": checked_reason(note, what="note"),
    }
    if all(value is None or value == () for value in changes.values()):
        raise InvalidInput("there is nothing to do", remedy="say what to add, remove, set or clear")
    event = MemoryAnnotated(**self.stamp(key), memory=named, **changes)
    _refuse_contradiction(event)

    def decide(locked: Locked) -> list[Event]:
        locked.root(named)
        return [event]

    # An age such as 30d counts from the call: a repetition shares the age, not the time it came to.
    asked = (named, {**changes, "expires_at": expires_at})
    appended = append_decided(self, decide, verb="annotate", asked=asked, key=key)
    return _answer(after(self, appended), event, appended)


def _refuse_contradiction(event: MemoryAnnotated) -> None:
    """Refuse to add and remove, or set and clear, the same thing; raises InvalidInput."""
    pairs = {
        "tag": set(event.add_tags) & set(event.remove_tags),
        "entity": {term.key for term in event.add_entities} & set(event.remove_entities),
        "category": {term.key for term in event.add_categories} & set(event.remove_categories),
    }
    for what, both in pairs.items():
        if both:
            raise InvalidInput(f"the {what} {min(both)!r} is both added and removed", remedy="do one of them")
    for name in event.clear:
        if getattr(event, name) is not None:
            raise InvalidInput(f"{name} is both set and cleared", remedy="do one of them")


def _fields(names: Sequence[str]) -> tuple[str, ...]:
    return checks.check_names(names, what="field")


def _names(terms: Iterable[Term]) -> tuple[str, ...]:
    return tuple(term.name for term in terms)


def _answer(view: View, event: MemoryAnnotated, appended: Appended) -> Annotated:
    beliefs = view.beliefs
    root = root_of(beliefs, event.memory)
    memories = beliefs.memories
    expiry, pin = int(memories.table["expires_at"][root]), int(memories.table["pin"][root])
    return Annotated(
        seq=appended.last,
        id=beliefs.texts.id_of(root),
        state=state_in(view, root),
        tags=memories.named(root, "t"),
        entities=memories.named(root, "e"),
        categories=memories.named(root, "c"),
        expires_at=optional_time(None if expiry == NONE else expiry),
        pin=None if pin < 0 else memories.pins.names[pin],
        salience=float(memories.table["salience"][root]),
        protected=bool(memories.table["protected"][root]),
        note=event.note,
        repeated=appended.repeated,
    )
