"""What LMDB and the operating system report, as this project's errors."""

from __future__ import annotations

import errno

import lmdb

from ..errors import Corrupted, ForeignProcess, HelixlogError, OutOfSpace, StorageError, StoreBusy, StoreReadOnly
from .record import RESTORE

_MORE_ROOM = "free disk space, or raise the quota or the file size limit; if there is room, check the disk"
_TRY_AGAIN = "try again; if it stays so, see which processes use the store"
_REOPEN = "close the store and open it again"
_REPORT = "report this with the steps that led to it"

LMDB_ERRORS: dict[str, tuple[type[HelixlogError], str]] = {
    "BadChecksumError": (Corrupted, RESTORE),
    "BadDbiError": (StorageError, _REOPEN),
    "BadRslotError": (ForeignProcess, _REOPEN),
    "BadTxnError": (StorageError, _REOPEN),
    "BadValsizeError": (StorageError, _REPORT),
    "CorruptedError": (Corrupted, RESTORE),
    "CryptoFailError": (StorageError, _REPORT),
    "CursorFullError": (Corrupted, RESTORE),
    "DbsFullError": (StorageError, _REPORT),
    "DiskError": (OutOfSpace, _MORE_ROOM),
    "EnvEncryptionError": (StorageError, _REPORT),
    "IncompatibleError": (Corrupted, RESTORE),
    "InvalidError": (Corrupted, RESTORE),
    "InvalidParameterError": (StorageError, _REPORT),
    "KeyExistsError": (Corrupted, RESTORE),
    "LockError": (StoreBusy, _TRY_AGAIN),
    "MapFullError": (OutOfSpace, "raise the limit on the process's address space (`ulimit -v`)"),
    "MapResizedError": (StoreBusy, _TRY_AGAIN),
    "MemoryError": (OutOfSpace, "free memory, or raise the limit on the process's address space (`ulimit -v`)"),
    "NotFoundError": (Corrupted, RESTORE),
    "PageFullError": (Corrupted, RESTORE),
    "PageNotFoundError": (Corrupted, RESTORE),
    "PanicError": (StorageError, _REOPEN),
    "ProblemError": (StorageError, _REOPEN),
    "ReadersFullError": (StoreBusy, _TRY_AGAIN),
    "ReadonlyError": (StoreReadOnly, "make the store's folder writable, or only read"),
    "TlsFullError": (StorageError, _REOPEN),
    "TxnFullError": (StorageError, "append in smaller batches"),
    "VersionMismatchError": (
        Corrupted,
        "open the store with a release of LMDB that reads its files, or restore a backup",
    ),
}
"""By the name of LMDB's error class (older releases of py-lmdb lack some)."""

# A write that stops short for want of room reaches us as EIO: LMDB does not ask why it was short.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_NO_RIGHT = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def from_lmdb(error: lmdb.Error, where: str) -> HelixlogError:
    """The error to raise for LMDB's; `where` is the path it happened at."""
    if type(error) is lmdb.Error:
        return _from_errno(getattr(error, "code", 0), str(error), where)
    kind, remedy = LMDB_ERRORS.get(type(error).__name__, (StorageError, _REPORT))
    return kind(f"{where}: {error}", remedy=remedy)


def from_os(error: OSError, where: str) -> HelixlogError:
    """The error to raise for the operating system's."""
    return _from_errno(error.errno or 0, error.strerror or str(error), where)


def _from_errno(code: int, text: str, where: str) -> HelixlogError:
    if code in _NO_ROOM:
        return OutOfSpace(f"{where}: {text}", remedy=_MORE_ROOM)
    if code in _NO_RIGHT:
        return StoreReadOnly(f"{where}: {text}", remedy="make the store's folder writable, or only read")
    return StorageError(f"{where}: {text}", remedy="see that the path exists and its disk is in order")
