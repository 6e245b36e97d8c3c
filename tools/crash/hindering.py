"""Rounds of hindrance: a disk that fills up (in three ways), rights that are missing or taken, a map that must grow.

Here is what the parent does; `hindered` is what happens in the children.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from .checking import Promise, promises
from .kills import judge, template, whole
from .nursery import Child, Nursery, Starter
from .tally import Tally
from .workloads import WORKLOADS, fresh

ROOM = 20_000
"""Bytes that the files may grow by before they are full."""
DISK = 900_000
"""Bytes of the small disk."""
SPACE = 3_000_000
"""Bytes of address space left for a map to grow in."""
DEEP_ENOUGH = 6


def refused(lines: list[str], codes: tuple[str, ...]) -> str:
    """What is wrong with how a workload was refused; empty if it was, by one of these codes and no other."""
    given = [line.split(" ", 2)[1] for line in lines if line.startswith("REFUSED ")]
    if not given or set(given) - set(codes):
        return f"it was to be refused with {' or '.join(codes)}, and was with {given}: {lines[-2:]}"
    return ""


def more_than_said(lines: list[str]) -> list[str]:
    """Whether a refused append is in the log all the same, for a workload that acknowledges every append."""
    for place, line in enumerate(lines):
        if line.startswith("HEAD "):
            told = promises(lines[:place])[-1].seq
            if int(line.split()[1]) != told:
                return [f"it was told of {told} events and refused the next, and the log has {line.split()[1]}"]
    return []


def _finish(child: Child, label: str, tally: Tally) -> list[str]:
    try:
        code, printed = child.finish()
    except TimeoutError as error:
        tally.losses.append(f"{label}: {error}")
        return []
    lines = whole(printed)
    if code:
        tally.losses.append(f"{label}: it ended with {code}: {printed[-600:]}")
    return lines


def full_files(nursery: Starter, name: str, seed: int, place: Path, room: int = ROOM) -> Tally:
    """The file-size limit: every file is full at once; then there is room again."""
    label, tally = f"full: {name}, seed {seed}, file size limit", Tally(faults=1)
    if name == "create":
        shutil.rmtree(place)
        room = ROOM // 2
    lines = _finish(nursery.start("crash.hindered:no_room_in_files", name, place, seed, room), label, tally)
    return _afterwards(nursery, name, place, lines, label=label, tally=tally)


def full_map(nursery: Starter, seed: int, place: Path, space: int = SPACE) -> Tally:
    """The limit on address space: the map cannot grow; then it can."""
    label, tally = f"full: store, seed {seed}, address space", Tally(faults=1)
    lines = _finish(nursery.start("crash.hindered:no_room_for_the_map", "store", place, seed, space), label, tally)
    return _afterwards(nursery, "store", place, lines, label=label, tally=tally)


def full_disk(nursery: Starter, name: str, seed: int, base: Path, scratch: Path) -> Tally:
    """A small disk that fills up; then it is made larger."""
    label, tally = f"full: {name}, seed {seed}, small disk", Tally(faults=1)
    with small_disk(scratch / "disk") as disk:
        place = Path(shutil.copytree(base, disk / "store"))
        lines = _finish(nursery.start("crash.hindered:no_room_on_the_disk", name, place, seed), label, tally)
        _grown(disk)
        lines += _finish(nursery.start("crash.workloads:run", name, place, seed + 1_000, 1), label, tally)
        return _afterwards(nursery, name, place, lines, label=label, tally=tally)


def _afterwards(nursery: Starter, name: str, place: Path, lines: list[str], *, label: str, tally: Tally) -> Tally:
    if wrong := refused(lines, ("out_of_space",)):
        tally.losses.append(f"{label}: {wrong}")
    if "DONE" not in lines:
        tally.losses.append(f"{label}: it did not go on when there was room: {lines[-2:]}")
    told = promises(lines)
    if name == "store":
        tally.losses += [f"{label}: {wrong}" for wrong in more_than_said(lines)]
    if name == "create":
        told = told[-DEEP_ENOUGH:]
    judge(nursery, place, told, label, tally)
    return tally


def mountable() -> str:
    """Why there can be no small disk; empty if there can."""
    if os.geteuid() != 0:
        return "only root may mount a small disk"
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)  # noqa: S607 - of the system
    return "" if tried.returncode == 0 else "mounting is not allowed here"


@contextlib.contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of `DISK` bytes in memory."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", place], check=True)  # noqa: S607
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)  # noqa: S607


def _grown(place: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,size={DISK * 20}", place], check=True)  # noqa: S607


# -- rights --------------------------------------------------------------------


def no_rights(nursery: Starter, way: str, name: str, seed: int, place: Path) -> Tally:
    """One of `hindered`'s: not_writable, rights_taken, unreadable, taken_away."""
    label, tally = f"rights: {name}, seed {seed}, {way}", Tally(faults=1)
    every = [place.parent, place, *place.rglob("*")]
    if way == "not_writable":
        for path in every:
            path.chmod(0o555 if path.is_dir() else 0o444)
    if way == "unreadable":
        (place / "log").chmod(0)
    before = {str(path) for path in place.parent.rglob("*")}
    lines = _finish(nursery.start(f"crash.hindered:{way}", name, place, seed), label, tally)
    if way == "not_writable" and before != {str(path) for path in place.parent.rglob("*")}:
        tally.losses.append(f"{label}: files came or went")
    for path in every:
        if path.exists():
            path.chmod(0o755 if path.is_dir() else 0o644)
    codes = {
        "not_writable": ("store_read_only",),
        "unreadable": ("storage_failed", "store_read_only"),
        "taken_away": ("store_missing",),
    }
    if way in codes and (wrong := refused(lines, codes[way])):
        tally.losses.append(f"{label}: {wrong}")
    if way == "rights_taken" and "DONE" not in lines:
        tally.losses.append(f"{label}: it did not go on when the rights were back")
    tally.losses += [f"{label}: {line}" for line in lines if line.startswith(("LOST", "OPENED"))]
    if place.exists():
        judge(nursery, place, promises(lines), label, tally)
    return tally


