"""The reading half of a log, over whatever holds its records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from ..errors import Corrupted, InvalidInput, NotFound
from . import codec, record
from .events import Recorded
from .log import FIRST_GENERATION, Head

EMPTY = Head(seq=0, recorded_at=0, digest=record.START)
_FIRST_RUN, _LONGEST_RUN, _RUN_BYTES = 64, 4096, 4 << 20


class Reader(ABC):
    """`LogReader` made of a few primitives; each primitive sees one consistent state of the log."""

    @abstractmethod
    def last_record(self) -> bytes | None:
        """The last record."""

    @abstractmethod
    def records_at(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The records of `seqs`; None where there is none."""

    def linked_at(self, seqs: Sequence[int]) -> list[tuple[bytes | None, bytes | None]]:
        """The records of `seqs`, each after the one before it, which it is linked to; None where there is none."""
        found = self.records_at([wanted for seq in seqs for wanted in (seq - 1, seq)])
        return list(zip(found[::2], found[1::2], strict=True))

    @abstractmethod
    def run_from(self, start: int, count: int) -> list[bytes]:
        """Up to `count` records from `start` on, in order."""

    @abstractmethod
    def ids_from(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Up to `limit` own ids that begin with `prefix`, sorted."""

    @property
    def generation(self) -> str:
        """See `LogReader`."""
        return FIRST_GENERATION

    @property
    def head(self) -> Head:
        """See `LogReader`."""
        last = self.last_record()
        if last is None:
            return EMPTY
        parts = record.read(last)
        return Head(parts.header.seq, parts.header.recorded_at, parts.digest)

    def read(self, start: int = 1, stop: int | None = None, *, checked: bool = True) -> Iterator[Recorded]:
        """See `LogReader`."""
        if start < 1:
            raise InvalidInput(f"there is no event {start}", remedy="sequence numbers start at 1")
        head = self.head.seq
        stop = head if stop is None else min(stop, head)
        return codec.decode_run(self._stream(start, stop), start, self._before(start, stop) if checked else None)

    def _before(self, start: int, stop: int) -> bytes:
        return self.chain_at(start - 1) if start <= stop else record.START

    def raw(self, start: int, stop: int) -> Iterator[bytes]:
        """The records start..stop as they are kept, unchecked; raises Corrupted if one is missing."""
        return self._stream(start, stop)

    def _stream(self, start: int, stop: int) -> Iterator[bytes]:
        """Records in runs, so that nothing is held open while the consumer is busy; runs adapt to the records' size."""
        count = _FIRST_RUN
        while start <= stop:
            run = self.run_from(start, min(count, stop - start + 1))
            if not run:
                raise codec.damaged(start, "it is missing")
            yield from run
            start += len(run)
            small = sum(map(len, run)) < _RUN_BYTES
            count = min(count * 2, _LONGEST_RUN) if small else max(1, count // 2)

    def get(self, seq: int) -> Recorded:
        """See `LogReader`."""
        return self.get_many((seq,))[0]

    def get_many(self, seqs: Sequence[int]) -> list[Recorded]:
        """See `LogReader`."""
        return [self._checked(seq, *linked) for seq, linked in zip(seqs, self.linked_at(seqs), strict=True)]

    def _checked(self, seq: int, before: bytes | None, raw: bytes | None) -> Recorded:
        if raw is None:
            raise _absent(seq)
        if before is None and seq > 1:
            raise codec.damaged(seq - 1, "it is missing")
        return codec.decode_after(before[: record.DIGEST_SIZE] if before else record.START, raw, seq)

    def seq_at(self, time: int) -> int:
        """See `LogReader`."""
        low, high = 0, self.head.seq
        while low < high:
            middle = (low + high + 1) // 2
            (raw,) = self.records_at((middle,))
            if raw is None:
                raise codec.damaged(middle, "it is missing")
            low, high = (middle, high) if record.read(raw).header.recorded_at <= time else (low, middle - 1)
        return low

    def resolve(self, prefix: str, limit: int = 2) -> list[tuple[str, int]]:
        """See `LogReader`."""
        return self.ids_from(prefix.lower(), limit)

    def chain_at(self, seq: int) -> bytes:
        """See `LogReader`."""
        if seq == 0:
            return record.START
        (raw,) = self.records_at((seq,))
        if raw is None:
            raise _absent(seq)
        if len(raw) < record.PREFIX_SIZE:
            raise Corrupted(f"record {seq} is cut short", remedy=record.RESTORE)
        return raw[: record.DIGEST_SIZE]


def _absent(seq: int) -> NotFound:
    return NotFound(f"there is no event {seq}", remedy="sequence numbers go from 1 to the log's head")
