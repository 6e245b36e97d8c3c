"""Characters that a person does not see: zero-width, bidirectional, tag and filler characters.

Some of them are part of honest writing and pass where they belong: joiners
between emoji and inside the scripts that are written with them, variation
selectors after what has variants, the tags of a flag, marks of direction beside
letters that run from right to left. Anywhere else they hide something.
"""

from __future__ import annotations

import unicodedata

from .rule import compiled

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_MARKS = "\u200e\u200f\u061c"
_OTHERS = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a"
)
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"

HIDDEN = f"[{_ZWNJ}{_ZWJ}{_MARKS}{_OTHERS}{_VARIANTS}{_TAGS}]"
"""Every character that is or may be hidden."""

_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" + _MARKS)
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
"""Letters and signs of the scripts that are written with joiners: Arabic and Syriac, those of India, and others."""
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_EMOJI = "[\u00a9\u00ae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_KEYCAP = frozenset("0123456789#*")


def find_invisible(text: str) -> str | None:
    """What comes first where it does not belong, "bidirectional" or "invisible"; None if nothing does."""
    if text.isascii():
        return None
    if compiled(HIDDEN).search(text) is None:
        return None
    if "\U0001f3f4" in text:
        text = compiled(_FLAG).sub("\U0001f3f4", text)
    directed = compiled(_RIGHT_TO_LEFT).search(text) is not None
    for found in compiled(HIDDEN).finditer(text):
        sign, at = found[0], found.start()
        if not _belongs(text, sign, at, directed=directed):
            return "bidirectional" if sign in _BIDI else "invisible"
    return None


def _belongs(text: str, sign: str, at: int, *, directed: bool) -> bool:
    """Whether a character that may be hidden is where honest writing has it."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if sign in (_ZWJ, _ZWNJ):
        if compiled(_JOINING).match(before):
            return True
        return sign == _ZWJ and _is_emoji(text, at - 1) and compiled(_EMOJI).match(after) is not None
    if sign in _MARKS:
        return directed
    if "\ufe00" <= sign <= "\ufe0f":
        return _has_variants(before)
    return "\U000e0100" <= sign <= "\U000e01ef" and _is_ideograph(before)


def _is_emoji(text: str, at: int) -> bool:
    """Whether an emoji ends at this place, also one with a variation selector or a skin tone."""
    if at >= 1 and text[at] == "\ufe0f":
        at -= 1
    return at >= 0 and compiled(_EMOJI).match(text[at]) is not None


def _has_variants(before: str) -> bool:
    return before in _KEYCAP or (bool(before) and (compiled(_EMOJI).match(before) is not None or _is_ideograph(before)))


def _is_ideograph(before: str) -> bool:
    return bool(before) and unicodedata.name(before, "").startswith(("CJK", "MONGOLIAN", "MYANMAR", "PHAGS-PA"))
