"""Copies of a log, whole and compact, while others write; the same copy brought up to date; and stores made of copies.

A copy is a store folder without projections, with a mark of its own. It is written beside its place,
verified there by a process of its own, and renamed into it. Bringing one up to
date appends the records it lacks in one transaction, so a copy that is broken
off is the copy it was; where one of those records is an erasure, the log of the
copy is written anew, so that it holds nothing that was erased.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import lmdb
import msgspec

from ..errors import Conflict, Corrupted, InvalidInput
from . import codec, filling, layout, record, sharing
from .appending import Entropy
from .environment import INITIAL_MAP
from .events import MemoryErased
from .lmdb_log import LmdbLog
from .log import WAIT, Head
from .mapping import from_lmdb, from_os
from .record import Header
from .transaction import RECORD, SEALED, Transaction
from .verify import Progress, verify

MARK = "backup.json"
"""In the folder of a copy: only such a folder is ever brought up to date."""

ERASURE = str(MemoryErased.__struct_config__.tag)


class Copied(msgspec.Struct, frozen=True):
    """Where a copy ends, how many records were added to it, and whether the whole log was written."""

    head: Head
    added: int
    whole: bool


def backup(log: LmdbLog, target: Path | str, *, beside: Sequence[str] = (), progress: Progress | None = None) -> Copied:
    """Copy a log and its secret into the store folder `target`, or bring the copy of it that is there up to date.

    Args:
        log: The log to copy.
        target: A path where nothing is yet, an empty folder, or an earlier copy of the same log.
        beside: Names of other files of the store's folder to copy if they are there.
        progress: Called while the copy is verified.

    Raises:
        Conflict: Something else is at `target`: also a copy of another log, and one that was written to.
        StoreBusy: The copy is being written by another process.
        OutOfSpace, StoreReadOnly: The target cannot be written.
        Corrupted: The copy does not verify, or the secret is not there.
    """
    target = Path(target)
    if (target / MARK).is_file():
        copied = _update(log, target)
        _proved(target, target, progress)
        return copied
    head = _whole(log, target, beside, progress, marked=True)
    return Copied(head, head.seq, whole=True)


def _whole(log: LmdbLog, target: Path, beside: Sequence[str], progress: Progress | None, *, marked: bool) -> Head:
    _free(target)
    try:
        with layout.building(target) as new:
            layout.make_secret(new, log.secret)
            generation = layout.log_folder(new) / layout.FIRST_GENERATION
            generation.mkdir(parents=True)
            log.view(lambda transaction: transaction.copy_to(str(generation)))
            layout.point_to(layout.log_folder(new), layout.FIRST_GENERATION)
            _put_beside(log, new, beside)
            if marked:
                layout.put_file(new / MARK, msgspec.json.encode({"first_digest": log.chain_at(1).hex()}) + b"\n")
            _proved(new, target, progress)
    except OSError as error:
        raise from_os(error, str(target)) from error
    with LmdbLog.open(target, read_only=True) as copy:
        return copy.head


def _free(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{target} is there already", remedy="choose another path")


def _put_beside(log: LmdbLog, new: Path, beside: Sequence[str]) -> None:
    for name in beside:
        if (log.folder / name).is_file():
            shutil.copy2(log.folder / name, new / name)


def _proved(folder: Path, named: Path, progress: Progress | None) -> None:
    """Refuse a copy that is not sound."""
    report = verify(folder, progress)
    if not report.ok:
        first = report.problems[0]
        raise Corrupted(
            f"the copy {named} does not verify: @{first.seq} {first.kind}, {first.message}",
            remedy="`helix doctor` says what is wrong with the store; for a copy that was there before, make a new one",
        )


# -- bringing a copy up to date ---------------------------------------------------


def _update(log: LmdbLog, target: Path) -> Copied:
    folder = layout.log_folder(target)
    lock = layout.WriteLock(folder)
    try:
        lock.acquire(WAIT)
        with LmdbLog.open(target, read_only=True) as copy:
            before = copy.head
        head = log.head
        if before.seq > head.seq or log.chain_at(before.seq) != before.digest:
            raise Conflict(
                f"{target} is no copy of this log as it was: it ends with @{before.seq} {before.digest.hex()[:8]}..",
                remedy="it was written to, or is of another store, or this store was put back: choose another path",
            )
        if any(header.type == ERASURE for header in _headers(log, before.seq + 1, head.seq)):
            return Copied(_anew(log, folder), head.seq - before.seq, whole=True)
        end = log.view(lambda transaction: _append(transaction, folder, before))
        return Copied(end, end.seq - before.seq, whole=False)
    except OSError as error:
        raise from_os(error, str(target)) from error
    except lmdb.Error as error:
        raise from_lmdb(error, str(target)) from error
    finally:
        lock.close()


def _headers(log: LmdbLog, start: int, stop: int) -> Iterator[Header]:
    return (record.read(raw).header for raw in log.raw(start, stop))


def _append(source: Transaction, folder: Path, before: Head) -> Head:
    """Add what a copy lacks in one transaction; what is added follows what is there, or nothing is."""
    head = source.head
    if head.seq == before.seq:
        return before

    def write(transaction: Transaction) -> None:
        digest = before.digest
        for key, raw in source.entries(RECORD, before.seq + 1):
            if not record.read(raw).follows(digest):
                raise codec.damaged(int.from_bytes(key, "big"), "its digest does not follow")
            digest = raw[: record.DIGEST_SIZE]
            filling.add(transaction, [raw])

    size = (folder / layout.current(folder) / layout.DATA).stat().st_size
    shared = sharing.shared(folder, map_size=max(INITIAL_MAP, 2 * size))
    try:
        shared.write(write)
    finally:
        sharing.release(shared)
    return head


def _anew(log: LmdbLog, folder: Path) -> Head:
    """Put another generation in the place of the copy's, as an erasure does; nothing made from the old one is kept."""
    old = layout.current(folder)
    name = layout.after(old)
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).mkdir(mode=0o700)
    log.view(lambda transaction: transaction.copy_to(str(folder / name)))
    layout.keep_private(folder / name / layout.DATA)
    layout.sync(folder / name / layout.DATA)
    layout.sync(folder / name)
    shared = sharing.shared(folder, map_size=INITIAL_MAP)
    try:
        shared.write(lambda transaction: transaction.put(SEALED, name.encode()))
    finally:
        sharing.release(shared)
    layout.point_to(folder, name)
    shutil.rmtree(folder / old)
    shutil.rmtree(folder.parent / "projections", ignore_errors=True)
    with LmdbLog.open(folder.parent, read_only=True) as copy:
        return copy.head


