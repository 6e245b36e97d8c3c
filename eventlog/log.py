"""What a log promises, whatever it is kept in.

An append is durable when it returns, all of a batch or nothing. Events get
consecutive sequence numbers from 1. Each record's digest covers its header,
its payload's commitment and the digest before it, so a missing, moved or
altered record is found by `verify`. A log never rewrites or deletes a record.

A store never conflicts by accident: what a command needs to look at while
nobody else can write, it reads inside the `decide` function it hands to
`append_with`, which runs under the write lock. `expected_head` is for commands
whose meaning depends on what they had seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from .events import Draft, Recorded

FIRST_GENERATION = "g1"
"""The generation of a log from which nothing was ever erased."""

WAIT = 10.0
"""Seconds a writer waits for the write lock unless told otherwise."""


class Head(msgspec.Struct, frozen=True):
    """The end of a log: last sequence number (0 when empty), its time and its chain digest (32 bytes)."""

    seq: int
    recorded_at: int
    digest: bytes


class IdempotencyKey(msgspec.Struct, frozen=True):
    """A caller's key for one command, and the bytes that say what was asked (any length).

    The same key with the same content answers what the first call did; with other content it is a conflict.
    """

    value: str
    content: bytes


class Appended(msgspec.Struct, frozen=True):
    """Where a batch went: first and last sequence number, its time, and whether an earlier call had put it there."""

    first: int
    last: int
    recorded_at: int
    repeated: bool = False


class LogReader(Protocol):
    """A consistent view of a log."""

    @property
    def head(self) -> Head:
        """The end of the log as this view sees it."""
        ...

    @property
    def generation(self) -> str:
        """What holds the log now, by name: after an erasure another, and what was made of the one before is void."""
        ...

    def read(self, start: int = 1, stop: int | None = None, *, checked: bool = True) -> Iterator[Recorded]:
        """Events with start <= seq <= stop (default: the head as of this call), in order.

        `checked=False` passes over the digests: faster, and damage goes unseen. Raises Corrupted, naming the seq.
        """
        ...

    def get(self, seq: int) -> Recorded:
        """The event `seq`, its digest checked; raises NotFound, Corrupted."""
        ...

    def get_many(self, seqs: Sequence[int]) -> list[Recorded]:
        """The events of `seqs`, in the order asked, their digests checked; raises NotFound, Corrupted."""
        ...

    def resolve(self, prefix: str, limit: int = 2) -> list[tuple[str, int]]:
        """At most `limit` own ids that begin with `prefix` (case does not matter), sorted, each with its seq."""
        ...

    def chain_at(self, seq: int) -> bytes:
        """The chain digest after event `seq` (32 bytes; zeros for 0); raises NotFound."""
        ...

    def seq_at(self, time: int) -> int:
        """The last seq with recorded_at <= time; 0 before the genesis."""
        ...


Decide = Callable[[LogReader], Sequence[Draft]]
"""Given the log as it is under the write lock, the events to append; empty appends nothing.

It may be run again (when the file had to grow) and by another thread of this process (which commits for several at
once), so it takes no lock that its caller holds. The reader is only good until it returns.
"""


class EventLog(LogReader, Protocol):
    """An append-only log of one store."""

    def append(
        self,
        drafts: Sequence[Draft],
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """Append a batch; durable when it returns.

        Args:
            drafts: At least one event.
            clock: The writer's clock, UTC ns. recorded_at is this, or the head's if that is later.
            expected_head: Append only if the head's seq is this.
            key: See `IdempotencyKey`.
            wait: Seconds to wait for the write lock.

        Raises:
            InvalidInput: A draft cannot be stored, or there is none.
            Conflict: An own id is taken.
            TransactionConflict: The head is another.
            KeyConflict: The key was used with other content.
            StoreBusy, StoreReadOnly, OutOfSpace: Nothing was appended.
        """
        ...

    def append_with(
        self,
        decide: Decide,
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """Append what `decide` makes of the log under the write lock. An error it raises leaves the log unchanged.

        If it makes nothing, nothing is appended, the key stays unused and `last` is `first - 1`.
        """
        ...

    def close(self) -> None:
        """Release files and locks; may be called twice."""
        ...
