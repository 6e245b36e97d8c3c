"""Times as people write them, and back.

Inside, a time is an int64 count of UTC nanoseconds. Outside it is ISO 8601. A
time without a zone is UTC, whatever the machine's zone is. A bare date means
its end where a point in the past is asked for, and its beginning elsewhere.
"""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from ..constants import DAY
from ..errors import InvalidInput

SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(?<=:\d\d)[.,](\d+)")
_AGO = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*(s|m|h|d|w|y)")
_UNITS = {"s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}
_TO_SECONDS = len("2026-03-01T10:00:00")
_FIRST, _LAST = -9_214_560_000_000_000_000, 9_214_646_400_000_000_000
"""The beginnings of 1678 and of 2262: what fits an int64 of nanoseconds."""
FORMS = "write 2026-03-01, 2026-03-01T10:00, 2026-03-01T10:00:00+09:00, or an age such as 7d"

Edge = Literal["start", "end"]
When = int | str | datetime | date


def parse_time(value: When, *, now: int, edge: Edge = "start") -> int:
    """UTC nanoseconds of a time.

    Args:
        value: An int of nanoseconds, a datetime or date, ISO 8601 text, or an age ("7d", "36h") before `now`.
        now: The clock that ages count from.
        edge: Which end of the day a bare date means.

    Raises:
        InvalidInput: The text is no time, or lies outside the years that fit.
    """
    if isinstance(value, bool):
        raise InvalidInput(f"{value!r} is no time", remedy=FORMS)
    if isinstance(value, int):
        return _within(value)
    if isinstance(value, datetime):
        return _nanoseconds(value)
    if isinstance(value, date):
        return _day(value, edge)
    if not isinstance(value, str):
        raise InvalidInput(f"{value!r} is no time", remedy=FORMS)
    return _parse_text(value.strip(), now, edge)


def parse_expiry(value: When, *, now: int) -> int:
    """UTC nanoseconds of a time to come: as `parse_time`, but an age such as "30d" counts forward from `now`."""
    age = _AGO.fullmatch(value.strip()) if isinstance(value, str) else None
    if age is not None:
        return _within(now + _span(age))
    return parse_time(value, now=now, edge="end")


def _span(age: re.Match[str]) -> int:
    return round(float(age[1]) * _UNITS[age[2]])


def _parse_text(text: str, now: int, edge: Edge) -> int:
    age = _AGO.fullmatch(text)
    if age is not None:
        return _within(now - _span(age))
    fraction = _FRACTION.search(text)
    digits = fraction[1] if fraction else ""
    with contextlib.suppress(ValueError):
        return _day(date.fromisoformat(text), edge)
    try:
        moment = datetime.fromisoformat(_FRACTION.sub("", text, count=1))
    except ValueError:
        raise InvalidInput(f"{text[:80]!r} is no time", remedy=FORMS) from None
    return _within(_nanoseconds(moment) + int(digits[:9].ljust(9, "0")))


def _day(day: date, edge: Edge) -> int:
    start = _nanoseconds(datetime(day.year, day.month, day.day, tzinfo=UTC))
    return start if edge == "start" else start + DAY - 1


def _nanoseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    since = aware - _EPOCH
    return _within((since.days * 86_400 + since.seconds) * SECOND + since.microseconds * 1_000)


def _within(time: int) -> int:
    if not _FIRST <= time < _LAST:
        raise InvalidInput(
            "the time is out of range", remedy="give a year from 1678 to 2261; leave an end out where there is none"
        )
    return time


def format_time(time: int) -> str:
    """ISO 8601 in UTC with as many digits as the time has, so that it parses to the same nanosecond."""
    seconds, rest = divmod(time, SECOND)
    text = (_EPOCH + timedelta(seconds=seconds)).isoformat()[:_TO_SECONDS]
    return f"{text}.{rest:09d}".rstrip("0") + "Z" if rest else f"{text}Z"


def optional_time(time: int | None) -> str | None:
    """`format_time`, or None for None."""
    return None if time is None else format_time(time)
