"""What must hold of a store after any fault; run in a child, since a damaged file may kill its reader."""

from __future__ import annotations

import functools
import io
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
from helixlog.errors import HelixlogError
from helixlog.eventlog import verify
from helixlog.eventlog.events import DecayTicked, Draft
from helixlog.eventlog.export import read_events, read_header
from helixlog.eventlog.lmdb_log import LmdbLog, exists
from helixlog.projections.catalog import Catalog

from .nursery import must
from .workloads import BATCH, opened

UNKNOWN = "-"
"""The digest of a promise that was made before there was one."""


class Promise(msgspec.Struct, frozen=True, array_like=True):
    """What a process was told of: the log up to `seq` with this chain digest, and the copy it made, if any."""

    seq: int
    digest: str
    made: str = ""


class Verdict(msgspec.Struct):
    """What is wrong, in words; and what was seen, so that a check that saw nothing is noticed."""

    losses: list[str]
    head: int = 0
    published: int = 0
    copies: int = 0


def promises(lines: list[str]) -> list[Promise]:
    """The promises among the lines a workload printed."""
    said = [line.split(" ") for line in lines if line.startswith("ACK ")]
    return [Promise(int(words[1]), words[2], "".join(words[3:])) for words in said]


def looked_at(place: str, promised: list[list[object]], deep: bool) -> dict[str, object]:  # noqa: FBT001 - by JSON
    """See `check`."""
    return check(place, promised, deep=deep)


def check(place: str, promised: list[list[object]], *, deep: bool = True) -> dict[str, object]:
    """The verdict on the store at `place` and the copies beside it, as `Verdict`'s fields.

    `deep` goes on with the store through its verbs, otherwise one append has to do.
    """
    os.fsync = lambda _: None  # nobody pulls the plug on the checker; it publishes, and that is a hundred of them
    found = Verdict([])
    given = [msgspec.convert(one, Promise) for one in promised]
    store, beside = Path(place), Path(place).parent
    own = [one for one in given if not one.made or one.made.startswith(("export:", "store:backup", "erased:"))]
    if own or store.exists():
        _guarded(found, "store", lambda: _store(found, store, own, deep=deep))
    _erased(found, store, [one.made.partition(":")[2] for one in given if one.made.startswith("erased:")])
    for made in sorted({one.made for one in given if one.made.startswith(("store:", "export:"))}):
        mine = [one for one in given if one.made == made]
        found.copies += 1
        _guarded(found, made, functools.partial(_copy, found, beside / made.partition(":")[2], mine))
    named = {one.made.partition(":")[2] for one in given}
    for path in _unacknowledged(beside, named):
        _guarded(found, f"{path.name}, unfinished", functools.partial(_unfinished, found, path))
    return msgspec.to_builtins(found)


def _copy(found: Verdict, path: Path, promised: list[Promise]) -> None:
    """A store or an export that was acknowledged."""
    if path.suffix != ".jsonl":
        _store(found, path, promised)
        return
    with path.open("rb") as lines:
        header = read_header(lines.readline())
        lines.seek(0)
        events = sum(1 for _ in read_events(lines))
    if (events, header.digest) != (promised[0].seq, promised[0].digest):
        found.losses.append(f"{path.name}: it has {events} events, acknowledged was {promised[0]}")


def _unacknowledged(beside: Path, named: set[str]) -> list[Path]:
    found = [*beside.glob("new-*/inner/store"), *beside.glob("imported-*"), *beside.glob("backup-*")]
    return [path for path in (*found, *beside.glob("export-*.jsonl")) if str(path.relative_to(beside)) not in named]


def _unfinished(found: Verdict, path: Path) -> None:
    """What was being made when the end came: whole, or made when it is asked for again; never half."""
    if path.suffix == ".jsonl":
        with path.open("rb") as lines:
            must(sum(1 for _ in read_events(lines)) > 0, "it is empty")
    elif exists(path) or path.name.startswith("backup-"):
        _store(found, path, [])
    else:
        opened(path, create=True).close()
        _store(found, path, [])


