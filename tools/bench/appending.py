"""What durability costs: appends against raw write + fdatasync of the same bytes, interleaved in one loop."""

from __future__ import annotations

import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness import Figure, Samples, Setting, ratio
from helixlog.eventlog import record
from helixlog.eventlog.events import Draft, MemoryStored, StoreCreated, Vectors
from helixlog.eventlog.lmdb_log import LmdbLog

THREADS, EACH, RACES = 16, 60, 5
WARM = 20
BARS = {1: 1.75, 100: 2.0}


class Raw:
    """A plain file that is written to and synced."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, data: bytes) -> None:
        """Append, and have it on the disk."""
        os.write(self._file, data)
        os.fdatasync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def append(setting: Setting) -> Iterator[Figure]:
    """One durable event, a batch of 100, and 16 threads that append one by one."""
    genesis = StoreCreated(store_id="bench", tenant="bench", format=record.FORMAT, constants={})
    rng = random.Random(1)
    setting.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        raw = Raw(Path(place, "raw"))
        with LmdbLog.create(Path(place, "store"), genesis, clock=time.time_ns()) as log:
            for size, name in ((1, "one event"), (100, "batch of 100")):
                ours, theirs = against_raw(log, raw, rng, size, setting.runs)
                yield ours.figure(f"append, {name}", scale=1e6)
                yield theirs.figure(f"raw write + fdatasync, {name}", scale=1e6)
                yield ratio(f"append to raw, {name}", ours, theirs, bar=BARS[size])
            yield from race(log, rng, min(EACH, 2 * setting.runs))
        raw.close()


def event(rng: random.Random) -> Draft:
    """A text of about 300 bytes with a vector of 256 dimensions."""
    vectors = Vectors(fingerprint="bench", dims=256, rows=(rng.randbytes(512),))
    return Draft(MemoryStored(text=rng.randbytes(150).hex(), vectors=vectors))


def against_raw(log: LmdbLog, raw: Raw, rng: random.Random, size: int, rounds: int) -> tuple[Samples, Samples]:
    """Our batches, and raw writes of the bytes they came to."""
    for counted in (WARM, rounds):
        ours, theirs = Samples(), Samples()
        for _ in range(counted):
            drafts = [event(rng) for _ in range(size)]
            ours.of(lambda drafts=drafts: log.append(drafts, clock=time.time_ns()))  # type: ignore[misc]
            head = log.head.seq
            theirs.of(partial(raw.write, b"".join(log.raw(head - size + 1, head))))
    return ours, theirs


def race(log: LmdbLog, rng: random.Random, each: int) -> Iterator[Figure]:
    """Events a second of one thread and of many, taking turns."""
    rates: dict[int, list[float]] = {1: [], THREADS: []}
    for _ in range(RACES):
        for count, found in rates.items():
            found.append(rate(log, rng, count, each))
    for count, found in rates.items():
        name = "1 thread" if count == 1 else f"{count} threads"
        yield Figure(what=f"appends of {name}", value=sorted(found)[RACES // 2], unit="/s", runs=RACES)
    gains = sorted(many / one for one, many in zip(*rates.values(), strict=True))
    yield Figure(what=f"{THREADS} threads to 1", value=gains[RACES // 2], unit="x", runs=RACES, bar=3.5, least=True)


def rate(log: LmdbLog, rng: random.Random, count: int, each: int) -> float:
    """Events a second when `count` threads append `each` one by one."""
    drafts = [event(rng) for _ in range(each)]

    def work() -> None:
        for draft in drafts:
            log.append([draft], clock=time.time_ns())

    workers = [threading.Thread(target=work) for _ in range(count)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return count * each / (time.perf_counter() - start)
