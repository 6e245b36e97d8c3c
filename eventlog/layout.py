"""Where a log's files are.

    STORE/
      secret            32 random bytes, only the owner may read them; keys digests that must not be guessable
      log/
        CURRENT         the name of the generation in force
        lock            the write lock (`flock`)
        g1/             a generation: one LMDB environment (data.mdb, lock.mdb)

Files are the owner's alone (0600), and so are folders (0700). Everything new is
written beside its place, synced and renamed into it, so a power cut leaves
either the old or the new, and at most a `.new-*` folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from ..errors import Conflict, Corrupted, StorageError, StoreBusy, StoreMissing
from .log import FIRST_GENERATION as _FIRST
from .mapping import from_os
from .record import RESTORE

FIRST_GENERATION = _FIRST
DATA = "data.mdb"
SECRET_SIZE = 32
_PRIVATE, _PRIVATE_FOLDER = 0o600, 0o700
MAY_READ = "see whose store it is, and who may read it"
_POLL_SECONDS = 0.0005, 0.005


def log_folder(folder: Path) -> Path:
    """The log of the store in `folder`."""
    return folder / "log"


def exists(folder: Path | str) -> bool:
    """Whether there is a log in the store folder."""
    return (log_folder(Path(folder)) / "CURRENT").is_file()


def current(log: Path) -> str:
    """The name of the generation in force.

    Raises:
        StoreMissing: There is no log.
        Corrupted: The pointer names nothing that is there.
    """
    before = None
    while True:
        try:
            name = (log / "CURRENT").read_text("utf-8").strip()
        except FileNotFoundError as error:
            raise StoreMissing(
                f"there is no store at {log.parent}", remedy="create one, or name another path"
            ) from error
        except UnicodeDecodeError:
            name = ""
        except OSError as error:
            raise StorageError(f"{log / 'CURRENT'} cannot be read: {error.strerror}", remedy=MAY_READ) from error
        if name and Path(name).name == name and (log / name / DATA).is_file():
            return name
        # An erasure puts another in force before it drops one, so what is gone is no longer named.
        if name == before:
            raise Corrupted(f"{log / 'CURRENT'} names no log that is there", remedy=RESTORE)
        before = name


def after(generation: str) -> str:
    """The name of the generation that takes the place of this one."""
    digits = generation.removeprefix("g")
    return f"g{int(digits) + 1}" if digits.isdecimal() else f"{generation}-1"


def point_to(log: Path, generation: str) -> None:
    """Put a generation in force."""
    put_file(log / "CURRENT", f"{generation}\n".encode())


def put_file(path: Path, data: bytes) -> None:
    """Put a small file in place, durably: whoever looks, and whatever happens, it is the old one or this, whole."""
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE), "wb") as file:
            file.write(data)
        sync(new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    sync(path.parent)


def keep_private(path: Path) -> None:
    """Make a file or folder the owner's alone, whatever the umask was."""
    path.chmod(_PRIVATE_FOLDER if path.is_dir() else _PRIVATE)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each durable in the one it stands in."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        with contextlib.suppress(PermissionError):  # one that may be written and not read cannot be synced
            sync(one.parent)


@contextlib.contextmanager
def building(folder: Path) -> Iterator[Path]:
    """A new folder to fill, that becomes `folder` if all goes well and vanishes if not.

    Raises:
        Conflict: `folder` exists and is not empty.
    """
    make_folder(folder.parent)
    new = Path(mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        yield new
        for inner, _folders, files in os.walk(new):
            for name in (*files, "."):
                keep_private(Path(inner, name))
                sync(Path(inner, name))
        try:
            new.rename(folder)
        except OSError as error:
            if folder.exists():
                raise Conflict(f"{folder} is there already", remedy="choose another path") from error
            raise from_os(error, str(folder)) from error
        sync(folder.parent)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def make_secret(folder: Path, entropy: bytes) -> bytes:
    """The store's secret; `entropy` becomes it if there was none. Of several writers at once, one wins."""
    make_folder(folder)
    new = Path(mkdtemp(prefix=".new-", dir=folder))
    try:
        descriptor = os.open(new / "secret", os.O_WRONLY | os.O_CREAT, _PRIVATE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(entropy)
        sync(new / "secret")
        with contextlib.suppress(FileExistsError):
            os.link(new / "secret", folder / "secret")
            sync(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return read_secret(folder)


def read_secret(folder: Path) -> bytes:
    """The store's secret; raises Corrupted if it is not there or cut short."""
    path = folder / "secret"
    try:
        secret = path.read_bytes()
    except OSError as error:
        raise Corrupted(f"{path} cannot be read: {error.strerror}", remedy="put it back from a backup") from error
    if len(secret) != SECRET_SIZE:
        raise Corrupted(f"{path} holds {len(secret)} bytes, not 32", remedy="put it back from a backup")
    return secret


def sync(path: Path) -> None:
    """Make a file's content, or a folder's entries, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tidy(log: Path, pointer: str, generation: str, in_force: Callable[[], bool]) -> None:
    """Finish what a crash left half done: point to the generation in force and drop the others.

    `pointer` is what CURRENT said, `in_force` whether `generation` still is what it leads to; both may have changed
    before the lock was had. Does nothing while somebody writes: the writer may be making a generation.
    """
    others = [path for path in log.iterdir() if path.is_dir() and path.name != generation]
    if not others:
        return
    lock = WriteLock(log)
    try:
        lock.acquire(0)
        if current(log) == pointer and in_force():
            if pointer != generation:
                point_to(log, generation)
            for path in others:
                shutil.rmtree(path, ignore_errors=True)
    except StoreBusy:
        pass
    finally:
        lock.close()


class WriteLock:
    """The write lock of a log, between processes. LMDB has its own, but that one waits for ever.

    Its file names the process that took it last, and was written when it did.

    Raises:
        StoreReadOnly: The lock file cannot be opened for writing.
    """

    def __init__(self, log: Path) -> None:
        self.path = log / "lock"
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
        except OSError as error:
            raise from_os(error, str(self.path)) from error

    def acquire(self, wait: float) -> None:
        """Take the lock within `wait` seconds, or raise StoreBusy."""
        deadline = time.monotonic() + wait
        pause, longest = _POLL_SECONDS
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with contextlib.suppress(OSError):  # a full disk must not stop who wants to read
                    os.pwrite(self._descriptor, b"%-20d\n" % os.getpid(), 0)
                return self._still_there()
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"{self.path} was not free within {wait:g} s: {self.holder()}",
                    remedy="try again later; if it stays so, see what that process does",
                )
            time.sleep(pause)
            pause = min(pause * 2, longest)

    def holder(self) -> str:
        """Who took the lock last, and when (UTC)."""
        pid = os.pread(self._descriptor, 20, 0).strip()
        if not pid.isdigit():
            return "another process holds it"
        since = datetime.fromtimestamp(os.fstat(self._descriptor).st_mtime, UTC)
        return f"process {int(pid)} has held it since {since:%Y-%m-%dT%H:%M:%SZ}"

    def _still_there(self) -> None:
        """Refuse to write into files that were deleted or moved away: what was put there nobody would find."""
        try:
            if os.path.samestat(os.fstat(self._descriptor), self.path.stat()):
                return
        except FileNotFoundError:
            pass
        self.release()
        raise StoreMissing(
            f"{self.path.parent} was deleted or moved while it was open", remedy="open the store where it is now"
        )

    def release(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; a copy inherited by another process keeps its lock."""
        os.close(self._descriptor)
