"""What durability costs: appends against raw write + fdatasync of the same bytes, interleaved in one run.

    python tools/bench_append.py [FOLDER]

FOLDER (default: the working directory) is on the disk to measure. Prints medians and their ratios as JSON:
one event and a batch of 100 against raw, 16 threads against one.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from helixlog.eventlog import record
from helixlog.eventlog.events import Draft, MemoryStored, StoreCreated, Vectors
from helixlog.eventlog.lmdb_log import LmdbLog

ROUNDS, THREADS, EACH = 200, 16, 60


def event() -> Draft:
    """A text of about 300 bytes with a vector of 256 dimensions."""
    vectors = Vectors(fingerprint="bench", dims=256, rows=(os.urandom(512),))
    return Draft(MemoryStored(text=os.urandom(150).hex(), vectors=vectors))


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def against_raw(log: LmdbLog, raw: int, size: int, rounds: int) -> dict[str, float]:
    """Microseconds a batch, ours and raw, and the median of the paired ratios."""
    ours, theirs = [], []
    for _round in range(rounds):
        drafts = [event() for _ in range(size)]
        ours.append(seconds(lambda drafts=drafts: log.append(drafts, clock=time.time_ns())))  # type: ignore[misc]
        head = log.head.seq
        data = b"".join(log.raw(head - size + 1, head))
        theirs.append(seconds(lambda data=data: (os.write(raw, data), os.fdatasync(raw))))  # type: ignore[misc]
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return {
        "ours_us": round(median(ours) * 1e6, 1),
        "raw_us": round(median(theirs) * 1e6, 1),
        "ratio": round(median(ratios), 3),
    }


def threads(log: LmdbLog, count: int) -> float:
    """Events a second that `count` threads append one by one."""

    def work() -> None:
        for draft in drafts:
            log.append([draft], clock=time.time_ns())

    drafts = [event() for _ in range(EACH)]
    workers = [threading.Thread(target=work) for _ in range(count)]

    def run() -> None:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return count * EACH / seconds(run)


def main(folder: Path) -> None:
    """Measure and print."""
    genesis = StoreCreated(store_id="bench", tenant="bench", format=record.FORMAT, constants={})
    with tempfile.TemporaryDirectory(dir=folder) as place:
        raw = os.open(Path(place, "raw"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with LmdbLog.create(Path(place, "store"), genesis, clock=time.time_ns()) as log:
            against_raw(log, raw, 1, 20)
            one, hundred = against_raw(log, raw, 1, ROUNDS), against_raw(log, raw, 100, ROUNDS // 2)
            rates = [(threads(log, 1), threads(log, THREADS)) for _ in range(5)]
        os.close(raw)
    alone, together = (median(rate) for rate in zip(*rates, strict=True))
    gain = median(many / single for single, many in rates)
    figures = {
        "one event": one,
        "batch of 100": hundred,
        "threads": {"one_per_s": round(alone), f"{THREADS}_per_s": round(together), "ratio": round(gain, 2)},
        "filesystem sync": "fdatasync, LMDB default sync",
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
