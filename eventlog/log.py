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

    def read(self, start: int = 1, stop: int | None = None) -> Iterator[Recorded]:
        """Events with start <= seq <= stop (default: the head), in order."""
        ...

    def get(self, seq: int) -> Recorded:
        """The event `seq`; raises NotFound."""
        ...

    def get_many(self, seqs: Sequence[int]) -> list[Recorded]:
        """The events of `seqs`, in the order asked; raises NotFound."""
        ...

    def seq_at(self, time: int) -> int:
        """The last seq with recorded_at <= time; 0 before the genesis."""
        ...


Decide = Callable[[LogReader], Sequence[Draft]]
"""Given the log as it is under the write lock, the events to append; empty appends nothing."""


class EventLog(LogReader, Protocol):
    """An append-only log of one store."""

    def append(
        self, drafts: Sequence[Draft], *, clock: int, expected_head: int | None = None, key: IdempotencyKey | None = None
    ) -> Appended:
        """Append a batch; durable when it returns.

        Args:
            drafts: At least one event.
            clock: The writer's clock, UTC ns. recorded_at is this, or the head's if that is later.
            expected_head: Append only if the head's seq is this.
            key: See `IdempotencyKey`.

        Raises:
            TransactionConflict: The head is another.
            KeyConflict: The key was used with other content.
            StoreBusy, StoreReadOnly, OutOfSpace: Nothing was appended.
        """
        ...

    def append_with(
        self, decide: Decide, *, clock: int, expected_head: int | None = None, key: IdempotencyKey | None = None
    ) -> Appended:
        """Append what `decide` makes of the log under the write lock. An error it raises leaves the log unchanged."""
        ...

    def close(self) -> None:
        """Release files and locks; may be called twice."""
        ...
