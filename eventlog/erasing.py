"""Rewriting a log without some of its content: the only change of what was written.

Generation k holds the log; everything happens under its write lock.

    1  take the write lock
    2  write generation k+1, complete, with the event that says what was done; sync it
    3  commit `sealed -> k+1` in k: from here on k+1 is the log
    4  point to k+1; sync
    5  release the lock, delete k

Every transaction of every process first looks for the seal in its own
snapshot, so none can commit into k after 3, and none that began before 3 is
lost: it was over before the lock was had. A crash before 3 leaves k and a
half-written k+1, which the next open drops; after 3, the next open follows the
seal and finishes. Nothing is copied but what stays, so k+1 has no free page
that ever held more.

Sequence numbers, headers and digests stay (see `record`). What an event means
is not known here: `rewrite` says what is left of each.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import NamedTuple, TypeVar

import lmdb

from ..errors import InvalidInput, StoreReadOnly
from . import codec, layout, record
from .appending import Request, drafts_of, plan
from .environment import INITIAL_MAP, Environment
from .events import Draft, ErasedRecord, Event, Recorded
from .lmdb_log import LmdbLog
from .log import Appended, LogReader
from .mapping import from_lmdb, from_os
from .transaction import FORMAT, ID, KEY, SEALED, Transaction, record_key

Progress = Callable[[int, int], None]
"""Called with the number of records done and of all."""

Rewrite = Callable[[Recorded], Event | None]
"""What is left of an event: the very same object, another of the same type, or None for nothing but its header."""

BATCH = 2_000
ROOM = 16 << 20
"""Bytes of the new map beyond the size of the old file."""

T = TypeVar("T")
Entries = Iterable[tuple[bytes, bytes]]


class Rewriting(NamedTuple):
    """What shall be done: what is left of each event, and the last event, which lists what was altered."""

    rewrite: Rewrite
    closing: Callable[[tuple[ErasedRecord, ...]], Draft]


class Rewritten(NamedTuple):
    """What was done: where the last event is, and the events destroyed and rewritten, by seq."""

    appended: Appended
    destroyed: tuple[int, ...]
    rewritten: tuple[int, ...]


Decide = Callable[[LogReader], Rewriting]
"""What shall be done, given the log while nobody else writes; may raise, and the log is unchanged."""


def erase(log: LmdbLog, decide: Decide, *, clock: int, wait: float, progress: Progress | None = None) -> Rewritten:
    """Rewrite a log; durable when it returns, and no file of the log holds any more what was left out.

    Args:
        log: The log.
        decide: See `Decide`.
        clock: The writer's clock, UTC ns.
        wait: Seconds to wait for the write lock. Others wait for this as for any writer.
        progress: See `Progress`.

    Raises:
        StoreBusy, StoreReadOnly, OutOfSpace: The log is unchanged.
        Corrupted: A record is damaged; the log is unchanged.
    """
    if not log.writable:
        raise StoreReadOnly(f"{log.folder} cannot be written", remedy="make it writable, and open it to write")
    done: list[Rewritten] = []

    def work() -> None:
        done.append(_replace(log, decide(log), clock, progress))

    log.environment.alone(work, wait)
    return done[0]


def _replace(log: LmdbLog, rewriting: Rewriting, clock: int, progress: Progress | None) -> Rewritten:
    folder = layout.log_folder(log.folder)
    log.view(lambda _transaction: None)  # moves on, if another process erased since the last transaction
    new = layout.after(log.generation)
    try:
        try:
            rewritten = _write_next(log, folder / new, rewriting, clock, progress)
        except BaseException:
            shutil.rmtree(folder / new, ignore_errors=True)
            raise
        # A commit that failed may have reached the disk all the same: from here on k+1 is left to the next open.
        _seal(log.environment, new)
        layout.point_to(folder, new)
        assert log.head.seq == rewritten.appended.last  # noqa: S101 - the seal has led this process to the new one
        _drop(folder, new)
    except lmdb.Error as error:
        raise from_lmdb(error, str(folder / new)) from error
    except OSError as error:
        raise from_os(error, str(folder / new)) from error
    return rewritten


def _write_next(log: LmdbLog, path: Path, rewriting: Rewriting, clock: int, progress: Progress | None) -> Rewritten:
    """Write the next generation, complete and durable; nobody looks at it yet."""
    folder = path.parent
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(mode=0o700)
    size = (folder / log.generation / layout.DATA).stat().st_size
    with lmdb.open(str(path), map_size=max(INITIAL_MAP, size + ROOM), mode=0o600, sync=False) as target:
        _put(target, log.view(_found_by))
        altered: list[ErasedRecord] = []
        _put(target, _records(log, rewriting.rewrite, altered, progress))
        closing = rewriting.closing(tuple(altered))
        appended = _append(log, target, closing, clock)
        target.sync(True)
    for place in (*path.iterdir(), path, folder):
        layout.sync(place)
    return Rewritten(
        appended,
        tuple(entry.seq for entry in altered if not entry.commitment),
        tuple(entry.seq for entry in altered if entry.commitment),
    )


def _found_by(transaction: Transaction) -> list[tuple[bytes, bytes]]:
    """Everything but records, by its key: ids, idempotency keys, the format."""
    found = [(kind + key, value) for kind in (ID, KEY) for key, value in transaction.entries(kind)]
    return [*found, (FORMAT, transaction.meta(FORMAT) or b"")]


def _records(
    log: LmdbLog, rewrite: Rewrite, altered: list[ErasedRecord], progress: Progress | None
) -> Iterator[tuple[bytes, bytes]]:
    """Every record by its key, as it shall stand; notes those that change."""
    head = log.head.seq
    raws, again = tee(log.raw(1, head))
    for raw, recorded in zip(again, codec.decode_run(raws, 1, record.START), strict=True):
        left = rewrite(recorded)
        yield record_key(recorded.seq), raw if left is recorded.event else _altered(raw, left, log.entropy, altered)
        if progress is not None and (recorded.seq % BATCH == 0 or recorded.seq == head):
            progress(recorded.seq, head)


def _altered(raw: bytes, left: Event | None, entropy: Callable[[int], bytes], altered: list[ErasedRecord]) -> bytes:
    header = record.read(raw).header
    if left is None:
        altered.append(ErasedRecord(seq=header.seq, commitment=b""))
        return record.destroyed(raw)
    tag, version, payload = codec.encode(left)
    if (tag, version) != (header.type, header.version):
        raise InvalidInput(
            f"event {header.seq} is a {header.type} of version {header.version} and cannot be rewritten as a {tag}",
            remedy="destroy it, or erase with the release that wrote it",
        )
    salt = entropy(record.SALT_SIZE)
    altered.append(ErasedRecord(seq=header.seq, commitment=record.commit(salt, payload)))
    return record.rewritten(raw, salt, payload)


def _put(target: lmdb.Environment, entries: Entries) -> None:
    """Write entries behind all that are there, in transactions of a bounded size."""
    rest = iter(entries)
    while batch := list(islice(rest, BATCH)):
        _growing(target, partial(_put_batch, batch))


def _put_batch(batch: list[tuple[bytes, bytes]], txn: lmdb.Transaction[bytes]) -> None:
    for key, value in batch:
        txn.put(key, value, append=True)


def _append(log: LmdbLog, target: lmdb.Environment, draft: Draft, clock: int) -> Appended:
    request = Request(drafts_of([draft]), clock, None, None, log.entropy, b"")

    def add(txn: lmdb.Transaction[bytes]) -> Appended:
        transaction = Transaction(target, txn)
        planned = plan(transaction, request)
        transaction.add(planned)
        return planned.appended

    return _growing(target, add)


def _growing(target: lmdb.Environment, work: Callable[[lmdb.Transaction[bytes]], T]) -> T:
    """What `work` makes of a write transaction, in a map that grows as it has to."""
    while True:
        try:
            with target.begin(write=True) as txn:
                return work(txn)
        except lmdb.MapFullError:
            target.set_mapsize(target.info()["map_size"] * 2)


def _seal(environment: Environment, new: str) -> None:
    """The commit that makes `new` the log."""
    environment.write(lambda transaction: transaction.put(SEALED, new.encode()))


def _drop(folder: Path, kept: str) -> None:
    """Delete every other generation; readers that are in one read on in what they have mapped."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != kept:
            shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        layout.sync(folder)
