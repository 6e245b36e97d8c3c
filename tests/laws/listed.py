"""A log that is a list of events, and stores over it: the past as it would have been recorded."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
from helixlog.commands.opened import OpenStore
from helixlog.eventlog.events import Recorded
from helixlog.eventlog.log import FIRST_GENERATION, Head
from helixlog.projections.catalog import Catalog

NOWHERE = Path("/nonexistent/projections")


class ListLog:
    """`LogReader` over events as they are, holes and unknown ones included; its chain covers what they say."""

    def __init__(self, events: Sequence[Recorded]) -> None:
        self.writable = False
        self._events = list(events)
        self._chain = [bytes(32)]
        for recorded in self._events:
            said = msgspec.msgpack.encode(recorded)
            self._chain.append(blake2b(self._chain[-1] + said, digest_size=32).digest())

    @property
    def generation(self) -> str:
        return FIRST_GENERATION

    @property
    def head(self) -> Head:
        last = self._events[-1].recorded_at if self._events else 0
        return Head(len(self._events), last, self._chain[-1])

    def read(self, start: int = 1, stop: int | None = None, *, checked: bool = True) -> Iterator[Recorded]:  # noqa: ARG002
        assert start >= 1
        return iter(self._events[start - 1 : stop])

    def get(self, seq: int) -> Recorded:
        assert 1 <= seq <= len(self._events)
        return self._events[seq - 1]

    def get_many(self, seqs: Sequence[int]) -> list[Recorded]:
        return [self.get(seq) for seq in seqs]

    def resolve(self, prefix: str, limit: int = 2) -> list[tuple[str, int]]:
        found = sorted((r.id, r.seq) for r in self._events if r.id is not None and r.id.startswith(prefix.lower()))
        return found[:limit]

    def chain_at(self, seq: int) -> bytes:
        return self._chain[seq]

    def seq_at(self, time: int) -> int:
        return bisect.bisect_right([recorded.recorded_at for recorded in self._events], time)

    def extend(self, events: Sequence[Recorded]) -> None:
        """The events that come next."""
        self.__init__([*self._events, *events])

    def close(self) -> None:
        """Do nothing."""


def catalog(events: Sequence[Recorded], root: Path = NOWHERE) -> Catalog:
    """Projections of the events, at their head."""
    made = Catalog(root, ListLog(events))
    made.sync()
    return made


def opened(events: Sequence[Recorded], clock: int, embedder: object = None) -> OpenStore:
    """A store of exactly these events, at this clock; its projections are in memory."""
    return OpenStore(NOWHERE.parent, ListLog(events), clock=lambda: clock, embedder=embedder)
