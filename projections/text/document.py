"""What of a stored memory is indexed and embedded."""

from __future__ import annotations

from datetime import date

from ...eventlog.events import MemoryStored

_DAY = 86_400 * 10**9
_EPOCH = date(1970, 1, 1).toordinal()


def indexed_text(event: MemoryStored) -> str:
    """The fact, after its observed date (UTC) and title when the source gave them: "[2026-03-01] Title: fact"."""
    day = (
        f"[{date.fromordinal(_EPOCH + event.observed_at // _DAY).isoformat()}] "
        if event.observed_at is not None
        else ""
    )
    title = f"{event.title}: " if event.title else ""
    return f"{day}{title}{event.text}"
