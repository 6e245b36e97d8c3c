"""`export`, `backup` and the way back: the whole log as JSON lines, a copy of the store, a new store of either."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import msgspec

from ..errors import Conflict, ContentRejected, InvalidInput, NotFound, ReadOnlyView, StoreMissing
from ..eventlog import backup as log_backup
from ..eventlog import export as log_export
from ..eventlog.events import StoreCreated
from ..eventlog.layout import sync
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.mapping import from_os
from ..eventlog.record import FORMAT
from .opened import AsOf, AsOfPoint, Clock, OpenStore
from .screening import Screen
from .times import format_time
from .where import MARK, Mark, read_mark, write_mark

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""

_PRIVATE = 0o600

BESIDE = (MARK, ".gitignore")
"""What belongs to a store beside its log and its secret."""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """How far a copy goes: the last event in it and the chain digest there; of an export also its point."""

    head: int
    digest: str
    path: str | None
    as_of: AsOfPoint | None = None


def export(
    self: OpenStore, file: str | Path | IO[bytes], *, as_of: AsOf | None = None, progress: Progress | None = None
) -> Exported:
    """Write the whole log, everybody's, as JSON lines from which the same log can be made again.

    The file holds the store's secret and all that was ever stored: keep it as you keep the store.

    Args:
        self: The store.
        file: A path where nothing is yet, or a stream of bytes.
        as_of: Only the events up to then, from which the store as it was can be made; see `recall`.
        progress: See `Progress`.

    Raises:
        InvalidInput: There was no store yet.
        Conflict: There is such a file.
        StoreReadOnly, OutOfSpace: It cannot be written.
        Corrupted: The log is damaged; the file is not left behind.
    """
    point = self.point(as_of)
    if not point.seq:
        raise InvalidInput("the store was not there yet", remedy="give a later time; `helix log --after 0` begins")
    if not isinstance(file, str | Path):
        head = log_export.export(self.eventlog, file, progress, stop=point.seq)
        return Exported(head=head.seq, digest=head.digest.hex(), path=None, as_of=self.as_of_point(point))
    path = Path(file)
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    if path.exists():
        raise Conflict(f"{path} is there already", remedy="choose another path")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as out:  # noqa: PTH123 - a private file
            head = log_export.export(self.eventlog, out, progress, stop=point.seq)
            out.flush()
            os.fsync(out.fileno())
        fresh.rename(path)
        sync(path.parent)
    except OSError as error:
        raise from_os(error, str(path)) from error
    finally:
        fresh.unlink(missing_ok=True)
    return Exported(head=head.seq, digest=head.digest.hex(), path=str(path), as_of=self.as_of_point(point))


def restore_export(
    file: str | Path, folder: str | Path, *, allow: Sequence[str] = (), progress: Progress | None = None
) -> Exported:
    """Make the store at `folder`, where none is yet, from an export: the same log, to the chain digest.

    Args:
        file: The export.
        folder: Where the store shall be.
        allow: What the gate lets pass; see `Memory`.
        progress: See `Progress`.

    Raises:
        ContentRejected: A text in it may not be shown to a model again; the same log cannot be had without it.
        Conflict: There is a store.
        NotFound: There is no such file.
        InvalidInput, Corrupted: The file is no export, or damaged; nothing is left behind.
        StoreReadOnly, OutOfSpace: The folder cannot be written.
    """
    if read_mark(Path(folder)) is not None:
        raise Conflict(f"there is a store at {folder}", remedy="name another folder, or import into that store")
    if not Path(file).is_file():
        raise NotFound(f"there is no file {file}", remedy="check the path")
    _refuse_unfit(Path(file), Screen(allow))
    return remade(file, folder, progress=progress)


def _refuse_unfit(file: Path, screen: Screen) -> None:
    """Refuse an export with a text that may not be shown to a model again."""
    with file.open("rb") as lines:
        found = [
            (one.seq + 1, refused) for one in log_export.read_events(lines) if (refused := screen.event(one.event))
        ]
    if found:
        line, refused = found[0]
        raise ContentRejected(
            f"{len(found)} lines of the export are refused, the first is line {line}: {refused}",
            remedy=f"import it into a store that is there: such lines are left out, and named; or {refused.remedy()}",
        )


def remade(file: str | Path, folder: str | Path, *, progress: Progress | None = None) -> Exported:
    """`restore_export` without the gate: for who looks at what is in it afterwards."""
    folder = Path(folder)
    with Path(file).open("rb") as lines:
        header = log_export.read_header(lines.readline())
        lines.seek(0)
        head = log_export.import_log(lines, folder, progress)
    write_mark(folder, Mark(format=log_format(folder), store_id=header.store_id))
    return Exported(head=head.seq, digest=head.digest.hex(), path=str(folder))


def log_format(folder: Path) -> int:
    """The format of the log in a folder, as its genesis says."""
    with LmdbLog.open(folder, read_only=True) as log:
        genesis = log.get(1).event
    return genesis.format if isinstance(genesis, StoreCreated) else FORMAT


class BackedUp(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that was made, or brought up to date: its last event, when that was, the chain digest there.

    `added` counts the events it lacked before; `whole` says that the log was written anew: a first backup, or one that
    still held what has been erased since.
    """

    head: int
    time: str
    digest: str
    path: str
    added: int
    whole: bool


