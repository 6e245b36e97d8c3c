"""`doctor`: what is wrong with a store, what to do about it, and doing it.

Damage may kill the process that opens a log, so it is looked at from outside
first: files, then the log (in a process of its own), and only if that is sound
is the store opened. What is derived is made anew in its place. A damaged log is
never written to: what it still proves is salvaged into a new store.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ..errors import StoreBusy, StoreReadOnly
from ..eventlog import layout
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.readers import Readers
from ..eventlog.salvage import Salvaged
from ..eventlog.verify import Problem, refuse_newer, verify
from . import ailments
from .ailments import Ailment, Level
from .memory import Memory
from .opened import Clock
from .where import read_mark

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""

Status = Literal["sound", "attention", "damaged"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was found.

    `level`: damage (something that was written is not what it was), warning (it works, but not as it should), note.
    `where` is a path or an event, `fixable` whether `--fix` does what `remedy` says, `fixed` whether it has.
    """

    name: str
    level: Level
    where: str
    message: str
    remedy: str
    fixable: bool
    fixed: bool = False


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a store.

    `status` is `damaged` while something written is not what it was, `attention` while a warning stands. `problems`
    are those of `verify` about the log, `readers` who reads it besides (null where it cannot be opened), `salvaged`
    what was saved of a damaged log.
    """

    store: str
    status: Status
    head: int
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    readers: Readers | None
    salvaged: Salvaged | None


def doctor(
    folder: str | Path,
    *,
    fix: bool = False,
    into: str | Path | None = None,
    clock: Clock = time.time_ns,
    api_key: str | None = None,
    progress: Progress | None = None,
) -> Diagnosis:
    """Look a store over, and with `fix` put right what can be.

    Args:
        folder: The store's folder.
        fix: Make anew what is derived; salvage a damaged log into a new store. Nothing damaged is thrown away.
        into: Where a salvaged store goes: a path where nothing is yet; beside the store if not given.
        clock: Gives UTC nanoseconds.
        api_key: For embedders behind an API.
        progress: See `Progress`.

    Raises:
        StoreMissing: There is no store.
        NewerFormat: A newer release made it.
        Conflict: Something is at the place of a salvaged store.
        StoreBusy, StoreReadOnly, OutOfSpace: What was to be fixed cannot be written.
    """
    folder = Path(folder)
    ailments.check_there(folder)
    findings = [_treated(one, fix) for one in ailments.of_files(folder, clock())]
    told: list[Readers] = []
    report = verify(folder, progress, told=told.append)
    refuse_newer(report)
    salvaged = None
    if report.ok:
        findings += _inside(folder, fix=fix, clock=clock, api_key=api_key)
    elif not any(one.name == "pointer" and not one.fixed for one in findings):
        target = Path(into) if into is not None else folder.with_name(f"{folder.name}-salvaged")
        ailment = ailments.of_log(folder, report, target)
        if fix and ailment.fixable:
            salvaged = _salvage(folder, target, report.head, clock, progress)
            remedy = f"look at {target}, then put it in the place of {folder}, which is as it was; or restore a backup"
            ailment = ailment._replace(remedy=remedy, fixable=False)
        findings.append(_treated(ailment, fix=False))
    readers = told[0] if told else None
    findings += [_treated(one, fix) for one in ailments.of_readers(readers)]
    return Diagnosis(
        store=str(folder),
        status=_status(findings),
        head=report.head,
        findings=tuple(findings),
        problems=tuple(report.problems),
        readers=readers,
        salvaged=salvaged,
    )


def _status(findings: list[Finding]) -> Status:
    standing = {one.level for one in findings if not one.fixed}
    return "damaged" if "damage" in standing else "attention" if "warning" in standing else "sound"


def _treated(one: Ailment, fix: bool) -> Finding:  # noqa: FBT001 - the caller's own flag
    """A finding of an ailment, cured if that is wanted and possible."""
    done = fix and one.cure is not None
    if one.cure is not None and fix:
        one.cure()
    return Finding(
        name=one.name,
        level=one.level,
        where=one.where,
        message=one.message,
        remedy=one.remedy,
        fixable=one.fixable,
        fixed=done,
    )


def _inside(folder: Path, *, fix: bool, clock: Clock, api_key: str | None) -> Iterator[Finding]:
    """What is found in a store whose log is sound."""
    with LmdbLog.open(folder, read_only=True) as log:
        found = [*ailments.of_mark(folder, log), *ailments.of_secret(folder, log)]
        yield from [_treated(one, fix) for one in found]
        yield from [_treated(one, fix) for one in ailments.of_clock(log, clock())]
        caches = list(ailments.of_projections(folder, log))
        writable = log.environment.writable
    if not writable:
        yield _treated(ailments.unwritable(folder), fix)
    if read_mark_or_none(folder) is None and not fix:
        yield from [_treated(one, fix=False) for one in caches]
        return
    with Memory(folder, create=False, read_only=not (fix and writable), clock=clock, api_key=api_key) as memory:
        if fix and writable and caches:
            memory.rebuild()
        for one in caches:
            yield msgspec.structs.replace(_treated(one, fix=False), fixed=fix and writable)
        yield from [_treated(one, fix) for one in ailments.of_memory(memory)]


def read_mark_or_none(folder: Path) -> object:
    """The mark, or None where it is missing or damaged."""
    return None if ailments.mark_problem(folder) is not None else read_mark(folder)


def _salvage(folder: Path, target: Path, head: int, clock: Clock, progress: Progress | None) -> Salvaged:
    """Salvage under the write lock, if there is one to be had: a file that somebody writes to proves less."""
    lock = None
    try:
        lock = layout.WriteLock(layout.log_folder(folder))
        lock.acquire(10.0)
    except (StoreReadOnly, StoreBusy):
        if lock is not None:
            lock.close()
            raise
    try:
        return ailments.salvage_into(folder, target, head=head, now=clock(), entropy=os.urandom, progress=progress)
    finally:
        if lock is not None:
            lock.close()