WAYS = ("not_writable", "rights_taken", "unreadable", "taken_away")


# -- growth --------------------------------------------------------------------


def growth(nursery: Starter, seed: int, place: Path, rounds: int = 30, writers: int = 2) -> Tally:
    """Writers make the map grow while another reads; one of them is killed."""
    label, tally, rng = f"growth, seed {seed}", Tally(faults=1), Random(seed)
    reader = nursery.start("crash.hindered:watching", place)
    victim = nursery.start("crash.hindered:growing", place, 0)
    others = [nursery.start("crash.hindered:growing", place, rounds) for _ in range(writers - 1)]
    told: list[Promise] = []
    for other in others:
        lines = _finish(other, label, tally)
        told += promises(lines)
        if "DONE" not in lines:
            tally.losses.append(f"{label}: a writer did not finish: {lines[-2:]}")
    time.sleep(rng.uniform(0, 0.1))
    for child in (victim, reader):
        child.kill()
        _code, printed = child.finish()
        if "Traceback" in printed:
            tally.losses.append(f"{label}: {printed[-600:]}")
        told += promises(whole(printed))
        tally.kills += 1
    judge(nursery, place, told, label, tally)
    return tally


# -- rounds --------------------------------------------------------------------


def full(seed: int, scratch: Path) -> Tally:
    """One round: a random workload against each form of a full disk."""
    rng = Random(seed)
    name, tally = rng.choice(sorted(WORKLOADS)), Tally()
    with Nursery() as nursery:
        base = template(nursery, scratch)
        tally += full_files(nursery, name, seed, fresh(base, scratch / "files"), rng.choice((ROOM, 4 * ROOM)))
        tally += full_map(nursery, seed, fresh(base, scratch / "map"), rng.randint(SPACE, 4 * SPACE))
        if not mountable():
            tally += full_disk(nursery, name, seed, base, scratch)
    tally.skipped = mountable()
    return tally


def rights(seed: int, scratch: Path) -> Tally:
    """One round: a random workload without each of the rights."""
    name, tally = Random(seed).choice(sorted(set(WORKLOADS) - {"import"})), Tally()
    with Nursery() as nursery:
        base = template(nursery, scratch)
        for way in WAYS:
            tally += no_rights(nursery, way, name, seed, fresh(base, scratch / way))
    return tally


def grow(seed: int, scratch: Path) -> Tally:
    """One round of growth."""
    with Nursery() as nursery:
        return growth(nursery, seed, fresh(template(nursery, scratch), scratch / "disk"), writers=3)