def backup(self: OpenStore, folder: str | Path, *, progress: Progress | None = None) -> BackedUp:
    """Copy the store, as it is now, into a folder, or bring the backup that is there up to date; others may write.

    The copy holds the log and what belongs to it, and every record of it is verified before this returns. Projections
    are made anew where it is opened or restored.

    Args:
        self: The store.
        folder: A path where nothing is yet, an empty folder, or an earlier backup of this store.
        progress: See `Progress`.

    Raises:
        Conflict: Something else is there: also a backup of another store, or one that was written to since.
        StoreReadOnly, OutOfSpace: It cannot be written.
        StoreBusy: Another process is writing that backup.
        ReadOnlyView: This is a view of the past.
        Corrupted: The copy does not verify: the store, or the backup, is damaged.
    """
    if self.at is not None:
        raise ReadOnlyView("a backup is of the whole store", remedy="back up the live memory, or export the view")
    path = _place(folder, what="folder")
    copied = log_backup.backup(self.eventlog, path, beside=BESIDE, progress=progress)
    head = copied.head
    return BackedUp(
        head=head.seq,
        time=format_time(head.recorded_at),
        digest=head.digest.hex(),
        path=str(path),
        added=copied.added,
        whole=copied.whole,
    )


class FromBackup(msgspec.Struct, frozen=True, kw_only=True):
    """A store that was made of a backup: its last event, when that was, the chain digest there, where it is."""

    head: int
    time: str
    digest: str
    path: str
    backup: str


def restore_backup(
    backup: str | Path,
    into: str | Path,
    *,
    as_of: AsOf | None = None,
    clock: Clock = time.time_ns,
    progress: Progress | None = None,
) -> FromBackup:
    """Make a new store of a backup, or of any other store, whole or as of a point; what it is made of is only read.

    No store is ever wound back: what is at `into` stays as it is.

    Args:
        backup: The folder of the backup.
        into: A path where nothing is yet, or an empty folder.
        as_of: A time, `@SEQ` or an id: the last event of the new store is the last one then.
        clock: Gives UTC nanoseconds, for ages such as "7d".
        progress: See `Progress`.

    Raises:
        StoreMissing: There is no backup.
        Conflict: Something is at `into`.
        InvalidInput: The point cannot be read, or is before the first event.
        StoreReadOnly, OutOfSpace: It cannot be written.
        Corrupted: The backup is damaged.
    """
    source, target = _place(backup, what="backup"), _place(into, what="into")
    if read_mark(source) is None:
        remedy = "an export is taken in with `helix import FILE --store PATH`" if source.is_file() else "check the path"
        raise StoreMissing(f"there is no backup at {source}", remedy=remedy)
    with LmdbLog.open(source, read_only=True) as log:
        seq = None if as_of is None else OpenStore(source, log, clock=clock).point(as_of).seq
        if seq == 0:
            first = format_time(log.get(1).recorded_at)
            raise InvalidInput(f"there was no store yet at {as_of}", remedy=f"its first event is of {first}")
        head = log_backup.restore(log, target, seq=seq, entropy=os.urandom, beside=BESIDE, progress=progress)
    return FromBackup(
        head=head.seq,
        time=format_time(head.recorded_at),
        digest=head.digest.hex(),
        path=str(target),
        backup=str(source),
    )


def _place(path: object, *, what: str) -> Path:
    if not isinstance(path, str | Path) or not str(path).strip() or "\0" in str(path):
        raise InvalidInput(f"{what} {path!r} is no path", remedy="give the path of a folder")
    return Path(path).expanduser()
