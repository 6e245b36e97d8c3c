"""The projections of one store, brought to the head of its log together.

Order: words and vectors first, then beliefs, because a fold may have to
compute a pair of vectors beyond what evidence recorded.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ..constants import Constants
from ..errors import Corrupted, NotFound
from ..eventlog.events import ConstantsAdopted, ErasedEvent, FeedbackGiven, MemoryStored, Recorded, StoreCreated
from ..eventlog.log import FIRST_GENERATION, LogReader
from . import epochs
from .beliefs import Beliefs
from .digests import digests, fingerprints
from .effectiveness.exposures import Context
from .generations import Generations
from .ledger.guards import guard, mark
from .ledger.membership import NO_PAIRS, Pairs
from .nearby import Nearby
from .relearning import Relearned, adopted
from .saved import SavedBeliefs
from .text.index import TextIndex
from .vector.index import VectorIndex
from .vector.strategy import GRAPH_FROM

BATCH = 2_000
_NOWHERE = ".none"
Progress = Callable[[int, int], None]
"""(events done, events in all)."""


class Catalog:
    """Words, vectors and beliefs of a store at its head."""

    def __init__(self, root: Path, log: LogReader) -> None:
        self.root = root
        self._log = log
        self._open()

    def _open(self) -> None:
        """Take what was published, as far as it is of this log and of the constants in force."""
        self._reader = self._log
        self.epoch = self._log.generation if self._log.head.seq else FIRST_GENERATION
        """The log's generation that everything here was read from; in another one it is void."""
        # What was published before an erasure is not looked at, even where it cannot be deleted just now.
        ours = epochs.tidy(self.root, self.epoch, self.current)
        self._place = self.root if ours else self.root / _NOWHERE
        self._saved = SavedBeliefs(self._place, self._chain_at)
        self._foreign = False
        """Whether the words on disk are of another log; they are deleted once there are others to publish."""
        self._at_hand: Sequence[Recorded] = ()
        self._vectors: dict[str, VectorIndex] = {}
        self._settled: VectorIndex | None = None
        self._bodies: dict[int, MemoryStored] = {}
        self.text = TextIndex.open(self._place)
        if self._chain_at(self.text.checkpoint.seq) != self.text.checkpoint.chain:
            self.text, self._foreign = self._new_text(), True
        loaded = self._saved.load(self, self.contexts)
        self.beliefs = Beliefs(Constants(), self, contexts=self.contexts) if loaded is None else loaded
        self.published = self.beliefs.seq
        self.head_time = 0

    def _new_text(self) -> TextIndex:
        """An empty text index, which does not look at what is published."""
        return TextIndex(Generations(self._place, TextIndex.name, TextIndex.version))

    def current(self) -> bool:
        """Whether the log still is what this was made of: an erasure rewrites it, and all of this is void."""
        return self._log.head.seq >= 0 and self._log.generation == self.epoch

    def reaches(self, seq: int) -> bool:
        """Whether everything up to an event is here."""
        return min(self.beliefs.seq, self.text.seq) >= seq

    def is_as_of(self, head: int) -> bool:
        """Whether nothing is left to do to be as of the log's head, which was just read."""
        done = self.beliefs.seq == head == self.text.seq and self.head_time > 0
        return done and self._log.generation == self.epoch

    @contextlib.contextmanager
    def publishing(self) -> Iterator[bool]:
        """The right to publish what is here, for the length of the block; False during an erasure and after it."""
        if self._place != self.root:
            yield False
            return
        with epochs.publishing(self.root, self.current) as granted:
            if granted:
                epochs.mark(self.root, self.epoch)
            yield granted

    def _chain_at(self, seq: int) -> bytes | None:
        return self._log.chain_at(seq) if seq <= self._log.head.seq else None

    @property
    def vectors(self) -> VectorIndex | None:
        """The index of the embedder in use, or None."""
        fingerprint = self.beliefs.fingerprint
        return None if fingerprint is None else self.vectors_of(fingerprint)

    def vectors_of(self, fingerprint: str) -> VectorIndex:
        """The index of one embedder, as far as the beliefs have come; within a batch, to the end of it."""
        index = self._vectors.get(fingerprint)
        if index is None:
            index = VectorIndex.open(self._place, fingerprint)
            if self._chain_at(index.checkpoint.seq) != index.checkpoint.chain:
                index.clear()
            stop = self._at_hand[0].seq - 1 if self._at_hand else self.beliefs.seq
            for batch in batches(self._events(index.seq + 1, stop)):
                index.apply(batch)
            index.apply(self._at_hand)
            self._vectors[fingerprint] = index
        return index

    def _events(self, start: int, stop: int) -> Iterator[Recorded]:
        """Events of the log; those beyond its head are only in the transaction that `sync` was called in."""
        if start > stop:
            return iter(())
        return (self._log if stop <= self._log.head.seq else self._reader).read(start, stop)

    def sync(
        self, reader: LogReader | None = None, progress: Progress | None = None, *, up_to: int | None = None
    ) -> None:
        """Apply what the log has beyond the projections, up to its head or the event `up_to`."""
        self._reader = reader = reader or self._log
        head = reader.head.seq if up_to is None else up_to
        if self.beliefs.seq == head and self.text.seq == head:
            if not self.head_time and head:
                self.head_time = reader.get(head).recorded_at
            return
        start = min([self.beliefs.seq, self.text.seq, *(index.seq for index in self._vectors.values())])
        try:
            for batch in batches(reader.read(start + 1, head)):
                self._apply(batch)
                self.head_time = batch[-1].recorded_at
                if progress is not None:
                    progress(batch[-1].seq, head)
        except BaseException:
            self._open()  # A batch that was broken off has left rows behind, which would be added once more.
            raise

    def _apply(self, batch: Sequence[Recorded]) -> None:
        self.text.apply(batch)
        for index in self._vectors.values():
            index.apply(batch)
        self._remember(batch)
        self._at_hand = batch
        try:
            news = [recorded for recorded in batch if recorded.seq > self.beliefs.seq]
            constants = constants_in(news)
            if constants is not None and constants != self.beliefs.constants:
                self._put_in_force(constants, news[0].seq - 1)
            self.beliefs.apply(news)
        finally:
            self._at_hand = ()

    def _put_in_force(self, constants: Constants, seq: int) -> None:
        """Have the beliefs, which have come to `seq`, under other constants."""
        beliefs = self.beliefs
        if constants.places_as(beliefs.constants) and not beliefs.start:
            self.beliefs = adopted(beliefs, constants)
        else:
            self.beliefs = self.fold(seq, constants, replacing=True)

    def _remember(self, batch: Sequence[Recorded]) -> None:
        """Keep the texts of a batch at hand: under a write lock they cannot be read from the log yet."""
        for recorded in batch[-BODIES:]:
            if isinstance(recorded.event, MemoryStored):
                self._bodies[recorded.seq] = recorded.event
        if len(self._bodies) > BODIES:
            # A quarter at once: to find the oldest takes the longer the more before it are gone.
            for seq in list(self._bodies)[: -BODIES * 3 // 4]:
                del self._bodies[seq]

    def constants_at(self, seq: int) -> Constants:
        """The constants in force at `seq`: the last that were adopted at or before it."""
        adoptions = [adopted for adopted in self.beliefs.adoptions if adopted <= seq]
        if len(adoptions) == len(self.beliefs.adoptions):
            return self.beliefs.constants
        return (constants_in([self._log.get(adoptions[-1])]) if adoptions else None) or Constants()

    def believed(self, seq: int, constants: Constants) -> Beliefs:
        """The beliefs at `seq` under `constants`, to be read only.

        Today's with what came later undone; learned anew where that is all that the constants change; else a fold.
        """
        at = self.under(constants) if seq <= self.beliefs.seq else None
        return self.fold(seq, constants) if at is None else at(seq)

    def under(self, constants: Constants) -> Callable[[int], Beliefs] | None:
        """What gives the beliefs under `constants` at any event so far without a fold; None where it takes one."""
        if not constants.places_as(self.beliefs.constants):
            return None
        if self.beliefs.start:
            # What was noted of the past was lost. Made anew once, it is published with the rest.
            self.beliefs = self.fold(self.beliefs.seq, self.beliefs.constants, replacing=True)
        beliefs = self.beliefs
        return beliefs.as_of if constants == beliefs.constants else Relearned(beliefs, constants).at

    def fold(self, seq: int, constants: Constants, *, replacing: bool = False) -> Beliefs:
        """The beliefs at `seq` under `constants`, folded from the first event.

        `replacing`: they take the place of those at hand, at the same event, and can be added to.
        """
        known = self.beliefs.texts if replacing else self.beliefs.texts.as_of(seq)
        beliefs = Beliefs(constants, self, texts=known if seq <= self.beliefs.seq else None, contexts=self.contexts)
        for batch in batches(self._events(1, seq)):
            beliefs.apply(batch)
        return beliefs

    def body(self, ordinal: int) -> MemoryStored:
        """The event of a text.

        Raises:
            NotFound: It was erased.
            Corrupted: The event is not what the projections were made from.
        """
        return self.bodies((ordinal,))[0]

    def bodies(self, ordinals: Sequence[int]) -> list[MemoryStored]:
        """The events of some texts; those that are not at hand are read in one go. Raises as `body` does."""
        seqs: list[int] = self.beliefs.texts.table["seq"][list(ordinals)].tolist()
        found = {seq: self._bodies.get(seq) for seq in seqs}
        missing = [seq for seq, event in found.items() if event is None]
        if missing:
            read = self._log.get_many(missing)
            found.update((recorded.seq, _text_of(recorded)) for recorded in read)
            self._remember(read[-BODIES:])
        return [event for seq in seqs if (event := found[seq]) is not None]

    def complete(self, ordinal: int, floor: float) -> tuple[Pairs, int]:
        """See `membership.Measurer`."""
        beliefs = self.beliefs
        fingerprint = beliefs.texts.label("fingerprint", ordinal)
        if fingerprint is None:
            return NO_PAIRS, 0
        return self.nearby(fingerprint).complete(ordinal, floor)

    def settle_in(self) -> None:
        """Load, once, what only pays in a process that asks often of a store so large that its graph is asked."""
        index = self.vectors
        if index is not None and index is not self._settled and index.rows >= GRAPH_FROM and not index.graph_rows:
            self._settled = index
            index.load_graph()

    @property
    def tail(self) -> int:
        """Events that no generation covers yet."""
        return self.beliefs.seq - self.published

    def publish(self, *, lasting: bool = False) -> bool:
        """Write generations of everything at the head; False when another process is at it.

        `lasting`: there is time for the keyword accelerator as well, where the store is large enough to gain by it.
        """
        with self.publishing() as granted:
            return granted and self._publish(lasting=lasting)

    def _publish(self, *, lasting: bool) -> bool:
        chain = self._log.chain_at(self.beliefs.seq)
        if self._foreign:
            shutil.rmtree(self.root / f"{TextIndex.name}-v{TextIndex.version}", ignore_errors=True)
            self._foreign = False
        large = self.text.texts >= self.text.accelerated_from.documents
        done = self.text.publish(chain, accelerate=lasting and large)
        for index in self._vectors.values():
            done &= index.publish(chain)
        done &= self._saved.save(self.beliefs, chain)
        if done:
            self.published = self.beliefs.seq
        return done

    def digests(self) -> dict[str, str]:
        """Digests of everything here, by name: equal for equal prefixes of a log, however they came to be."""
        vectors = {f"vector-{name}": self.vectors_of(name).digest() for name in fingerprints(self.beliefs)}
        return {"text": self.text.digest(), **vectors, **digests(self.beliefs)}

    def compare(self, ordinal: int, other: int) -> int:
        """See `membership.Measurer`."""
        return guard(self.body(ordinal).text, self.body(other).text)

    def mark(self, ordinal: int) -> int | None:
        """See `membership.Measurer`."""
        return mark(self.body(ordinal).text)

    def contexts(self, seqs: Sequence[int]) -> Iterator[Context]:
        """The contexts that these feedback events recorded; see `effectiveness`."""
        for seq in seqs:
            event = (self._log if seq <= self._log.head.seq else self._reader).get(seq).event
            if not isinstance(event, FeedbackGiven) or event.context_vector is None:
                raise Corrupted(f"event @{seq} is no feedback with a context", remedy="run `helix rebuild`")
            yield Context(event.context_vector.rows[0], event.context_vector.dtype)

    def nearby(self, fingerprint: str) -> Nearby:
        """Pairs among the texts of one embedder."""
        return Nearby(self.beliefs.texts, self.vectors_of(fingerprint), self.body)


BODIES = 4_096
"""Most texts kept decoded."""


def _text_of(recorded: Recorded) -> MemoryStored:
    """The stored text that an event is."""
    if isinstance(recorded.event, ErasedEvent):
        raise NotFound(f"the text of @{recorded.seq} was erased", remedy="`helix list` shows what is there")
    if not isinstance(recorded.event, MemoryStored):
        raise Corrupted(f"event @{recorded.seq} is no stored text", remedy="run `helix rebuild`")
    return recorded.event


def batches(events: Iterator[Recorded]) -> Iterator[list[Recorded]]:
    """Events in lists of at most `BATCH`."""
    while batch := list(islice(events, BATCH)):
        yield batch


def constants_in(batch: Sequence[Recorded]) -> Constants | None:
    """The constants last put in force within a batch, or None."""
    for recorded in reversed(batch):
        if isinstance(recorded.event, StoreCreated | ConstantsAdopted):
            return Constants.from_dict(recorded.event.constants)
    return None
