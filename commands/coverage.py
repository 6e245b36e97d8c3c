"""Which texts have vectors of an embedder: what a change of embedder still has to do."""

from __future__ import annotations

from ..eventlog.events import MemoriesReembedded, MemoryStored, Recorded
from ..eventlog.log import LogReader


class Coverage:
    """Which texts of a log prefix have vectors of one embedder.

    Attributes:
        wanting: Sequence numbers of the texts that have none, in order.
        kept: How many have.
    """

    def __init__(self, fingerprint: str | None) -> None:
        self.fingerprint = fingerprint
        self.wanting: dict[int, None] = {}
        self.kept = 0
        self.seq = 0

    def copy(self) -> Coverage:
        """One that goes on from here, apart from this."""
        other = Coverage(self.fingerprint)
        other.wanting, other.kept, other.seq = dict(self.wanting), self.kept, self.seq
        return other

    def extend(self, reader: LogReader, stop: int | None = None) -> Coverage:
        """Take in what the log has beyond, up to event `stop` if given; returns itself."""
        for recorded in reader.read(self.seq + 1, stop):
            self._take(recorded)
            self.seq = recorded.seq
        return self

    def _take(self, recorded: Recorded) -> None:
        event = recorded.event
        if self.fingerprint is None:
            return
        if isinstance(event, MemoryStored):
            if event.vectors is not None and event.vectors.fingerprint == self.fingerprint:
                self.kept += 1
            else:
                self.wanting[recorded.seq] = None
        elif isinstance(event, MemoriesReembedded) and event.fingerprint == self.fingerprint:
            for seq in event.texts:
                if seq in self.wanting:
                    del self.wanting[seq]
                    self.kept += 1
