"""Workloads in a process that is denied something: room on the disk, room for the map, the right to write.

Each prints what `workloads` prints, and REFUSED <code> <verb's message> for an error of the project's own. Any other
exception ends the child with a traceback, which is a loss.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from helixlog.commands import opened as opening
from helixlog.commands.memory import Memory
from helixlog.errors import HelixlogError, StoreMissing
from helixlog.eventlog.events import Draft, MemoryStored
from helixlog.eventlog.lmdb_log import LmdbLog

from . import workloads
from .nursery import must, say
from .workloads import ack, acknowledged, opened, sentence

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITIES_VERSION, PR_CAPBSET_DROP = 0x20080522, 24
BIG = 40_000


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Report an error of our own tree; whatever else is raised goes on."""
    try:
        yield
    except HelixlogError as error:
        must(bool(error.remedy), "an error without a remedy")
        say(f"REFUSED {error.code} {error.message}")


def until_refused(name: str, place: str, seed: int, most: int = 400) -> None:
    """A workload, over and over, until it is refused."""
    with refusals():
        for number in range(most):
            workloads.WORKLOADS[name](place, seed + number, 1)


def tell_head(place: str) -> None:
    """Where the log ends after a refusal: nothing may have been appended that was refused."""
    with contextlib.suppress(StoreMissing), LmdbLog.open(place) as log:
        say(f"HEAD {log.head.seq}")


def no_room_in_files(name: str, place: str, seed: int, extra: int) -> None:
    """No file may grow beyond the log's size and `extra` bytes; then any may. The handle stays open meanwhile."""
    opening.LONG_TAIL = 8  # publishing after an answer is starved as well
    with kept_open(place):
        size = max((path.stat().st_size for path in Path(place).rglob("data.mdb")), default=0) + extra
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        until_refused(name, place, seed)
        tell_head(place)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        _again(name, place, seed)


def no_room_for_the_map(name: str, place: str, seed: int, extra: int) -> None:
    """No more address space than there is and `extra` bytes, so that the map cannot grow; then as much as wanted."""
    with kept_open(place):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + extra
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        with refusals(), opened(place) as memory:
            for _ in range(400):
                with acknowledged(memory, name):
                    memory.append([Draft(MemoryStored(text="x" * BIG))])
        with opened(place) as memory:
            must(memory.eventlog.get(1).seq == 1, "it still reads")
            ack(memory)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        _again("store", place, seed)


def no_room_on_the_disk(name: str, place: str, seed: int) -> None:
    """The store is on a disk that fills up."""
    opening.LONG_TAIL = 8
    with kept_open(place):
        until_refused(name, place, seed)
        tell_head(place)


def _again(name: str, place: str, seed: int) -> None:
    say("ROOM")
    workloads.run(name, place, seed + 1_000, 1)


@contextlib.contextmanager
def kept_open(place: str) -> Iterator[None]:
    """A handle that keeps the log's files open all along, where there is a store."""
    with opened(place) if Path(place).exists() else contextlib.nullcontext():
        yield


# -- rights --------------------------------------------------------------------


def give_up_rights() -> None:
    """Let modes apply, to the owner as well and for good: root may otherwise write and read anything."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    failed = libc.capget(header, sets)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        failed |= libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        for place in range(3):  # effective, permitted, inheritable
            sets[place] &= ~(1 << capability)
    if failed | libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "root's rights cannot be given up")


def not_writable(name: str, place: str, seed: int) -> None:
    """A store in a folder that cannot be written: it answers, and what would write is refused."""
    give_up_rights()
    with opened(place) as memory:
        must(bool(memory.list().memories), "nothing is listed")
        must(bool(memory.recall("crane").results), "nothing is recalled")
        ack(memory)
    with refusals():
        if name == "import":
            with opened(place) as memory:
                memory.export(Path(place).parent / "export.jsonl")
        workloads.WORKLOADS[name](place, seed, 1)


def rights_taken(name: str, place: str, seed: int) -> None:
    """The folders become unwritable, then writable again, while the store is open."""
    folders = [path for path in (Path(place), *Path(place).rglob("*"), Path(place).parent) if path.is_dir()]
    give_up_rights()
    with kept_open(place):
        for path in folders:
            path.chmod(0o555)
        with refusals():
            workloads.WORKLOADS[name](place, seed, 1)
        for path in folders:
            path.chmod(0o755)
        _again(name, place, seed)


def unreadable(_name: str, place: str, _seed: int) -> None:
    """The log's files may not even be read."""
    give_up_rights()
    with refusals(), opened(place):
        say("OPENED")


def taken_away(name: str, place: str, seed: int) -> None:
    """The store's folder is deleted while the store is open: nothing more is acknowledged."""
    rng = Random(seed)
    with opened(place) as memory:
        with acknowledged(memory, name):
            memory.store(sentence(rng))
        shutil.rmtree(place)
        with refusals():
            memory.store(sentence(rng))
            say("LOST it was acknowledged, and there is no store")
    with refusals(), opened(place):
        say("OPENED")


# -- growth --------------------------------------------------------------------


def growing(place: str, rounds: int) -> None:
    """Big texts, so that the map has to grow again and again; each is read back."""
    with Memory(place, create=False, embedder=workloads.STATIC) as memory:
        for _ in workloads.counted(rounds):
            with acknowledged(memory, "grow"):
                appended = memory.append([Draft(MemoryStored(text="y" * BIG))])
            must(len(memory.eventlog.get(appended.last).event.text) == BIG, "it reads back otherwise")
    say("DONE")


def watching(place: str) -> None:
    """Read the whole log again and again while others make it grow."""
    with opened(place) as memory:
        while True:
            seqs = [recorded.seq for recorded in memory.eventlog.read()]
            must(seqs == list(range(1, len(seqs) + 1)), f"there is a gap in {seqs}")
            say(f"READ {len(seqs)}")
