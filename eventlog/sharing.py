"""One environment per log folder and process, whoever opens it.

LMDB's locks belong to the process, so a second environment on the same files
would take the first one's away when it closes. This table is the one piece of
state that belongs to the process; forks go through it.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from . import layout
from .environment import Environment

_table: dict[tuple[int, int], Environment] = {}
_table_lock = threading.RLock()


def shared(log: Path, *, map_size: int) -> Environment:
    """The environment of a log folder, opened if this process has none; `release` it when done."""
    with _table_lock:
        key = _identity(log)
        environment = _table.get(key)
        if environment is None:
            environment = _table[key] = Environment(log, map_size=map_size)
        environment.users += 1
        return environment


def release(environment: Environment) -> None:
    """Give an environment back; the last user closes it."""
    with _table_lock:
        environment.users -= 1
        if not environment.users:
            for key in [key for key, value in _table.items() if value is environment]:
                del _table[key]
            environment.close()


def _identity(log: Path) -> tuple[int, int]:
    layout.current(log)
    status = log.stat()
    return status.st_dev, status.st_ino


def _before_fork() -> None:
    _table_lock.acquire()
    for environment in _table.values():
        environment.before_fork()


def _after_fork(*, child: bool) -> None:
    for environment in _table.values():
        if child:
            environment.after_fork_in_child()
        else:
            environment.after_fork_in_parent()
    _table_lock.release()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(child=False),
    after_in_child=lambda: _after_fork(child=True),
)
