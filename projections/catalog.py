"""The projections of one store, brought to the head of its log together.

Order: words and vectors first, then beliefs, because a fold may have to
compute a pair of vectors beyond what evidence recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ..constants import Constants
from ..errors import Corrupted
from ..eventlog.events import ConstantsAdopted, MemoryStored, Recorded, StoreCreated
from ..eventlog.log import LogReader
from .beliefs import Beliefs
from .ledger.membership import Pair
from .nearby import Nearby
from .text.index import TextIndex
from .vector.index import VectorIndex

BATCH = 2_000
Progress = Callable[[int, int], None]
"""(events done, events in all)."""


class Catalog:
    """Words, vectors and beliefs of a store at its head."""

    def __init__(self, root: Path, log: LogReader) -> None:
        self.root = root
        self._log = log
        self.text = TextIndex.open(root)
        self._vectors: dict[str, VectorIndex] = {}
        self.constants = Constants()
        self._adopted_at = 0
        self.beliefs = Beliefs(self.constants, self._pairs)
        self._bodies: dict[int, MemoryStored] = {}

    @property
    def vectors(self) -> VectorIndex | None:
        """The index of the embedder in use, or None."""
        fingerprint = self.beliefs.fingerprint
        return None if fingerprint is None else self.vectors_of(fingerprint)

    def vectors_of(self, fingerprint: str) -> VectorIndex:
        """The index of one embedder, as far as the beliefs have come."""
        index = self._vectors.get(fingerprint)
        if index is None:
            index = self._vectors[fingerprint] = VectorIndex.open(self.root, fingerprint)
            for batch in batches(self._log.read(index.seq + 1, self.beliefs.seq or None)):
                index.apply(batch)
        return index

    def sync(self, reader: LogReader | None = None, progress: Progress | None = None) -> None:
        """Apply what the log has beyond the projections."""
        reader = reader or self._log
        head = reader.head.seq
        if self.beliefs.seq == head and self.text.seq == head:
            return
        start = min([self.beliefs.seq, self.text.seq, *(index.seq for index in self._vectors.values())])
        for batch in batches(reader.read(start + 1, head)):
            self._apply(batch)
            if progress is not None:
                progress(batch[-1].seq, head)

    def _apply(self, batch: Sequence[Recorded]) -> None:
        self.text.apply(batch)
        for index in self._vectors.values():
            index.apply(batch)
        self._remember(batch)
        adopted = constants_in(batch)
        if adopted is not None:
            self._adopted_at, constants = adopted
            if constants != self.constants:
                self.constants = constants
                self.beliefs = self.fold(batch[0].seq - 1, constants)
        self.beliefs.apply(batch)

    def _remember(self, batch: Sequence[Recorded]) -> None:
        """Keep the texts of a batch at hand: under a write lock they cannot be read from the log yet."""
        for recorded in batch[-BODIES:]:
            if isinstance(recorded.event, MemoryStored):
                self._bodies[recorded.seq] = recorded.event
        while len(self._bodies) > BODIES:
            self._bodies.pop(next(iter(self._bodies)))

    def constants_at(self, seq: int) -> Constants:
        """The constants in force at `seq`: the last that were adopted at or before it."""
        return self.constants if seq >= self._adopted_at else self._constants_before(seq)

    def _constants_before(self, seq: int) -> Constants:
        found = Constants()
        for batch in batches(self._log.read(1, seq)):
            adopted = constants_in(batch)
            found = found if adopted is None else adopted[1]
        return found

    def fold(self, seq: int, constants: Constants) -> Beliefs:
        """The beliefs at `seq` under `constants`, folded from the first event."""
        beliefs = Beliefs(constants, self._pairs)
        if seq:
            for batch in batches(self._log.read(1, seq)):
                beliefs.apply(batch)
        return beliefs

    def body(self, ordinal: int) -> MemoryStored:
        """The event of a text.

        Raises:
            Corrupted: The event is not what the projections were made from.
        """
        seq = int(self.beliefs.texts.table["seq"][ordinal])
        event = self._bodies.get(seq)
        if event is None:
            recorded = self._log.get(seq)
            if not isinstance(recorded.event, MemoryStored):
                raise Corrupted(f"event @{seq} is no stored text", remedy="run `helix rebuild`")
            self._remember((recorded,))
            event = recorded.event
        return event

    def _pairs(self, ordinal: int, floor: float) -> list[Pair]:
        beliefs = self.beliefs
        fingerprint = beliefs.texts.label("fingerprint", ordinal)
        if fingerprint is None:
            return []
        return self.nearby(fingerprint).complete(ordinal, floor)

    def nearby(self, fingerprint: str) -> Nearby:
        """Pairs among the texts of one embedder."""
        return Nearby(self.beliefs.texts, self.vectors_of(fingerprint), self.body)


BODIES = 4_096
"""Texts kept decoded."""


def batches(events: Iterator[Recorded]) -> Iterator[list[Recorded]]:
    """Events in lists of at most `BATCH`."""
    while batch := list(islice(events, BATCH)):
        yield batch


def constants_in(batch: Sequence[Recorded]) -> tuple[int, Constants] | None:
    """The constants last put in force within a batch and the event that did, or None."""
    for recorded in reversed(batch):
        if isinstance(recorded.event, StoreCreated | ConstantsAdopted):
            return recorded.seq, Constants.from_dict(recorded.event.constants)
    return None
