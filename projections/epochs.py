"""Which generation of the log the projections on disk were made of, and the right to write any.

Projections repeat what the log says, so after an erasure all that were made
before must go, and nobody may write what they still have in memory of the log
as it was. The chain does not tell the two apart: it stays.

    projections/
    projections.epoch   the log's generation that they were made of (missing: that of a log never erased from)
    projections.lock    shared by those who publish, alone with whoever deletes everything

A publisher holds the lock while it writes and looks first whether the log is
still in the generation it has read; an erasure holds it from before its seal
until everything is deleted. A crash in between leaves an epoch that is not the
log's, which the next open notices.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import StoreBusy
from ..eventlog.log import FIRST_GENERATION, LogReader
from ..eventlog.mapping import from_os

_POLL = 0.005
_PRIVATE = 0o600


def epoch(root: Path) -> str:
    """The generation that the projections under `root` were made of."""
    try:
        return _beside(root, "epoch").read_text("utf-8", errors="replace").strip()
    except OSError:
        return FIRST_GENERATION


def tidy(root: Path, generation: str, in_force: Callable[[], bool]) -> bool:
    """Delete what was made of another generation than this, which the log is in; whether none is left.

    Does nothing while somebody publishes, or erases. `in_force` as for `publishing`.
    """
    if epoch(root) == generation or not root.is_dir():
        return True
    with _locked(root, fcntl.LOCK_EX, 0) as held:
        if held and in_force() and epoch(root) != generation:
            clear(root, generation)
        return held and epoch(root) == generation


def tidy_after(root: Path, log: LogReader) -> None:
    """Delete what was made of another generation than the one a log is in; see `tidy`."""
    generation = log.generation
    tidy(root, generation, lambda: log.head.seq > 0 and log.generation == generation)


@contextlib.contextmanager
def publishing(root: Path, in_force: Callable[[], bool]) -> Iterator[bool]:
    """The right to publish for the length of the block; False while an erasure is at it, or after it.

    Args:
        root: The folder of all projections; it need not be there.
        in_force: Whether the log still is in the generation that the caller has read.
    """
    with _locked(root, fcntl.LOCK_SH, 0) as held:
        yield held and in_force()


@contextlib.contextmanager
def closed(root: Path, wait: float) -> Iterator[None]:
    """Keep everybody from publishing; raises StoreBusy if somebody still is at it after `wait` seconds."""
    with _locked(root, fcntl.LOCK_EX, wait) as held:
        if not held:
            raise StoreBusy(f"another process is publishing in {root}", remedy="wait a moment and try again")
        yield


def clear(root: Path, generation: str) -> None:
    """Delete every projection, for who has the right alone; from here on they are made of `generation`.

    Raises:
        StorageError: Something cannot be deleted.
    """
    try:
        for path in root.iterdir() if root.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        _write(root, generation)
    except OSError as error:
        raise from_os(error, str(root)) from error


def mark(root: Path, generation: str) -> None:
    """Say that what will be published under `root` is made of `generation`; for a publisher."""
    if epoch(root) != generation:
        try:
            _write(root, generation)
        except OSError as error:
            raise from_os(error, str(root)) from error


def _write(root: Path, generation: str) -> None:
    fresh = _beside(root, f"epoch.new-{os.getpid()}")
    fresh.write_text(f"{generation}\n", "utf-8")
    fresh.chmod(_PRIVATE)
    fresh.replace(_beside(root, "epoch"))


def _beside(root: Path, what: str) -> Path:
    return root.with_name(f"{root.name}.{what}")


@contextlib.contextmanager
def _locked(root: Path, kind: int, wait: float) -> Iterator[bool]:
    """Whether the lock was had within `wait` seconds; False also where the folder cannot be written."""
    deadline = time.monotonic() + wait
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(_beside(root, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
    except OSError:
        yield False
        return
    try:
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    yield False
                    return
                time.sleep(_POLL)
            else:
                yield True
                return
    finally:
        os.close(descriptor)
