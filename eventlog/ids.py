"""Ids of memories, recalls and stores: ULIDs in lower case.

A ULID is 48 bits of milliseconds and 80 bits of chance, written as 26 letters
of Crockford's base 32 (no i, l, o, u). Ids of later times sort later; ids of
one millisecond sort by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import InvalidInput

ID_LENGTH = 26
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ULID = re.compile(f"[0-7][{_ALPHABET}]{{25}}")
_OWN_ID = re.compile("[0-9a-z][0-9a-z_-]{0,63}")


def new_id(clock_ns: int, entropy: Callable[[int], bytes]) -> str:
    """A new id of the time `clock_ns` (UTC nanoseconds); `entropy(n)` gives n random bytes.

    Raises:
        InvalidInput: The time is before 1970 or after the year 10889.
    """
    milliseconds = clock_ns // 1_000_000
    if not 0 <= milliseconds < 1 << 48:
        raise InvalidInput(f"the time {clock_ns} ns does not fit an id", remedy="give a time between 1970 and 10889")
    value = milliseconds << 80 | int.from_bytes(entropy(10), "big")
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def is_id(text: str) -> bool:
    """Whether `text` is an id as `new_id` writes them."""
    return _ULID.fullmatch(text) is not None


def is_own_id(text: str) -> bool:
    """Whether an event may carry `text` as its own id: 1 to 64 of 0-9, a-z, `_` and `-`, so UUIDs too."""
    return _OWN_ID.fullmatch(text) is not None
