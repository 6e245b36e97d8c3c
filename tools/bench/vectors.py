"""Speed and recall of the vector index, side by side with the exact scan.

    python tools/bench_vector.py [--counts 20000,100000] [--graph] [--evidence] [--vectors FILE.npz]

Without --vectors it draws unit vectors in clusters whose spectrum falls as that of text embeddings does
(participation ratio about 66). FILE.npz holds float16 unit vectors `x` (stored) and `q` (asked).
Times are milliseconds of one thread: wall p50 and p99, and CPU p50, which a busy machine disturbs less.
Overlap is the share of the exact answer that was found.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from helixlog.eventlog.events import MemoryStored, Recorded, Vectors
from helixlog.projections.vector.exact import Nearest
from helixlog.projections.vector.index import VectorIndex
from numpy.typing import NDArray

HalfArray = NDArray[np.float16]

DIMS = 256
QUERIES = 200
CHAIN = bytes(32)
PRINT = "bench-0"


def draw(count: int) -> tuple[HalfArray, HalfArray]:
    """Stored vectors, and queries from the same clusters."""
    rng = np.random.default_rng(7)
    spectrum = (np.arange(1, DIMS + 1) ** -0.37).astype(np.float32)
    turn = np.linalg.qr(rng.standard_normal((DIMS, DIMS)))[0].astype(np.float32)
    clusters = 2_000
    centres = rng.standard_normal((clusters, DIMS), np.float32) * spectrum
    weights = rng.dirichlet(np.full(clusters, 0.5))
    parts = []
    for start in range(0, count + QUERIES, 20_000):
        size = min(20_000, count + QUERIES - start)
        noise = rng.lognormal(np.log(0.55), 0.35, (size, 1)).astype(np.float32)
        vectors = centres[rng.choice(clusters, size, p=weights)]
        vectors = (vectors + noise * rng.standard_normal((size, DIMS), np.float32) * spectrum) @ turn
        parts.append((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16))
    drawn = np.concatenate(parts)
    return drawn[:count], drawn[count:]


def participation(vectors: HalfArray) -> float:
    """Participation ratio of the covariance: how many dimensions do the work."""
    wide = vectors[:20_000].astype(np.float64)
    values = np.linalg.eigvalsh(np.cov(wide.T))
    return float(values.sum() ** 2 / (values**2).sum())


def log_of(vectors: HalfArray) -> list[Recorded]:
    """One text a vector."""
    return [
        Recorded(
            seq=k + 1,
            recorded_at=0,
            clock=0,
            id=None,
            event=MemoryStored(text="t", vectors=Vectors(fingerprint=PRINT, dims=DIMS, rows=(vector.tobytes(),))),
        )
        for k, vector in enumerate(vectors)
    ]


class Timing:
    """Wall and CPU milliseconds of many calls."""

    def __init__(self, ask: Callable[[HalfArray], Nearest], queries: HalfArray) -> None:
        self.answers = []
        wall, cpu = [], []
        for query in queries:
            began, cpu_began = time.perf_counter(), time.thread_time()
            self.answers.append(ask(query))
            cpu.append(time.thread_time() - cpu_began)
            wall.append(time.perf_counter() - began)
        self.p50, self.p99 = 1e3 * np.median(wall), 1e3 * np.percentile(wall, 99)
        self.cpu = 1e3 * np.median(cpu)

    def overlap(self, exact: Timing, limit: int) -> float:
        """Mean share of the exact `limit` best that this found."""
        shares = [
            len(np.intersect1d(want.ordinals[:limit], got.ordinals)) / len(want.ordinals[:limit])
            for want, got in zip(exact.answers, self.answers, strict=True)
            if len(want.ordinals)
        ]
        return float(np.mean(shares))


def report(name: str, index: VectorIndex, queries: HalfArray, share: float, limit: int) -> None:
    """One line: the default path against the exact one."""
    texts = index.texts
    allowed = None if share == 1 else np.random.default_rng(1).random(texts) < share
    asked = {"texts": texts, "allowed": allowed, "floor": 0.23, "limit": limit}
    exact = Timing(lambda query: index.nearest(query, **asked, exact=True), queries)
    quick = Timing(lambda query: index.nearest(query, **asked), queries)
    print(
        f"{name:<10} {share:>5.0%} {limit:>5}   exact {exact.p50:7.3f} {exact.p99:7.3f} {exact.cpu:7.3f}"
        f"   default {quick.p50:7.3f} {quick.p99:7.3f} {quick.cpu:7.3f}   x{exact.cpu / quick.cpu:5.1f}"
        f"   overlap {quick.overlap(exact, limit):.4f}"
    )


def anonymous() -> float:
    """Anonymous memory of this process, in MB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


def measure(vectors: HalfArray, queries: HalfArray, *, graph: bool, evidence: bool) -> None:
    """All lines for one size."""
    count = len(vectors)
    print(f"\n{count:,} x {DIMS}, participation ratio {participation(vectors):.0f}")
    with TemporaryDirectory() as folder:
        root = Path(folder)
        index = VectorIndex.open(root, PRINT)
        log = log_of(vectors)
        began = time.process_time()
        index.apply(log)
        print(f"fold {time.process_time() - began:.2f} s CPU")
        del log
        index.publish(CHAIN)
        began = time.perf_counter()
        index = VectorIndex.open(root, PRINT)
        print(f"open {1e3 * (time.perf_counter() - began):.0f} ms, every byte checked")
        print(f"{'way':<10} share limit         p50     p99 CPU p50           p50     p99 CPU p50")
        for share in (1, 0.5, 0.1, 0.01):
            for limit in (10, 100):
                report("scans", index, queries, share, limit)
        if graph:
            began = time.process_time()
            index.build_graph(CHAIN)
            print(f"graph built in {time.process_time() - began:.0f} s CPU")
            index = VectorIndex.open(root, PRINT)
            before = anonymous()
            index.load_graph()
            print(f"graph loaded, {anonymous() - before:.0f} MB of anonymous memory")
            for share in (1, 0.5, 0.25):
                for limit in (10, 100):
                    report("graph", index, queries, share, limit)
        if evidence:
            began, cpu = time.perf_counter(), time.process_time()
            index.nearest_many(vectors, texts=np.arange(count), floor=0.5, limit=32)
            print(f"evidence of all {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s CPU")


def main() -> None:
    """Read the arguments and measure each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", default="20000,100000")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--vectors", type=Path)
    arguments = parser.parse_args()
    for count in map(int, arguments.counts.split(",")):
        if arguments.vectors is None:
            vectors, queries = draw(count)
        else:
            with np.load(arguments.vectors) as file:
                vectors, queries = file["x"][:count], file["q"]
        measure(vectors, queries, graph=arguments.graph, evidence=arguments.evidence)


if __name__ == "__main__":
    main()
