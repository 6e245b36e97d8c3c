"""The LMDB environment of a log.

Transactions run as functions: `read(work)` and `write(work)`. They are retried
when the map has to grow (here, or because another process grew the file), when
the log moved on to another generation (`sealed`), or when a failed write left
the environment unusable, so `work` may run more than once.

A fork waits until no transaction is open in any thread; the child then closes
what it inherited and opens the log anew at its first use. Where that wait is
in vain (a fork from inside a transaction), the child gets ForeignProcess.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

import lmdb

from ..errors import Corrupted, ForeignProcess, NewerFormat, OutOfSpace, StorageError, StoreReadOnly
from . import layout
from .appending import Request, plan
from .gate import Gate
from .group import Committer, Entry
from .log import Appended
from .mapping import from_lmdb
from .record import FORMAT, RESTORE
from .transaction import FORMAT as FORMAT_KEY
from .transaction import SEALED, Transaction

T = TypeVar("T")

INITIAL_MAP = 1 << 20
_MAX_READERS = 510
_QUIET_SECONDS = 5.0
_SMALLEST_FILE = 8192


class _Sealed(Exception):
    """The log goes on in another generation."""


class Environment:
    """The open files of a log folder; see the head of this module.

    Args:
        log: The log folder, not the store's. If it cannot be written it is read without any lock.
        map_size: Bytes of the map to begin with; it doubles as needed.
    """

    def __init__(self, log: Path, *, map_size: int) -> None:
        self.log = log
        self.users = 0
        self._map_size = map_size
        self._process = os.getpid()
        self._state: Literal["open", "inherited", "unusable"] = "open"
        self.generation = ""
        self._lmdb: lmdb.Environment | None = None
        self._gate = Gate()
        self._opening = threading.Lock()
        self._lock: layout.WriteLock | None = None
        self._committer: Committer | None = None
        self._open()

    @property
    def writable(self) -> bool:
        """Whether the folder can be written."""
        self._ready()
        return self._lock is not None

    # -- appending -----------------------------------------------------------

    def append(self, request: Request, wait: float) -> Appended:
        """Append what a request decides, durably; `wait` in seconds for the write lock."""
        self._ready()
        if self._committer is None:
            raise StoreReadOnly(f"{self.log} cannot be written", remedy="make it writable, or copy the store")
        return self._committer.submit(request, wait)

    def alone(self, work: Callable[[], None], wait: float) -> None:
        """Do something while nobody else writes; `wait` in seconds for the write lock."""
        self._ready()
        if self._committer is None:
            raise StoreReadOnly(f"{self.log} cannot be written", remedy="make it writable, or copy the store")
        self._committer.alone(work, wait)

    def _commit(self, batch: list[Entry]) -> None:
        self.write(lambda transaction: _decide_all(transaction, batch))

    # -- transactions --------------------------------------------------------

    def read(self, work: Callable[[Transaction], T]) -> T:
        """What `work` makes of the log in a read transaction; it must not keep it."""
        return self._retried(work, write=False)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """What `work` makes of the log in a write transaction, durable when this returns.

        The caller holds the write lock. Nothing is written if `work` raises.
        """
        return self._retried(work, write=True)

    def committed(self) -> tuple[str, int]:
        """The generation, and the number of the last transaction committed to it. Costs a third of a transaction.

        While a commit is under way it may be ahead of what a transaction that begins now will see, never behind: who
        keeps something with the number of the transaction that it was read in, and not with this one, misses nothing.
        A seal is a commit too.
        """
        self._gate.enter()
        try:
            last: int = self._ready().info()["last_txnid"]
            return self.generation, last
        finally:
            self._gate.leave()

    def _retried(self, work: Callable[[Transaction], T], *, write: bool) -> T:
        remedies = 0
        while True:
            try:
                return self._once(work, write=write)
            except lmdb.MapFullError as error:
                self._grow(error)
            except (lmdb.MapResizedError, lmdb.ReadersFullError, lmdb.PanicError, _Sealed) as error:
                remedies += 1
                if remedies > 3:
                    raise self._translated(error) from error
                self._remedy(error)
            except lmdb.Error as error:
                raise self._translated(error) from error

    def _once(self, work: Callable[[Transaction], T], *, write: bool) -> T:
        self._gate.enter()
        try:
            environment = self._ready()
            with environment.begin(write=write) as txn:
                if txn.get(SEALED) is not None:
                    raise _Sealed
                return work(Transaction(environment, txn))
        finally:
            self._gate.leave()

    def _ready(self) -> lmdb.Environment:
        if self._state == "inherited":
            with self._opening:
                if self._state == "inherited":
                    self._open()
                    self._state = "open"
        if self._process != os.getpid() or self._state == "unusable":
            raise ForeignProcess(
                f"{self.log} was opened in another process, in the middle of its work",
                remedy="open the store in this process",
            )
        if self._lmdb is None:
            raise StorageError(f"{self.log} is closed", remedy="open the store again")
        return self._lmdb

    # -- remedies ------------------------------------------------------------

    def _remedy(self, error: Exception) -> None:
        with self._alone():
            if isinstance(error, lmdb.MapResizedError):
                self._ready().set_mapsize(0)
            elif isinstance(error, lmdb.ReadersFullError):
                self._ready().reader_check()
            else:
                self._close()
                self._open()

    def _grow(self, error: lmdb.MapFullError) -> None:
        with self._alone():
            environment = self._ready()
            try:
                environment.set_mapsize(environment.info()["map_size"] * 2)
            except (lmdb.Error, OverflowError) as refused:
                # LMDB has given up the old map by now, and with it the environment.
                self._close()
                self._open()
                raise OutOfSpace(
                    f"{self.log}: the map cannot grow: {refused}",
                    remedy="raise the limit on address space (`ulimit -v`)",
                ) from error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._gate.close():
            raise StorageError(f"{self.log} was used inside its own transaction", remedy="use the reader given to it")
        try:
            yield
        except lmdb.Error as error:
            raise self._translated(error) from error
        finally:
            self._gate.open()

    def _translated(self, error: Exception) -> Exception:
        return from_lmdb(error, str(self.log)) if isinstance(error, lmdb.Error) else self._restless()

    def _restless(self) -> Exception:
        return Corrupted(f"{self.log} is sealed, and what replaced it is not there", remedy=RESTORE)

    # -- opening and closing -------------------------------------------------

    def _open(self) -> None:
        if self._lock is None:
            with contextlib.suppress(StoreReadOnly):
                self._lock = layout.WriteLock(self.log)
                self._committer = Committer(self._lock, self._commit)
        while True:
            pointer = layout.current(self.log)
            try:
                self.generation = self._open_from(pointer)
                break
            except StorageError:
                # What was named may have been replaced and dropped since.
                if layout.current(self.log) == pointer:
                    raise
        if self._lock is not None:
            layout.tidy(self.log, pointer, self.generation, self._unsealed)

    def _open_from(self, name: str) -> str:
        """Open a generation, or the one that took its place; returns its name.

        A crash between the seal and the pointer leaves the pointer behind; the seal is the truth.
        """
        while successor := self._open_generation(self.log / name):
            self._close()
            if not (self.log / successor / layout.DATA).is_file():
                raise self._restless()
            name = successor
        return name

    def _unsealed(self) -> bool:
        if self._lmdb is None:
            return False
        with self._lmdb.begin() as txn:
            return txn.get(SEALED) is None

    def _open_generation(self, path: Path) -> str | None:
        """Open a generation; returns the name of the one that replaced it, if any."""
        check_size(path, None)
        try:
            self._lmdb = lmdb.open(
                str(path),
                map_size=self._map_size,
                max_readers=_MAX_READERS,
                max_spare_txns=0,
                mode=0o600,
                readonly=self._lock is None,
                lock=self._lock is not None,
                create=False,
            )
            check_size(path, self._lmdb)
            if self._lock is not None:
                self._lmdb.reader_check()
            with self._lmdb.begin() as txn:
                written, sealed = int(txn.get(FORMAT_KEY) or b"0"), txn.get(SEALED)
        except lmdb.Error as error:
            self._close()
            raise from_lmdb(error, str(path)) from error
        except Corrupted:
            self._close()
            raise
        if written > FORMAT:
            self._close()
            raise NewerFormat(
                f"the store has format {written}; this release reads up to {FORMAT}", remedy="upgrade Helixlog"
            )
        return sealed.decode() if sealed else None

    def _close(self) -> None:
        if self._lmdb is not None:
            self._lmdb.close()
        self._lmdb = None

    def close(self) -> None:
        """Close the files, once no transaction is open in this process."""
        quiet = self._gate.close()
        try:
            self._close()
            if self._lock is not None:
                self._lock.close()
            self._lock = self._committer = None
        finally:
            if quiet:
                self._gate.open()

    # -- fork ----------------------------------------------------------------

    def before_fork(self) -> None:
        """Wait until no transaction is open."""
        self._quiet = self._gate.close(_QUIET_SECONDS)

    def after_fork_in_parent(self) -> None:
        """Go on."""
        if self._quiet:
            self._gate.open()

    def after_fork_in_child(self) -> None:
        """Close what was inherited; nothing of it is in use, or else nothing of it may be touched."""
        self._gate = Gate()
        self._opening = threading.Lock()
        if self._lock is not None:
            self._lock.close()
        self._lock = self._committer = None
        self._process = os.getpid()
        self._state = "inherited" if self._quiet else "unusable"
        if self._quiet:
            self._close()


def _decide_all(transaction: Transaction, batch: list[Entry]) -> None:
    for entry in batch:
        assert entry.request is not None  # noqa: S101 - what is done alone is in no batch
        try:
            planned = plan(transaction, entry.request)
        except lmdb.Error as error:
            entry.error = from_lmdb(error, "the log")
        except Exception as error:  # noqa: BLE001 - `decide` is the caller's; its error goes back to its thread
            entry.error = error
        else:
            transaction.add(planned)
            entry.appended, entry.error = planned.appended, None


def check_size(path: Path, environment: lmdb.Environment | None) -> None:
    """Refuse a file that is shorter than its last page says: reading it would kill the process.

    Raises:
        Corrupted: The file is cut short, or not there.
    """
    data = path / layout.DATA
    least = _SMALLEST_FILE
    if environment is not None:
        least = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
    # In this order: another process may append in between, and the file never gets shorter.
    size = data.stat().st_size if data.is_file() else 0
    if size < least:
        raise Corrupted(f"{data} has {size:,} bytes where {least:,} were written", remedy=RESTORE)
