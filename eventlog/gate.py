"""Many transactions, or one change to the environment they are in."""

from __future__ import annotations

import threading
import time


class Gate:
    """Threads enter and leave; one that closes the gate waits until all have left and keeps others out.

    A thread that is inside may enter again even while another waits to close.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._inside: dict[int, int] = {}
        self._closed = False

    def enter(self) -> None:
        """Go in, once the gate is open."""
        me = threading.get_ident()
        with self._lock:
            while self._closed and me not in self._inside:
                self._changed.wait()
            self._inside[me] = self._inside.get(me, 0) + 1

    def leave(self) -> None:
        """Go out, as often as in."""
        me = threading.get_ident()
        with self._lock:
            if self._inside[me] > 1:
                self._inside[me] -= 1
                return
            del self._inside[me]
            if self._closed:
                self._changed.notify_all()

    def close(self, wait: float | None = None) -> bool:
        """Keep others out and wait until nobody is inside; False (and open) if that took longer than `wait` seconds.

        False at once if the caller itself is inside.
        """
        deadline = None if wait is None else time.monotonic() + wait
        with self._changed:
            if threading.get_ident() in self._inside:
                return False
            if not self._wait_while_closed(deadline):
                return False
            self._closed = True
            if self._wait_while_inside(deadline):
                return True
        self.open()
        return False

    def open(self) -> None:
        """Let others in again."""
        with self._changed:
            self._closed = False
            self._changed.notify_all()

    def _wait_while_closed(self, deadline: float | None) -> bool:
        return self._changed.wait_for(lambda: not self._closed, _left(deadline))

    def _wait_while_inside(self, deadline: float | None) -> bool:
        return self._changed.wait_for(lambda: not self._inside, _left(deadline))


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())
