"""The log on disk: `EventLog` over LMDB, default sync.

An append is durable when it returns (two fdatasync calls: pages, then the
root). Any number of threads and processes may use one store; readers take no
lock and hold no transaction while their consumer is busy. `layout` shows the
files, `transaction` the databases, `record` the bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import lmdb

from ..errors import InvalidInput, StorageError, StoreReadOnly
from . import layout, sharing
from .appending import Entropy, Request, drafts_of, plan
from .environment import INITIAL_MAP, Environment
from .events import Draft, StoreCreated
from .layout import exists
from .log import WAIT, Appended, Decide, Head, IdempotencyKey
from .mapping import from_lmdb, from_os
from .reading import Reader
from .record import FORMAT
from .transaction import FORMAT as FORMAT_KEY
from .transaction import Transaction

__all__ = ["LmdbLog", "exists"]

T = TypeVar("T")


class LmdbLog(Reader):
    """An open log; `create` and `open` make one, `close` or `with` ends it.

    Handles of one process share the files. A handle may be used by several threads, and in the child of a fork.
    """

    def __init__(self, folder: Path, shared: Environment, *, read_only: bool, entropy: Entropy) -> None:
        self.folder = folder
        self._shared: Environment | None = shared
        self._read_only = read_only
        self.entropy = entropy
        self._secret: bytes | None = None
        self._head: tuple[tuple[str, int], Head] | None = None

    @classmethod
    def create(cls, folder: Path | str, genesis: StoreCreated, *, clock: int, entropy: Entropy = os.urandom) -> LmdbLog:
        """Make the log of a new store, whose first event is `genesis`, written at `clock` (UTC ns).

        Raises:
            Conflict: There is a log already.
            InvalidInput: `genesis.format` is not the one this release writes.
            StoreReadOnly, OutOfSpace: The folder cannot be written.
        """
        folder = Path(folder)
        if genesis.format != FORMAT:
            raise InvalidInput(f"format {genesis.format} cannot be written", remedy=f"use {FORMAT}")
        try:
            secret = layout.make_secret(folder, entropy(layout.SECRET_SIZE))
            with layout.building(layout.log_folder(folder)) as new:
                request = Request(drafts_of([Draft(genesis)]), clock, None, None, entropy, secret)
                begin_generation(new, lambda transaction: transaction.add(plan(transaction, request)))
        except OSError as error:
            raise from_os(error, str(folder)) from error
        return cls.open(folder, entropy=entropy)

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        read_only: bool = False,
        map_size: int = INITIAL_MAP,
        entropy: Entropy = os.urandom,
    ) -> LmdbLog:
        """Open the log of a store.

        Args:
            folder: The store's folder.
            read_only: Refuse to append. A folder that cannot be written is opened so anyway.
            map_size: Bytes of the map to begin with; it grows by itself.
            entropy: `entropy(n)` gives the n random bytes of a salt.

        Raises:
            StoreMissing: There is no log.
            Corrupted: A file is cut short or is no log.
            NewerFormat: A newer release made the store.
        """
        folder = Path(folder)
        shared = sharing.shared(layout.log_folder(folder), map_size=map_size)
        return cls(folder, shared, read_only=read_only, entropy=entropy)

    @property
    def environment(self) -> Environment:
        """The open files; raises StorageError once closed."""
        if self._shared is None:
            raise StorageError(f"the log of {self.folder} is closed", remedy="open it again")
        return self._shared

    @property
    def secret(self) -> bytes:
        """The store's secret, 32 bytes, for keyed digests of what must not be guessable; raises Corrupted."""
        if self._secret is None:
            self._secret = layout.read_secret(self.folder)
        return self._secret

    @property
    def generation(self) -> str:
        """See `LogReader`; as the last transaction found it."""
        return self.environment.generation

    @property
    def head(self) -> Head:
        """See `LogReader`. It is looked up once a commit: every question asks for it."""
        environment, known = self.environment, self._head
        if known is None or known[0] != environment.committed():
            known = self._head = environment.read(lambda seen: ((environment.generation, seen.number), seen.head))
        return known[1]

    @property
    def writable(self) -> bool:
        """Whether appends may succeed."""
        return not self._read_only and self.environment.writable

    def append(
        self,
        drafts: Sequence[Draft],
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """See `EventLog`."""
        return self.append_with(drafts_of(drafts), clock=clock, expected_head=expected_head, key=key, wait=wait)

    def append_with(
        self,
        decide: Decide,
        *,
        clock: int,
        expected_head: int | None = None,
        key: IdempotencyKey | None = None,
        wait: float = WAIT,
    ) -> Appended:
        """See `EventLog`."""
        if self._read_only:
            raise StoreReadOnly(f"{self.folder} was opened to be read", remedy="open it without `read_only`")
        secret = self.secret if key else b""
        return self.environment.append(Request(decide, clock, expected_head, key, self.entropy, secret), wait)

    def view(self, work: Callable[[Transaction], T]) -> T:
        """What `work` makes of one consistent state of the log; it must be quick and keep nothing of the reader."""
        return self.environment.read(work)

    def close(self) -> None:
        """See `EventLog`."""
        if self._shared is not None:
            sharing.release(self._shared)
            self._shared = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def last_record(self) -> bytes | None:
        """See `Reader`."""
        return self.environment.read(lambda transaction: transaction.last_record())

    def records_at(self, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Reader`."""
        return self.environment.read(lambda transaction: transaction.records_at(seqs))

    def linked_at(self, seqs: Sequence[int]) -> list[tuple[bytes | None, bytes | None]]:
        """See `Reader`."""
        return self.environment.read(lambda transaction: transaction.linked_at(seqs))

    def run_from(self, start: int, count: int) -> list[bytes]:
        """See `Reader`."""
        return self.environment.read(lambda transaction: transaction.run_from(start, count))

    def ids_from(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """See `Reader`."""
        return self.environment.read(lambda transaction: transaction.ids_from(prefix, limit))


def begin_generation(log: Path, fill: Callable[[Transaction], None]) -> None:
    """Make the first generation of a log folder that is being built, with what `fill` writes into it."""
    path = log / layout.FIRST_GENERATION
    path.mkdir()
    try:
        with (
            lmdb.open(str(path), map_size=INITIAL_MAP, mode=0o600) as made,
            made.begin(write=True) as txn,
        ):
            transaction = Transaction(made, txn)
            transaction.put(FORMAT_KEY, str(FORMAT).encode())
            fill(transaction)
    except lmdb.Error as error:
        raise from_lmdb(error, str(path)) from error
    layout.point_to(log, layout.FIRST_GENERATION)
