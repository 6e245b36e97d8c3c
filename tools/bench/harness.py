"""What every benchmark shares: its setting, samples of time, figures, and the machine they were taken on."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

T = TypeVar("T")


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What a benchmark is run with.

    `size` memories; `runs` calls of each kind (fewer where a call takes seconds); `cache` keeps what is slow to make,
    and is on the disk that is measured. The two pythons are those of the peers.
    """

    size: int
    runs: int
    cache: Path
    sqlite_python: str = "/usr/bin/python3"
    lancedb_python: str = sys.executable


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One measured number: `value` is the median where there are several runs.

    `bar` is what the design promises, at most or, with `least`, at least, at the size it is promised for.
    """

    what: str
    value: float
    unit: str
    p99: float | None = None
    cpu: float | None = None
    runs: int = 1
    bar: float | None = None
    least: bool = False
    note: str = ""
    samples: tuple[float, ...] = ()

    @property
    def line(self) -> str:
        """The figure as a line of the report."""
        value = f"{shown(self.value)} {self.unit}"
        p99 = "" if self.p99 is None else f"p99 {shown(self.p99)}"
        cpu = "" if self.cpu is None else f"cpu {shown(self.cpu)}"
        bar = "" if self.bar is None else f"bar {'>=' if self.least else '<='} {shown(self.bar)}"
        return f"  {self.what:<46} {value:>12}  {p99:<11} {cpu:<10} {bar:<13} n={self.runs} {self.note}".rstrip()


def shown(value: float) -> str:
    """A number with as many digits as are worth reading."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


class Samples:
    """Wall and CPU seconds of one kind of call. CPU is of this thread, and less disturbed by a busy machine."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def of(self, work: Callable[[], T]) -> T:
        """What `work` gives; how long it took is noted."""
        wall, cpu = time.perf_counter(), time.thread_time()
        result = work()
        self.cpu.append(time.thread_time() - cpu)
        self.wall.append(time.perf_counter() - wall)
        return result

    def figure(self, what: str, *, bar: float | None = None, note: str = "", scale: float = 1e3) -> Figure:
        """Median and p99 in milliseconds (`scale` 1e3) or microseconds (1e6)."""
        wall = np.array(self.wall) * scale
        return Figure(
            what=what,
            value=float(np.median(wall)),
            unit="ms" if scale == 1e3 else "us",
            p99=float(np.percentile(wall, 99)),
            cpu=float(np.median(self.cpu)) * scale if self.cpu else None,
            runs=len(wall),
            bar=bar,
            note=note,
            samples=tuple(wall.round(4).tolist()),
        )


def ratio(
    what: str, above: Samples, below: Samples, *, bar: float | None = None, least: bool = False, note: str = ""
) -> Figure:
    """The median of the ratios of pairs, each measured within one round of one loop."""
    ratios = np.array(above.wall) / np.array(below.wall)
    return Figure(
        what=what, value=float(np.median(ratios)), unit="x", runs=len(ratios), bar=bar, least=least, note=note
    )


def seconds(what: str, work: Callable[[], object], *, bar: float | None = None, note: str = "") -> Figure:
    """How long one long piece of work takes, wall and CPU of the whole process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Figure(
        what=what,
        value=time.perf_counter() - wall,
        unit="s",
        cpu=time.process_time() - cpu,
        bar=bar,
        note=note,
    )


def interleaved(asked: Sequence[T], ways: Mapping[str, Callable[[T], object]], *, warm: int) -> dict[str, Samples]:
    """Every question in every way, the ways taking turns at going first; the first `warm` questions do not count."""
    samples = {name: Samples() for name in ways}
    names = list(ways)
    for number, question in enumerate(asked):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            noted = samples[name] if number >= warm else Samples()
            noted.of(lambda way=ways[name], question=question: way(question))  # type: ignore[misc]
    return samples


def anonymous() -> float:
    """Anonymous memory of this process in MB: what no file backs. NaN where the system does not tell."""
    try:
        rollup = Path("/proc/self/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    return int(rollup.split("\nAnonymous:")[1].split()[0]) / 1024


def machine(cache: Path) -> dict[str, str]:
    """What the figures depend on."""
    packages = ("numpy", "lmdb", "msgspec", "tantivy", "hnswlib")
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "pace": f"{1e3 * min(_pace() for _ in range(5)):.1f} ms for a million additions in Python",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {_version(name)}" for name in packages),
        "filesystem": _filesystem(cache),
        "fsync": "LMDB default sync: two fdatasync a commit; raw: one fdatasync a write",
        "threads": "OPENBLAS_NUM_THREADS=" + os.environ.get("OPENBLAS_NUM_THREADS", "unset"),
    }


def _pace() -> float:
    """How fast the machine is just now: a busy one shows here."""
    start, total = time.perf_counter(), 0
    for number in range(1_000_000):
        total += number
    return time.perf_counter() - start


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _filesystem(path: Path) -> str:
    found = subprocess.run(["df", "-PT", str(path)], capture_output=True, text=True, check=False)  # noqa: S607
    words = found.stdout.splitlines()[-1].split() if found.returncode == 0 else []
    return words[1] if len(words) > 1 else "unknown"
