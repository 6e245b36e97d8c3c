"""Where a log's files are.

    STORE/
      secret            32 random bytes, only the owner may read them; keys digests that must not be guessable
      log/
        CURRENT         the name of the generation in force
        lock            the write lock (`flock`)
        g1/             a generation: one LMDB environment (data.mdb, lock.mdb)

Everything new is written beside its place, synced and renamed into it, so a
power cut leaves either the old or the new, and at most a `.new-*` folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp

from ..errors import Conflict, Corrupted, StoreBusy, StoreMissing
from .mapping import from_os
from .record import RESTORE

FIRST_GENERATION = "g1"
DATA = "data.mdb"
SECRET_SIZE = 32
_PRIVATE = 0o600
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
    try:
        name = (log / "CURRENT").read_text("utf-8").strip()
    except FileNotFoundError as error:
        raise StoreMissing(f"there is no store at {log.parent}", remedy="create one, or name another path") from error
    except UnicodeDecodeError:
        name = ""
    if not name or Path(name).name != name or not (log / name / DATA).is_file():
        raise Corrupted(f"{log / 'CURRENT'} names no log that is there", remedy=RESTORE)
    return name


def point_to(log: Path, generation: str) -> None:
    """Put a generation in force."""
    new = log / "CURRENT.new"
    new.write_text(generation + "\n", "utf-8")
    sync(new)
    new.replace(log / "CURRENT")
    sync(log)


@contextlib.contextmanager
def building(folder: Path) -> Iterator[Path]:
    """A new folder to fill, that becomes `folder` if all goes well and vanishes if not.

    Raises:
        Conflict: `folder` exists and is not empty.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        yield new
        for inner, _folders, files in os.walk(new):
            for name in (*files, "."):
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
    folder.mkdir(parents=True, exist_ok=True)
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
                return
            if time.monotonic() >= deadline:
                raise StoreBusy(f"another process has held {self.path} for {wait:g} s", remedy="try again later")
            time.sleep(pause)
            pause = min(pause * 2, longest)

    def release(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; a copy inherited by another process keeps its lock."""
        os.close(self._descriptor)
