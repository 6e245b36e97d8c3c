"""When a memory was believed: from its states in time to the intervals in which it was live."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..projections.beliefs import Beliefs
from ..projections.columns import NONE
from ..recall.visibility import state

LIVE = "live"


class Beat(NamedTuple):
    """From `time` on (UTC ns) the memory's state is this; `seq` is the event that made it so, None where time did."""

    time: int
    state: str
    seq: int | None


class Interval(NamedTuple):
    """The memory was live from `start` up to `end` (UTC ns; None while it is), which ended with `state` by event `seq`.

    `began` is the event that made it live, None where time did. `seq` is None where time ended it.
    """

    start: int
    began: int | None
    end: int | None
    seq: int | None
    state: str | None


def turns(beliefs: Beliefs, root: int, after: int, until: int) -> list[Beat]:
    """What time alone does to a memory between two moments: it begins to hold, ends, or expires.

    Moments at which the state stays what it was are left out. `after` is excluded, `until` is included.
    """
    texts, memories = beliefs.texts.table, beliefs.memories.table
    named = (texts["valid_from"][root], texts["valid_to"][root], memories["expires_at"][root])
    moments = sorted({int(moment) for moment in named if moment != NONE and after < moment <= until})
    found: list[Beat] = []
    last = state(beliefs, root, after)
    for moment in moments:
        now = state(beliefs, root, moment)
        if now != last:
            found.append(Beat(moment, now, None))
            last = now
    return found


def intervals(beats: Iterable[Beat]) -> tuple[Interval, ...]:
    """The intervals in which a memory was live, in order; beats in order of time."""
    found: list[Interval] = []
    since: Beat | None = None
    for beat in beats:
        if beat.state == LIVE:
            since = since or beat
        elif since is not None:
            found.append(Interval(since.time, since.seq, beat.time, beat.seq, beat.state))
            since = None
    if since is not None:
        found.append(Interval(since.time, since.seq, None, None, None))
    return tuple(found)
