"""What can be wrong with a store, each with what to do and, where that is possible, the cure."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from ..constants import DAY, Constants
from ..errors import Corrupted, EmbedderMismatch, EmbedderUnavailable, StoreMissing
from ..eventlog import layout, record
from ..eventlog.appending import Entropy
from ..eventlog.events import StoreCreated
from ..eventlog.ids import new_id
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.readers import Readers
from ..eventlog.salvage import Salvaged, holds_records, in_force, salvage
from ..eventlog.verify import VerifyReport, verify
from .opened import OpenStore
from .projections import FOLDER, estranged, published
from .times import format_time
from .where import MARK, Mark, no_store, read_mark, write_mark

Level = Literal["damage", "warning", "note"]
Progress = Callable[[int, int], None]
BACKUP = "put it back from a backup of the store"
LEFT_BEHIND = 3_600
"""Seconds after which something half made is taken for what a crash left behind."""

LONG_READ = 1_000
"""Commits during one read transaction from which it is worth a warning."""


class Ailment(NamedTuple):
    """Something wrong: see `doctor.Finding`. `fixable` may be true without a `cure` where it is one of several."""

    name: str
    level: Level
    where: str
    message: str
    remedy: str
    cure: Callable[[], None] | None = None
    fixable: bool = False


def _curable(name: str, level: Level, where: object, message: str, *, remedy: str, cure: Callable[[], None]) -> Ailment:
    return Ailment(name, level, str(where), message, remedy, cure, fixable=True)


def check_there(folder: Path) -> None:
    """Refuse where there is no store, or one of a newer release."""
    if mark_problem(folder) is None and read_mark(folder) is None and not layout.log_folder(folder).is_dir():
        raise no_store(folder)


def mark_problem(folder: Path) -> str | None:
    """What is wrong with the bytes of the mark; NewerFormat is raised."""
    try:
        read_mark(folder)
    except Corrupted as error:
        return error.message
    return None


# -- files ----------------------------------------------------------------------


def of_files(folder: Path, now: int) -> Iterator[Ailment]:
    """The pointer of the log, and what crashes left behind."""
    log = layout.log_folder(folder)
    yield from _pointer(log)
    for place in (folder, log):
        for path in sorted(place.iterdir()) if place.is_dir() else ():
            half_made = ".new-" in path.name or path.name.endswith(".new")
            if half_made and path.lstat().st_mtime < now / 1e9 - LEFT_BEHIND:
                message = f"{path} was left behind half made"
                yield _curable("leftover", "note", path, message, remedy="remove it", cure=partial(_remove, path))


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _pointer(log: Path) -> Iterator[Ailment]:
    where = log / "CURRENT"
    try:
        layout.current(log)
    except (StoreMissing, Corrupted) as error:
        name = in_force(log) if log.is_dir() else None
        if name is None:
            message = f"{log} holds no log: {error.message}"
            yield Ailment(
                "pointer", "damage", str(where), message, "restore a backup: `helix restore BACKUP --into PATH`"
            )
            return
        message = f"{where} does not say which log is in force"
        yield _curable(
            "pointer", "damage", where, message, remedy=f"point it to {name}", cure=partial(layout.point_to, log, name)
        )


# -- the log ---------------------------------------------------------------------


def of_log(folder: Path, report: VerifyReport, target: Path) -> Ailment:
    """A damaged log."""
    log = layout.log_folder(folder)
    first = report.problems[0]
    count = "1 problem" if len(report.problems) == 1 else f"{len(report.problems)} problems"
    at = f" at @{first.seq}" if first.seq else ""
    message = f"{count} in the log, listed by `helix verify`; the first: {first.kind}{at}, {first.message}"
    if not holds_records(log / layout.current(log) / layout.DATA):
        return Ailment("log", "damage", str(log), message, "restore a backup: `helix restore BACKUP --into PATH`")
    remedy = (
        f"restore a backup, or salvage what still verifies into {target} with `helix doctor --fix`; "
        "the damaged store is kept as it is"
    )
    return Ailment("log", "damage", str(log), message, remedy, fixable=True)


def salvage_into(
    folder: Path, target: Path, *, head: int, now: int, entropy: Entropy, progress: Progress | None
) -> Salvaged:
    """Make a new store at `target` of what the log of a damaged one, which had `head` events at least, still proves."""
    log = layout.log_folder(folder)
    secret = None
    with contextlib.suppress(Corrupted):
        secret = layout.read_secret(folder)
    mark = None if mark_problem(folder) is not None else read_mark(folder)
    store_id = new_id(now, entropy) if mark is None else mark.store_id
    seqs = [one.seq for one in published(folder / FOLDER) if one.seq is not None]
    saved = salvage(
        log / layout.current(log) / layout.DATA,
        target,
        secret=secret,
        genesis=StoreCreated(store_id=store_id, tenant=store_id, format=record.FORMAT, constants=Constants().as_dict()),
        clock=now,
        entropy=entropy,
        reason="lost to damage; the rest was salvaged",
        at_least=max([head, *seqs]),
        progress=progress,
    )
    with LmdbLog.open(target, read_only=True) as made:
        genesis = made.get(1).event
    if isinstance(genesis, StoreCreated):
        write_mark(target, Mark(format=record.FORMAT, store_id=genesis.store_id))
    if not verify(target).ok:
        raise Corrupted(f"what was salvaged into {target} does not verify", remedy="restore a backup")
    return saved


# -- what belongs to a sound log ----------------------------------------------------


def of_mark(folder: Path, log: LmdbLog) -> Iterator[Ailment]:
    """The mark must be there, be readable, and be of this log's store."""
    genesis = log.get(1).event
    if not isinstance(genesis, StoreCreated):
        return
    problem, path = mark_problem(folder), folder / MARK
    mark = None if problem is not None else read_mark(folder)
    if mark is not None and mark.store_id == genesis.store_id:
        return
    if problem is None:
        problem = f"{path} is not there" if mark is None else f"{path} is of store {mark.store_id}"
    right = Mark(format=record.FORMAT, store_id=genesis.store_id)
    remedy = f"if the log is the right one (store {genesis.store_id}), write {MARK} anew from it"
    yield _curable("mark", "damage", path, problem, remedy=remedy, cure=partial(write_mark, folder, right))


