"""The gate of the log: every text that can be shown to a model again is looked at before it is embedded or written.

What is refused leaves its category and a length band behind, and nothing of
itself: not in the log, not in an error, not in a warning.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ..errors import ContentRejected, InvalidInput
from ..eventlog import events as ev
from ..security import ALLOWABLE, Finding, length_band, scan

PRESCRIBING_KINDS = frozenset({"instruction", "procedure"})
"""Kinds of memory whose text prescribes something, however it begins."""

_PRESCRIBING_FIELDS = frozenset({"constraints", "risk_areas"})
_OPENED_UP = frozenset({"provenance", "scope"})
"""Parts whose fields are named in a refusal; of others the part is."""

_NO_TEXT: tuple[object, ...] = (
    *(int, int | None, float, float | None, bool, bytes),
    *(ev.Vectors | None, ev.Evidence | None, ev.Span | None, ev.Prior | None),
)
"""Types of fields that hold no text."""
_MARKUP = " \t\r\n-*+>#.)0123456789"
_MOST_KNOWN = 4_096
_LONGEST_KNOWN = 4_096

_REMEDIES = {
    "prompt_injection": "say what the text is about instead of repeating the order",
    "credential_generic": "store where the credential is kept instead of the credential",
    "credential_specific": "store where the credential is kept instead of the credential; renew it if it has spread",
    "invisible_unicode": "remove the hidden characters",
    "exfiltration": "describe the command, call or image in words",
}


class Refusal(NamedTuple):
    """What was found, in which field, and how long the text there is in characters."""

    finding: Finding
    field: str
    length: int

    def __str__(self) -> str:
        category, pattern = self.finding
        return f"{category} ({pattern}) in the field {self.field}"

    def error(self) -> ContentRejected:
        """What the caller is told."""
        return ContentRejected(f"refused: {self}", remedy=self.remedy())

    def remedy(self) -> str:
        """What can be done about it."""
        category = self.finding.category
        remedy = _REMEDIES[category]
        if category in ALLOWABLE:
            remedy += f"; if it is harmless, a person may store it with --allow {category}"
        return remedy

    def event(self) -> ev.ContentRejected:
        """What the log is told."""
        return ev.ContentRejected(category=self.finding.category, length_band=length_band(self.length))


class Screen:
    """Looks at events and texts.

    Args:
        allow: Categories that pass.

    Raises:
        InvalidInput: One of them is none that may pass.
    """

    def __init__(self, allow: Iterable[str] = ()) -> None:
        if isinstance(allow, str):
            raise InvalidInput("allow is one string", remedy="pass a list of categories")
        self.allow = frozenset(allow)
        unknown = sorted(self.allow - set(ALLOWABLE), key=str)
        if unknown:
            raise InvalidInput(
                "allow names a category that cannot be let pass", remedy=f"use one of {', '.join(ALLOWABLE)}"
            )
        self._known: set[tuple[str, bool]] = set()

    def text(self, text: str, *, prescriptive: bool = False) -> Finding | None:
        """What is wrong with a text; one found clean a moment ago is not looked at again."""
        key = (text, prescriptive)
        if key in self._known:
            return None
        finding = scan(text, prescriptive=prescriptive, allow=self.allow)
        if finding is None and len(text) <= _LONGEST_KNOWN:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known.add(key)
        return finding

    def event(self, event: ev.Event) -> Refusal | None:
        """What is wrong with an event: with the first of its texts that is not clean."""
        prescribing = isinstance(event, ev.MemoryStored) and event.kind in PRESCRIBING_KINDS
        for field, text in texts_of(event):
            finding = self.text(text, prescriptive=field in _PRESCRIBING_FIELDS or (prescribing and field == "text"))
            if finding is not None:
                return Refusal(finding, field, len(text))
        return None

    def first(self, events: Iterable[ev.Event]) -> Refusal | None:
        """What is wrong with the first event that is not clean."""
        return next((refusal for event in events if (refusal := self.event(event)) is not None), None)

    def shown(self, text: str, instead: str) -> str:
        """A text about what was read, or what stands in its place where it would repeat what is refused."""
        return text if self.text(text) is None else instead


def texts_of(event: ev.Event) -> list[tuple[str, str]]:
    """Every text in an event with the name of its field; a quote that only repeats the text is left out."""
    found: list[tuple[str, str]] = []
    _gather(found, "", event)
    if isinstance(event, ev.MemoryStored):
        bare = event.text.strip(_MARKUP)
        return [one for one in found if one[0] != "quote" or one[1].strip(_MARKUP) != bare]
    return found


def _gather(found: list[tuple[str, str]], field: str, value: object) -> None:
    if isinstance(value, str):
        found.append((field, value))
    elif isinstance(value, msgspec.Struct):
        own = not field or field in _OPENED_UP
        for name in _names(type(value)):
            inner = getattr(value, name)
            if inner:
                _gather(found, name if own else field, inner)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            _gather(found, field, name)
            _gather(found, field, inner)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for inner in value:
            _gather(found, field, inner)


@functools.cache
def _names(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a kind of struct that may hold a text."""
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.type not in _NO_TEXT)