def _guarded(found: Verdict, what: str, work: Callable[[], None]) -> None:
    try:
        work()
    except (HelixlogError, OSError, AssertionError) as error:
        found.losses.append(f"{what}: {type(error).__name__}: {error}")


def _store(found: Verdict, place: Path, promised: list[Promise], *, deep: bool = True) -> None:
    with opened(place):  # as a user would, who knows nothing of a crash
        pass
    with LmdbLog.open(place) as log:
        found.head = log.head.seq
        for one in promised:
            if one.seq > log.head.seq:
                found.losses.append(f"{place.name}: event {one.seq} was acknowledged, the log ends at {log.head.seq}")
            elif one.digest not in (UNKNOWN, log.chain_at(one.seq).hex()):
                found.losses.append(f"{place.name}: the log up to {one.seq} is not what was acknowledged")
        stale = len(log._shared._lmdb.readers().splitlines()) - 2  # noqa: SLF001 - a header, and our own slot
        if stale > 0:
            found.losses.append(f"{place.name}: {stale} slots of dead readers are left")
    found.losses += _verified(place)
    _whole_batches(found, place)
    found.losses += _same_as_cold(found, place)
    found.losses += _goes_on(place) if deep else _takes_another(place)


def _verified(place: Path) -> list[str]:
    out = io.StringIO()
    verify.main([str(place), "1", "256"], out)
    lines = [msgspec.json.decode(line) for line in out.getvalue().splitlines()]
    return [f"{place.name}: verify: {line['problem']}" for line in lines if line.get("problem")]


def _whole_batches(found: Verdict, place: Path) -> None:
    with LmdbLog.open(place) as log:
        clocks = Counter(recorded.event.clock for recorded in log.read() if isinstance(recorded.event, DecayTicked))
    torn = {clock: times for clock, times in clocks.items() if times != BATCH}
    if torn:
        found.losses.append(f"{place.name}: batches are there in part: {torn}")


def _same_as_cold(found: Verdict, place: Path) -> list[str]:
    """The projections of the store, and of one that has none, at the head."""
    with LmdbLog.open(place) as log, tempfile.TemporaryDirectory() as nothing:
        warm, cold = Catalog(place / "projections", log), Catalog(Path(nothing), log)
        found.published = max(found.published, warm.published)
        warm.sync()
        cold.sync()
        one, other = warm.digests(), cold.digests()
        return [f"{place.name}: {name} is not that of a cold rebuild" for name in other if one.get(name) != other[name]]


def _erased(found: Verdict, place: Path, words: list[str]) -> None:
    """What was erased is in no file, once the store has been opened."""
    contents = [(path, path.read_bytes()) for path in place.rglob("*") if words and path.is_file()]
    found.losses += [
        f"{word} was erased, and is in {path}" for path, data in contents for word in words if word.encode() in data
    ]


def _takes_another(place: Path) -> list[str]:
    with LmdbLog.open(place) as log:
        last = log.append([Draft(DecayTicked(clock=1))] * BATCH, clock=1).last
    with LmdbLog.open(place) as log:
        return [] if log.head.seq == last else [f"{place.name}: what was appended after it is lost again"]


def _goes_on(place: Path) -> list[str]:
    """It takes a new text, finds it, publishes, and says the same when it is opened again."""
    with opened(place) as memory:
        stored = memory.store("The lighthouse was repainted after the storm")
        shown = [one.id for one in memory.recall("lighthouse repainted", record=False).results]
        published = memory.catalog.publish()
        digests = memory.catalog.digests()
        head = memory.eventlog.head
    problems = [] if stored.id in shown else [f"{place.name}: a new text is not found"]
    problems += [] if published else [f"{place.name}: nothing can be published"]
    with opened(place) as memory:
        if memory.eventlog.head != head or memory.catalog.digests() != digests:
            problems.append(f"{place.name}: what went on is lost when it is opened again")
    return problems