def of_secret(folder: Path, log: LmdbLog) -> Iterator[Ailment]:
    """The secret must be whole and the owner's alone. A lost one is only made anew where nothing was keyed with it."""
    path = folder / "secret"
    try:
        layout.read_secret(folder)
    except Corrupted as error:
        if any(record.read(raw).header.key is not None for raw in log.raw(1, log.head.seq)):
            message = (
                f"{error.message}: keys that were used before are not recognised, and nothing with a key is stored"
            )
            yield Ailment("secret", "damage", str(path), message, BACKUP)
        else:
            remedy = f"{BACKUP}, or make a new one: nothing in the log depends on it"
            yield _curable("secret", "damage", path, error.message, remedy=remedy, cure=partial(_new_secret, folder))
        return
    if path.stat().st_mode & 0o077:
        message = f"others may read {path}, which keys what must not be guessed"
        yield _curable("secret", "warning", path, message, remedy=f"chmod 600 {path}", cure=partial(path.chmod, 0o600))


def _new_secret(folder: Path) -> None:
    path = folder / "secret"
    if path.exists():
        path.rename(folder / "secret.damaged")
    layout.make_secret(folder, os.urandom(layout.SECRET_SIZE))


def of_projections(folder: Path, log: LmdbLog) -> Iterator[Ailment]:
    """Generations that are damaged, and those that are not of this log."""
    root = folder / FOLDER
    remedy = "make it anew from the log, where nothing of it is lost: `helix rebuild`"
    for one in published(root):
        if one.problem is not None:
            yield Ailment("projection", "damage", str(root / one.name), one.problem, remedy, fixable=True)
    for why in estranged(root, log):
        put_back = (
            "if this log is an older one or another store's, put the right one back or restore a backup; "
            "if it is right, make the projection anew from it: `helix rebuild`"
        )
        yield Ailment("projection", "damage", str(root), why, put_back, fixable=True)


def unwritable(folder: Path) -> Ailment:
    """A log that can only be read."""
    where = layout.log_folder(folder)
    return Ailment("rights", "warning", str(where), f"{where} cannot be written", "see its rights and its disk")


def of_clock(log: LmdbLog, now: int) -> Iterator[Ailment]:
    """Events that pushed the log's time more than a day past what later clocks, or this machine's, say."""
    time, mover, latest = -(1 << 63), 0, now
    late: dict[int, list[int]] = {}
    for raw in log.raw(1, log.head.seq):
        header = record.read(raw).header
        if header.recorded_at > time:
            time, mover = header.recorded_at, header.seq
        if header.clock is not None and header.recorded_at - header.clock > DAY:
            late.setdefault(mover, []).append(header.clock)
    if time - latest > DAY:
        late.setdefault(mover, []).append(latest)
    for seq, clocks in late.items():
        at = log.get(seq).recorded_at
        days = (at - min(clocks)) // DAY
        message = (
            f"event @{seq} is of {format_time(at)}, {days:,} days after the clock of what came later; "
            "until then every event gets that time"
        )
        remedy = (
            "set the clock right; times in a log never run backwards, so a store without that event is a new one: "
            f"`helix restore STORE --into PATH --as-of @{seq - 1}`"
        )
        yield Ailment("clock", "warning", f"@{seq}", message, remedy)


def of_memory(memory: OpenStore) -> Iterator[Ailment]:
    """What an open store lacks."""
    beliefs = memory.view().beliefs
    try:
        memory.embedder(beliefs.fingerprint)
    except (EmbedderUnavailable, EmbedderMismatch) as error:
        message = f"{error.message}: memories are found by words and names only"
        yield Ailment("embedder", "warning", str(beliefs.fingerprint), message, error.remedy)
    if beliefs.unknown:
        message = f"{beliefs.unknown} events are of types that this release does not know, and are passed over"
        yield Ailment("events", "note", "log", message, "upgrade Helixlog")


def of_readers(readers: Readers | None) -> Iterator[Ailment]:
    """Readers that hold pages, and the slots of dead ones, which looking has cleared."""
    if readers is None:
        return
    if readers.stale:
        message = f"{readers.stale} reader slots of processes that were killed"
        yield _curable(
            "readers", "note", "log", message, remedy="clear them; every opening of the store does", cure=_nothing
        )
    oldest = readers.oldest
    if oldest is not None and oldest.commits >= LONG_READ:
        yield Ailment(
            "readers", "warning", f"process {oldest.pid}", reader_cost(readers), "end or restart that process"
        )


def _nothing() -> None:
    """Looking has done it."""


def reader_cost(readers: Readers) -> str:
    """What the oldest reader keeps from being used again, in words."""
    oldest = readers.oldest
    if oldest is None:
        return "nobody reads just now"
    size = readers.idle_pages * readers.page_size / 1e6
    return (
        f"process {oldest.pid} has been reading for {oldest.commits:,} commits; "
        f"up to {readers.idle_pages:,} pages ({size:.1f} MB) are kept for it"
    )
