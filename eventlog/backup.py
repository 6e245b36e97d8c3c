"""Copies of a log, whole and compact, while others write."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from ..errors import Conflict
from . import layout
from .lmdb_log import LmdbLog
from .log import Head
from .mapping import from_os


def backup(log: LmdbLog, target: Path | str, *, beside: Sequence[str] = ()) -> Head:
    """Copy a log and its secret into the new store folder `target`; returns the head of the copy.

    To restore, open the copy. A copy never overwrites anything.

    Args:
        log: The log to copy.
        target: A path where nothing is yet, or an empty folder.
        beside: Names of other files of the store's folder to copy if they are there.

    Raises:
        Conflict: `target` is there and not empty.
        OutOfSpace, StoreReadOnly: The target cannot be written.
        Corrupted: The secret is not there.
    """
    target = Path(target)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Conflict(f"{target} is there already", remedy="choose another path")
    try:
        with layout.building(target) as new:
            layout.make_secret(new, log.secret)
            generation = layout.log_folder(new) / layout.FIRST_GENERATION
            generation.mkdir(parents=True)
            log.view(lambda transaction: transaction.copy_to(str(generation)))
            layout.point_to(layout.log_folder(new), layout.FIRST_GENERATION)
            for name in beside:
                if (log.folder / name).is_file():
                    shutil.copy2(log.folder / name, new / name)
    except OSError as error:
        raise from_os(error, str(target)) from error
    with LmdbLog.open(target, read_only=True) as copy:
        return copy.head