# -- restoring --------------------------------------------------------------------


def restore(
    copy: LmdbLog,
    target: Path | str,
    *,
    seq: int | None = None,
    entropy: Entropy,
    beside: Sequence[str] = (),
    progress: Progress | None = None,
) -> Head:
    """Make a new store of a copy, whole or as it was at event `seq`; the copy is only read.

    What was erased later is not there at `seq` either: its holes are listed by one more event.

    Args:
        copy: The copy, or any other log.
        target: A path where nothing is yet, or an empty folder.
        seq: The last event of the new store; the copy's head if not given.
        entropy: `entropy(n)` gives n random bytes.
        beside: See `backup`.
        progress: See `backup`.

    Raises:
        Conflict: Something is at `target`.
        InvalidInput: `seq` is in the middle of a batch that has an idempotency key.
        StoreReadOnly, OutOfSpace: It cannot be written.
        Corrupted: The copy is damaged.
    """
    target = Path(target)
    if seq is None or seq == copy.head.seq:
        return _whole(copy, target, beside, progress, marked=False)
    _free(target)
    try:
        with layout.building(target) as new:
            layout.make_secret(new, copy.secret)
            layout.log_folder(new).mkdir()
            filling.fill(layout.log_folder(new), _until(copy, seq, entropy))
            _put_beside(copy, new, beside)
            _proved(new, target, progress)
    except OSError as error:
        raise from_os(error, str(target)) from error
    with LmdbLog.open(target, read_only=True) as made:
        return made.head


def _until(copy: LmdbLog, last: int, entropy: Entropy) -> Iterator[bytes]:
    altered: set[int] = set()
    previous = record.START
    for seq, raw in enumerate(copy.raw(1, last), 1):
        parts = record.read(raw)
        if parts.header.seq != seq or not parts.follows(previous):
            raise codec.damaged(seq, "its digest does not follow")
        mark = parts.header.key
        if mark is not None and seq + mark.count - 1 > last:
            raise InvalidInput(
                f"@{last} is in the middle of what one command appended, @{seq} to @{seq + mark.count - 1}",
                remedy=f"ask for @{seq - 1} or @{seq + mark.count - 1}",
            )
        if parts.kept is not None:
            altered.add(seq)
        previous = parts.digest
        yield raw
    yield from _erasures(copy, last, altered, previous, entropy)


def _erasures(copy: LmdbLog, last: int, altered: set[int], previous: bytes, entropy: Entropy) -> Iterator[bytes]:
    """Later erasures, as far as they are about what is there."""
    if not altered:
        return
    found = [header.seq for header in _headers(copy, last + 1, copy.head.seq) if header.type == ERASURE]
    seq = last
    for recorded in copy.get_many(found):
        event = recorded.event
        listed = () if not isinstance(event, MemoryErased) else event.rewritten
        here_too = tuple(entry for entry in listed if entry.seq in altered)
        if not isinstance(event, MemoryErased) or not here_too:
            continue
        seq += 1
        here = msgspec.structs.replace(event, rewritten=here_too, key=None)
        tag, version, payload = codec.encode(here)
        header = Header(seq, recorded.recorded_at, None, tag, version)
        raw = record.write(previous, header, entropy(record.SALT_SIZE), payload)
        previous = raw[: record.DIGEST_SIZE]
        yield raw
