"""Group commit: appends that threads of one process make at the same time share a transaction.

The first to come leads: it takes the write lock, gathers everything asked for
meanwhile, commits that in one transaction and hands each its outcome. One
request's failure is its own; only a failed commit fails them all.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..errors import StorageError, StoreBusy
from .appending import Request
from .layout import WriteLock
from .log import Appended


class Entry:
    """A request in the queue, and its outcome."""

    __slots__ = ("appended", "done", "error", "leads", "request", "turn", "work")

    def __init__(self, request: Request | None, work: Callable[[], None] | None = None) -> None:
        self.request = request
        self.work = work
        self.appended: Appended | None = None
        self.error: BaseException | None = None
        self.done = False
        self.leads = False
        self.turn = threading.Lock()
        self.turn.acquire()

    def outcome(self) -> Appended:
        """Where it went, or the error raised."""
        if self.error is not None:
            raise self.error
        assert self.appended is not None  # noqa: S101 - a commit gives each entry one of the two
        return self.appended


class Committer:
    """The queue of one process and log.

    Args:
        lock: The write lock between processes.
        commit: Commits entries in one transaction, giving each an outcome; what it raises is the outcome of all.
    """

    def __init__(self, lock: WriteLock, commit: Callable[[list[Entry]], None]) -> None:
        self._lock = lock
        self._commit = commit
        self._mutex = threading.Lock()
        self._waiting: list[Entry] = []
        self._led = False

    def submit(self, request: Request, wait: float) -> Appended:
        """Commit a request, alone or with others, with at most `wait` seconds until its commit begins."""
        entry = Entry(request)
        self._queue(entry, wait)
        return entry.outcome()

    def alone(self, work: Callable[[], None], wait: float) -> None:
        """Do something under the write lock that shares it with no append, begun within `wait` seconds."""
        entry = Entry(None, work)
        self._queue(entry, wait)
        if entry.error is not None:
            raise entry.error

    def _queue(self, entry: Entry, wait: float) -> None:
        deadline = time.monotonic() + wait
        with self._mutex:
            self._waiting.append(entry)
            entry.leads, self._led = not self._led, True
        if not entry.leads:
            self._follow(entry, wait)
        if entry.leads:
            self._lead(entry, max(0.0, deadline - time.monotonic()))

    def _follow(self, entry: Entry, wait: float) -> None:
        """Wait for the outcome, or for the lead."""
        try:
            if entry.turn.acquire(timeout=wait) or not self._withdraw(entry):
                return
        except BaseException:
            # An interrupt must not take the lead with it.
            if not self._withdraw(entry) and entry.leads:
                with self._mutex:
                    self._waiting.remove(entry)
                self._hand_over()
            raise
        entry.error = StoreBusy(f"other threads held the log for {wait:g} s", remedy="try again later")

    def _withdraw(self, entry: Entry) -> bool:
        """Take a request back; False if it has the lead by now, or (once that is so) its outcome."""
        with self._mutex:
            if entry.leads:
                return False
            if entry in self._waiting:
                self._waiting.remove(entry)
                return True
        if not entry.done:
            entry.turn.acquire()
        return False

    def _lead(self, entry: Entry, wait: float) -> None:
        batch: list[Entry] = []
        try:
            self._lock.acquire(wait)
            try:
                batch = self._gather(entry)
                if entry.work is None:
                    self._commit(batch)
                else:
                    entry.work()
            finally:
                self._lock.release()
        except BaseException as error:
            self._fail(batch or [entry], error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._hand_over()
            for finished in batch:
                finished.done = True
                if finished is not entry:
                    finished.turn.release()

    def _gather(self, leader: Entry) -> list[Entry]:
        """What is done in one go: everything that waits to be appended, or the leader's own work."""
        with self._mutex:
            batch = [entry for entry in self._waiting if entry is leader or leader.work is entry.work is None]
            self._waiting = [entry for entry in self._waiting if entry not in batch]
        return batch

    def _fail(self, batch: list[Entry], error: BaseException) -> None:
        if not isinstance(error, Exception):
            error = StorageError(
                "the append was interrupted; it may or may not be in the log",
                remedy="look at the log, or repeat it with an idempotency key",
            )
        for entry in batch:
            entry.error = error
        with self._mutex:
            self._waiting = [entry for entry in self._waiting if entry not in batch]

    def _hand_over(self) -> None:
        """Give the lead to the first in the queue, if there is one."""
        with self._mutex:
            self._led = bool(self._waiting)
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].turn.release()
