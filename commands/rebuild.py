"""`rebuild`: throw away everything but the log, and make it anew."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from ..errors import ReadOnlyView, StoreBusy, StoreReadOnly
from ..eventlog.mapping import from_os
from ..projections.catalog import Catalog
from ..projections.generations import Generations
from ..projections.vector.strategy import GRAPH_FROM
from .projections import FOLDER, digests, fingerprints, homes

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""

WAIT = 10.0
"""Seconds to wait for another process that is publishing."""

_LOCK = "lock"


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What was made: up to which event, in how many seconds, and a digest of each projection.

    `graph_rows` are the vectors that a graph was built over; 0 where scanning is as fast, or without hnswlib.
    """

    seq: int
    seconds: float
    digests: dict[str, str]
    graph_rows: int


def rebuild(self: OpenStore, *, progress: Progress | None = None) -> Rebuilt:
    """Delete every projection, fold the log again and publish what comes of it. The log is not touched.

    Args:
        self: The store.
        progress: See `Progress`.

    Raises:
        StoreBusy: Another process was publishing for longer than ten seconds.
        StoreReadOnly: The folder cannot be written.
        ReadOnlyView: This is a view of the past.
        Corrupted: The log is damaged.
    """
    if self.at is not None:
        raise ReadOnlyView(f"this view is of @{self.at.seq}", remedy="rebuild the live memory")
    if not self.eventlog.writable:
        raise StoreReadOnly(f"{self.folder} cannot be written", remedy="open it without `read_only`")
    started = time.monotonic()
    root = self.folder / FOLDER
    with self._lock:
        self._catalog = None
        for home in homes(root):
            _empty(home)
        catalog = Catalog(root, self.eventlog)
        catalog.sync(progress=progress)
        self._catalog = catalog
        for fingerprint in fingerprints(catalog.beliefs):
            catalog.vectors_of(fingerprint)
        if not catalog.publish(lasting=True):
            raise StoreBusy("another process is publishing projections", remedy="run `helix rebuild` again")
        return Rebuilt(
            seq=catalog.beliefs.seq,
            graph_rows=build_graph(self, catalog),
            digests=digests(catalog),
            seconds=time.monotonic() - started,
        )


def build_graph(self: OpenStore, catalog: Catalog) -> int:
    """Build and load the graph of the embedder in use, where it is worth having; the rows it covers."""
    vectors = catalog.vectors
    if vectors is None or vectors.rows <= GRAPH_FROM:
        return 0
    with catalog.publishing() as granted:
        if not granted or not vectors.build_graph(self.eventlog.chain_at(vectors.seq)):
            return 0
    vectors.load_graph()
    return vectors.graph_rows


def _empty(home: Generations) -> None:
    """Delete what a projection has published, while nobody else can publish; readers keep what they have mapped."""
    with home.publishing(WAIT) as publisher:
        if publisher is None:
            raise StoreBusy(f"{home.path.name} is being published", remedy="wait a moment and try again")
        try:
            for path in sorted(home.path.iterdir(), reverse=True):
                if path.name != _LOCK:
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, str(home.path)) from error
