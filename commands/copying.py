"""`export` and `backup`: the whole log as JSON lines, and a copy of the store."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from ..errors import Conflict, NotFound
from ..eventlog import backup as log_backup
from ..eventlog import export as log_export
from ..eventlog.events import StoreCreated
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.mapping import from_os
from ..eventlog.record import FORMAT
from .where import Mark, read_mark, write_mark

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""

_PRIVATE = 0o600


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """How far a copy goes: the last event in it and the chain digest there."""

    head: int
    digest: str
    path: str | None


def export(self: OpenStore, file: str | Path | IO[bytes], *, progress: Progress | None = None) -> Exported:
    """Write the whole log, everybody's, as JSON lines from which the same log can be made again.

    The file holds the store's secret and all that was ever stored: keep it as you keep the store.

    Args:
        self: The store.
        file: A path where nothing is yet, or a stream of bytes.
        progress: See `Progress`.

    Raises:
        Conflict: There is such a file.
        StoreReadOnly, OutOfSpace: It cannot be written.
        Corrupted: The log is damaged; the file is not left behind.
    """
    if not isinstance(file, str | Path):
        head = log_export.export(self.eventlog, file, progress)
        return Exported(head=head.seq, digest=head.digest.hex(), path=None)
    path = Path(file)
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    if path.exists():
        raise Conflict(f"{path} is there already", remedy="choose another path")
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as out:  # noqa: PTH123 - a private file
            head = log_export.export(self.eventlog, out, progress)
            out.flush()
            os.fsync(out.fileno())
        fresh.rename(path)
    except OSError as error:
        raise from_os(error, str(path)) from error
    finally:
        fresh.unlink(missing_ok=True)
    return Exported(head=head.seq, digest=head.digest.hex(), path=str(path))


def restore_export(file: str | Path, folder: str | Path, *, progress: Progress | None = None) -> Exported:
    """Make the store at `folder`, where none is yet, from an export: the same log, to the chain digest.

    Raises:
        Conflict: There is a store.
        NotFound: There is no such file.
        InvalidInput, Corrupted: The file is no export, or damaged; nothing is left behind.
        StoreReadOnly, OutOfSpace: The folder cannot be written.
    """
    folder = Path(folder)
    if read_mark(folder) is not None:
        raise Conflict(f"there is a store at {folder}", remedy="name another folder, or import into that store")
    if not Path(file).is_file():
        raise NotFound(f"there is no file {file}", remedy="check the path")
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


def backup(self: OpenStore, folder: str | Path) -> Exported:
    """Copy the store, as it is now, into a new folder; others may write meanwhile.

    The copy holds the log and what belongs to it; projections are made anew where it is opened. To restore, open it.

    Args:
        self: The store.
        folder: A path where nothing is yet, or an empty folder.

    Raises:
        Conflict: Something is there.
        StoreReadOnly, OutOfSpace: It cannot be written.
    """
    head = log_backup.backup(self.eventlog, folder, beside=("helixlog.json", ".gitignore"))
    return Exported(head=head.seq, digest=head.digest.hex(), path=str(folder))
