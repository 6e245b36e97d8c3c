"""Is there something in a text that must not be shown to a model again?"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from .credentials import find_format, find_named
from .exfiltration import find_exfiltration
from .injection import find_injection
from .invisible import find_invisible
from .normal import plain
from .rule import compiled

Category = Literal["prompt_injection", "credential_generic", "credential_specific", "invisible_unicode", "exfiltration"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
"""In the order they are looked for; the first that is found is named."""

ALLOWABLE: tuple[Category, ...] = tuple(one for one in CATEGORIES if one != "credential_specific")
"""Categories a person may let pass: what has the form of a provider's credential is one."""

_SHORTEST = 7
"""No pattern matches fewer characters of ASCII."""

_PRESCRIPTIVE = r"(?i)\s*(?:when|consider|always|never)\b"
_WARNING = "be aware that"


class Finding(NamedTuple):
    """What was found: its category, and the name of the pattern. Never the text."""

    category: Category
    pattern: str


def scan(text: str, *, prescriptive: bool = False, allow: frozenset[str] = frozenset()) -> Finding | None:
    """The first thing in a text that must not be shown to a model, or None; in time linear in the text.

    Args:
        text: Any text.
        prescriptive: Hold it for one that prescribes something, however it begins; see `is_prescriptive`.
        allow: Categories that are not looked for; those beyond `ALLOWABLE` are always looked for.
    """
    if len(text) < _SHORTEST and text.isascii():
        return None
    read = plain(text)
    lowered = read.lower()
    if "prompt_injection" not in allow and (name := find_injection(lowered)):
        return Finding("prompt_injection", name)
    if "credential_generic" not in allow and (
        name := find_named(lowered, prescriptive=prescriptive or is_prescriptive(lowered))
    ):
        return Finding("credential_generic", name)
    if name := find_format(read):
        return Finding("credential_specific", name)
    if "invisible_unicode" not in allow and (name := find_invisible(text)):
        return Finding("invisible_unicode", name)
    if "exfiltration" not in allow and (name := find_exfiltration(read)):
        return Finding("exfiltration", name)
    return None


def is_prescriptive(text: str) -> bool:
    """Whether a text prescribes something: begins with When, Consider, Always or Never, or says "be aware that"."""
    return compiled(_PRESCRIPTIVE).match(text) is not None or _WARNING in text.lower()


def length_band(length: int) -> str:
    """How long a text is, in characters, told by the power of ten above it: `<1000`."""
    return f"<{10 ** len(str(length))}"
