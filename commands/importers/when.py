"""Times as sources write them: ISO 8601, UTC where no zone is given, and anything else is no time."""

from __future__ import annotations

import re

from ...errors import InvalidInput
from .. import times

_DATE = re.compile(r"\d{4}([-_])\d{2}\1\d{2}(?![0-9])")
_AGE_UNITS = "smhdwy"


def parse_time(raw: str, *, edge: times.Edge = "start") -> int | None:
    """UTC nanoseconds; a bare date is the beginning or end of that day. None when it is no time that fits."""
    # An age ("7d") counts from a clock, and a source has none.
    if raw.strip()[-1:] in _AGE_UNITS:
        return None
    try:
        return times.parse_time(raw, now=0, edge=edge)
    except InvalidInput:
        return None


def leading_date(text: str) -> str | None:
    """The date a heading or file name begins with, as YYYY-MM-DD; `_` may stand for `-`."""
    match = _DATE.match(text.strip())
    if match is None:
        return None
    date = match.group().replace("_", "-")
    return date if parse_time(date) is not None else None
