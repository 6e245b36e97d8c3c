"""Measure the promises of speed, each with one command.

    python tools/bench/run.py [NAME ...] [--size N] [--runs N] [--json FILE] [--cache DIR]

Without a name every promise is measured; `import`, which builds the store anew, and the indexes by themselves,
`vectors` and `words`, are to be named. What is compared with what, and
figures of one machine: docs/benchmarks.md. A store of the size is built at the first run and kept in the cache,
which must be on the disk to measure.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: every figure is one core's

import msgspec
from appending import append
from harness import Figure, Setting, machine
from peers import peers
from processes import cold, elsewhere, resident
from rebuilding import rebuild
from recalling import past, recall
from refolding import refold
from storing import import_, store
from vectors import vectors
from words import words

BENCHMARKS: dict[str, Callable[[Setting], Iterator[Figure]]] = {
    "recall": recall,
    "past": past,
    "peers": peers,
    "append": append,
    "store": store,
    "import": import_,
    "rebuild": rebuild,
    "refold": refold,
    "elsewhere": elsewhere,
    "cold": cold,
    "memory": resident,
    "vectors": vectors,
    "words": words,
}
BESIDES = ("import", "vectors", "words")
"""What is only measured when it is named."""


def options() -> argparse.Namespace:
    """The command line."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    listed = "\n".join(f"  {name:<10} {(made.__doc__ or '').splitlines()[0]}" for name, made in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=f"names:\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="see below")
    parser.add_argument("--size", type=int, default=100_000, help="memories (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=300, help="calls of each kind (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and samples here as well")
    parser.add_argument("--cache", type=Path, default=home / "helixlog-bench", help="default: %(default)s")
    parser.add_argument("--sqlite-python", default="/usr/bin/python3", metavar="PYTHON", help="has sqlite-vec")
    parser.add_argument("--lancedb-python", default="python3", metavar="PYTHON", help="has lancedb")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; choose from {', '.join(BENCHMARKS)}")
    return chosen


def main() -> None:
    """Measure, printing each figure as it comes."""
    chosen = options()
    setting = Setting(
        size=chosen.size,
        runs=chosen.runs,
        cache=chosen.cache,
        sqlite_python=chosen.sqlite_python,
        lancedb_python=chosen.lancedb_python,
    )
    setting.cache.mkdir(parents=True, exist_ok=True)
    facts = {**machine(setting.cache), "memories": f"{setting.size:,}"}
    for name, fact in facts.items():
        print(f"{name:<12} {fact}")
    report: dict[str, list[Figure]] = {}
    for name in chosen.names or [name for name in BENCHMARKS if name not in BESIDES]:
        print(f"\n{name}: {(BENCHMARKS[name].__doc__ or '').splitlines()[0]}", flush=True)
        report[name] = []
        for figure in BENCHMARKS[name](setting):
            report[name].append(figure)
            print(figure.line, flush=True)
    if chosen.json is not None:
        chosen.json.write_bytes(msgspec.json.format(msgspec.json.encode({"machine": facts, "figures": report})))


if __name__ == "__main__":
    main()
