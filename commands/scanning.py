"""Finding events in the log by what they name, without decoding the others.

Ids and type tags stand in a record's bytes as they are, so that a record
without them can be passed over unread; 100,000 records take about .2 s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..eventlog import codec, record
from ..eventlog.events import Recorded
from ..eventlog.lmdb_log import LmdbLog


def naming(
    log: LmdbLog, words: Collection[str], stop: int, *, types: Collection[str] = (), start: int = 1
) -> Iterator[Recorded]:
    """Events from `start` to `stop` whose record holds one of the words (ASCII), or that are of one of the types.

    A superset of the events that name the words: a text may hold them too.

    Raises:
        Corrupted: A record cannot be read.
    """
    wanted = [word.encode() for word in words]
    for raw in log.raw(start, stop):
        if any(word in raw for word in wanted) or (types and record.read(raw).header.type in types):
            yield codec.decode(raw)


def backwards(log: LmdbLog, first: int, last: int, *, words: Collection[str] = ()) -> Iterator[Recorded]:
    """Events from `last` down to `first`; with `words` only those whose record holds one of them."""
    wanted = [word.encode() for word in words]
    while first <= last:
        start = max(first, last - _RUN + 1)
        for raw in reversed(list(log.raw(start, last))):
            if not wanted or any(word in raw for word in wanted):
                yield codec.decode(raw)
        last = start - 1


_RUN = 512


def tag_of(recorded: Recorded) -> str:
    """The event's type as its header says it, also where the payload is destroyed or not understood."""
    kind: str | None = getattr(recorded.event, "kind", None)
    tag = str(recorded.event.__struct_config__.tag)
    return kind if tag in ("erased", "unknown") and kind is not None else tag
