"""HNSW: an optional accelerator for large stores (Malkov and Yashunin 2018; hnswlib).

A graph covers a prefix of an index's rows and only ever suggests candidates;
scores are always canonical. It is built by one thread from a fixed seed, so the
same rows give the same bytes, and it is kept as a generation of its own. Its
bytes are checked by BLAKE2b before the native loader reads them, because that
loader dies by signal on a bad file. It is in memory whole: about 1.2 KB a row at 256
dimensions, so it is loaded only when asked for.

Without hnswlib everything here answers None or False and the scans answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...embedding.protocol import FloatArray
from ..generations import Generations
from ..projection import Checkpoint
from .exact import Visible
from .rows import Rows, Rows64

if TYPE_CHECKING:
    import hnswlib

VERSION = 1
LINKS = 16
BUILD_BREADTH = 200
BREADTH = 1_000
_SEED = 100
_CHUNK = 1_000


def available() -> bool:
    """Whether hnswlib is installed; does not import it."""
    return find_spec("hnswlib") is not None


class Graph:
    """A loaded graph over rows 0 to `rows` - 1 of one index."""

    def __init__(self, native: hnswlib.Index, rows: int) -> None:
        self._native = native
        self.rows = rows

    def candidates(self, rows: Rows, query: FloatArray, visible: Visible, wanted: int) -> tuple[Rows64, FloatArray]:
        """About `wanted` probably nearest visible rows, ascending, and their float32 dots.

        Rows the graph does not cover are all scored. Fewer may come back when the graph does not reach more.
        """
        # With a filter the search goes on until enough pass it, so it looks wider by itself.
        breadth = BREADTH * math.sqrt(min(1.0, visible.total / self.rows))
        keep: Callable[[int], object] | None = None
        if visible.mask is not None:
            keep = visible.mask[: self.rows].tobytes().ljust(self.rows, b"\0").__getitem__
        elif visible.stop < self.rows:
            keep = visible.stop.__gt__
        self._native.set_ef(max(int(breadth), 2 * wanted))
        try:
            labels, _ = self._native.knn_query(query, k=wanted, num_threads=1, filter=keep)
        except RuntimeError:  # how hnswlib says that it reached fewer than k
            labels = np.empty((1, 0), np.uint64)
        found = np.concatenate([np.sort(labels[0].astype(np.int64)), visible.rows(min(self.rows, visible.stop))])
        return found, rows.score(found, query)


def build(home: Generations, rows: Rows, checkpoint: Checkpoint, progress: Callable[[int], None] | None = None) -> bool:
    """Build a graph over all rows and publish it; about a minute for 100,000 rows of 256 dimensions.

    Args:
        home: Where graphs of this index are kept.
        rows: The index's rows.
        checkpoint: The point of the log the rows are at.
        progress: Called with the number of rows done.

    Returns:
        False when hnswlib is absent, there is nothing to build from, or another process is building.
    """
    if not available() or not len(rows):
        return False
    with home.publishing() as publisher:
        if publisher is None:
            return False
        segment = publisher.segment(
            {},
            {},
            first_seq=1,
            last_seq=checkpoint.seq,
            meta={"rows": len(rows), "vectors": _fingerprint(rows, len(rows))},
            trees={"graph": lambda folder: _write(folder, rows, progress)},
        )
        publisher.commit(checkpoint, [segment])
    return True


def load(home: Generations, rows: Rows) -> Graph | None:
    """The published graph, or None when there is none, it is damaged, or it is not of a prefix of these rows."""
    manifest = home.load() if available() else None
    if manifest is None:
        return None
    (segment,) = manifest.segments
    count = segment.meta["rows"]
    if not isinstance(count, int) or count > len(rows) or segment.meta["vectors"] != _fingerprint(rows, count):
        home.problem = "the graph is of other vectors"
        return None
    try:
        return _read(home.folder(segment) / "graph" / "index.bin", rows.dims, count)
    except RuntimeError as error:  # whole, but of a form that this release of hnswlib does not read
        home.problem = f"hnswlib: {error}"
        return None


def _read(path: Path, dims: int, count: int) -> Graph:
    import hnswlib

    native = hnswlib.Index("ip", dims)
    native.load_index(str(path))
    return Graph(native, count)


def _write(folder: Path, rows: Rows, progress: Callable[[int], None] | None) -> None:
    import hnswlib

    native = hnswlib.Index("ip", rows.dims)
    native.init_index(len(rows), M=LINKS, ef_construction=BUILD_BREADTH, random_seed=_SEED)
    done = 0
    for piece in rows.matrix.pieces(0, len(rows)):
        for start in range(0, len(piece), _CHUNK):
            part = piece[start : start + _CHUNK]
            native.add_items(part, np.arange(done, done + len(part)), num_threads=1)
            done += len(part)
            if progress is not None:
                progress(done)
    native.save_index(str(folder / "index.bin"))


def _fingerprint(rows: Rows, count: int) -> str:
    """A digest of the first `count` vectors by the word sums of each, whatever pieces they lie in."""
    hashed = blake2b(digest_size=16)
    for piece in rows.matrix.pieces(0, count):
        hashed.update(piece.view(np.uint32).sum(axis=1, dtype=np.uint64).tobytes())
    return hashed.hexdigest()
