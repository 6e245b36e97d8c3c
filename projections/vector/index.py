"""The vector index: which texts are near, now or at any earlier point of the log.

Texts are counted by ordinal, also those without rows. A question names the
point it is about: `texts` ordinals exist there, and with `seq` only vectors
recorded up to that event. So an answer about the past is the answer of an
index that has seen no more.

Questions may be asked by several threads; `apply`, `clear`, `publish` and the
graph's methods are for one thread, while nobody asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray, HalfArray
from ...errors import InvalidInput
from ...eventlog.events import Recorded
from ..generations import Generations
from ..projection import Checkpoint
from . import batch, hnsw, store, strategy
from .cosine import is_unit, query_vector
from .exact import Nearest, Visible, nothing
from .fold import Fold
from .rows import Rows, Rows64

Mask = NDArray[np.bool_]


class VectorIndex:
    """The vectors of one embedder; a `Projection`.

    Opens what was last published under `root`, or is empty; apply what the log has after `seq`. When the files are
    damaged the index is empty and `problem` says why. Whether `checkpoint` is a point of the log is the
    caller's to judge; if it is not, `clear`.

    Args:
        root: Folder of all projections. It need not exist.
        fingerprint: The embedder's.
    """

    name = "vector"
    version = 2

    def __init__(self, root: Path, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        folder = _folder(fingerprint)
        self._home = Generations(root, f"{self.name}-{folder}", self.version)
        self._graphs = Generations(root, f"hnsw-{folder}", hnsw.VERSION)
        self._graph: hnsw.Graph | None = None
        self._fold = Fold(fingerprint)
        self._checkpoint = Checkpoint()
        self._afresh = False
        self._asked: tuple[bytes, FloatArray | None] | None = None
        self.problem: str | None = None
        """Why the published generation could not be used, if so."""
        self._load()

    @classmethod
    def open(cls, root: Path, fingerprint: str) -> VectorIndex:
        """The index under `root`; see the class."""
        return cls(root, fingerprint)

    @property
    def checkpoint(self) -> Checkpoint:
        """The point this index was opened at or has last published; all zeros without one."""
        return self._checkpoint

    @property
    def seq(self) -> int:
        """The last event applied; 0 when empty."""
        return self._fold.seq

    @property
    def texts(self) -> int:
        """How many texts there are, with rows or without."""
        return self._fold.texts

    @property
    def rows(self) -> int:
        """How many vectors there are, one a window."""
        return len(self._fold.rows)

    @property
    def dims(self) -> int:
        """Numbers in a vector; 0 until the first is known."""
        return self._fold.rows.dims

    @property
    def seqs(self) -> Rows64:
        """The sequence number of each text's event, by ordinal; rising."""
        return self._fold.seqs.array

    @property
    def graph_rows(self) -> int:
        """How many rows the loaded graph covers; 0 without one."""
        return 0 if self._graph is None else self._graph.rows

    def apply(self, batch: Sequence[Recorded]) -> None:
        """Apply events `seq + 1 ...` in order; events at or below `seq` are skipped.

        Raises:
            InvalidInput: An event is missing in between.
        """
        self._fold.apply(batch)

    def clear(self) -> None:
        """Forget everything, also what is published: the next `publish` starts afresh."""
        self._fold = Fold(self.fingerprint)
        self._graph = None
        self._checkpoint = Checkpoint()
        self._afresh = True

    def digest(self) -> str:
        """Hex digest of the canonical state: equal for equal prefixes, however they were applied or stored."""
        return self._fold.digest()

    def publish(self, chain: bytes) -> bool:
        """Write what is not yet on disk as a generation at `seq`, whose chain digest is `chain`.

        Afterwards its vectors are mapped and no longer in memory.

        Returns:
            False when another process is publishing or the folder cannot be written.

        Raises:
            Corrupted: The published files were changed while they were open: `clear` and apply the log.
            OutOfSpace: The disk or a quota is full.
            StorageError: The files cannot be written.
        """
        done = store.publish(self._home, self._fold, chain, afresh=self._afresh)
        if done:
            self._afresh = False
            self._load()
        return done

    def _load(self) -> None:
        """Take over what is published, if this index is empty or at the same point."""
        home = self._home.twin()
        manifest = home.load()
        self.problem = home.problem
        if manifest is not None and self.seq in {0, manifest.seq}:
            # The maps that `home` has checked are those of this fold; `publish` checks them again before it copies.
            self._home = home
            self._fold = store.read(home, manifest, self.fingerprint)
            self._checkpoint = manifest.checkpoint

    # -- the accelerator ------------------------------------------------------

    def build_graph(self, chain: bytes, progress: Callable[[int], None] | None = None) -> bool:
        """Build and publish an HNSW graph over all rows; for long-lived processes, `rebuild` and `import`.

        Args:
            chain: The log's chain digest at `seq`.
            progress: Called now and then with the number of rows done, of `rows`.

        Returns:
            False when hnswlib is absent, there are no rows, or another process is building.
        """
        return hnsw.build(self._graphs, self._fold.rows, Checkpoint(seq=self.seq, chain=chain), progress)

    def load_graph(self) -> bool:
        """Load the published graph if it is whole and of these vectors; without it the scans answer."""
        self._graph = hnsw.load(self._graphs, self._fold.rows)
        return self._graph is not None

    # -- questions ------------------------------------------------------------

    def cosines(self, query: HalfArray, ordinals: Rows64, *, seq: int | None = None) -> FloatArray:
        """Canonical cosine of the query to the best window of each text.

        Args:
            query: float16, shape (dims,), of unit length; or all zeros, which is near nothing.
            ordinals: Texts, in any order, from 0 below `texts`.
            seq: Only vectors recorded up to this event count.

        Returns:
            float32 in [-1, 1], one for each ordinal; NaN for a text without rows, and for a query of zeros.

        Raises:
            InvalidInput: The query is not such a vector, or an ordinal is out of range.
        """
        highest = int(ordinals.max()) if len(ordinals) else -1
        if highest >= self.texts or (len(ordinals) and int(ordinals.min()) < 0):
            raise _bad(f"ordinals outside 0 to {self.texts - 1}")
        vector = self._vector(query) if self.rows else None
        if vector is None:
            return np.full(len(ordinals), np.nan, np.float32)
        rows = self._fold.rows
        stop = len(rows) if seq is None else self.rows_at(seq)
        if rows.dense and highest < stop:
            return rows.cosines(ordinals, vector)
        row, owner = rows.of(ordinals)
        known = (row < stop).nonzero()[0]
        answer = np.full(len(ordinals), np.nan, np.float32)
        np.fmax.at(answer, owner[known], rows.cosines(row[known], vector))
        return answer

    def windows(self, ordinals: Rows64, *, seq: int | None = None) -> tuple[FloatArray, Rows64]:
        """Every vector of some texts, and for each the position of its text in `ordinals`.

        Returns:
            float32 of shape (rows, dims) with the exact float16 values, and int64 of shape (rows,), rising.
        """
        row, owner = self._fold.rows.of(ordinals)
        if seq is not None:
            known = row < self.rows_at(seq)
            row, owner = row[known], owner[known]
        order = np.argsort(row, kind="stable")
        vectors = np.empty((len(row), self.dims), np.float32)
        vectors[order] = self._fold.rows.matrix.take(row[order])
        return vectors, owner

    def nearest(
        self,
        query: HalfArray,
        *,
        texts: int,
        allowed: Mask | None = None,
        floor: float,
        limit: int,
        seq: int | None = None,
        exact: bool = False,
    ) -> Nearest:
        """The texts nearest to the query by canonical cosine of their best window.

        Args:
            query: As in `cosines`.
            texts: Only ordinals below this exist.
            allowed: Which ordinals may answer, at least `texts` of them; None allows all.
            floor: Lowest cosine wanted, inclusive.
            limit: Number of texts, from 1; all that tie with the last come as well.
            seq: Only vectors recorded up to this event count.
            exact: Take no accelerator, however large the index is.

        Raises:
            InvalidInput: An argument is out of range.
        """
        self._check(texts, allowed, floor, limit)
        vector = self._vector(query) if self.rows and texts else None
        if vector is None:
            return nothing()
        visible = self._visible(texts, allowed, seq)
        return strategy.nearest(self._fold.rows, self._graph, vector, visible, floor=floor, limit=limit, exact=exact)

    def nearest_many(
        self,
        queries: HalfArray,
        *,
        texts: Rows64,
        allowed: Mask | None = None,
        floor: float,
        limit: int,
        peers: bool = False,
    ) -> list[Nearest]:
        """Exact neighbours of many vectors, such as the windows of new texts; one answer a query.

        Args:
            queries: float16, shape (q, dims), rows of unit length.
            texts: int64, shape (q,): query i sees only ordinals below texts[i].
            allowed: As in `nearest`; it does not concern peers.
            floor: As in `nearest`.
            limit: As in `nearest`.
            peers: The queries are vectors of texts that are not in the index yet: query i belongs to ordinal texts[i]
                and is itself seen by the queries with a higher one.

        Raises:
            InvalidInput: An argument is out of range.
        """
        if not len(queries):
            return []
        if queries.ndim != 2 or texts.shape != (len(queries),) or queries.dtype != np.float16:
            raise _bad("queries that are not float16 (q, dims), each with its number of texts")
        lowest, highest = int(texts.min()), int(texts.max())
        self._check(min(highest, self.texts) if peers else highest, allowed, floor, limit)
        if (self.rows and queries.shape[1] != self.dims) or not is_unit(queries).all():
            raise _bad("a query that is no unit vector of this embedder")
        if lowest < (self.texts if peers else 0):
            raise _bad("peers that are in the index already" if peers else "a negative number of texts")
        rows = self._fold.rows if self.rows else Rows(queries.shape[1])
        return batch.nearest_many(rows, queries, texts, allowed=allowed, peers=peers, floor=floor, limit=limit)

    def _vector(self, query: HalfArray) -> FloatArray | None:
        """As `query_vector`; the last is kept, by its bytes, for who asks for neighbours asks for cosines next."""
        if query.dtype != np.float16 or query.shape != (self.dims,):
            return query_vector(query, self.dims)
        asked, contents = self._asked, query.tobytes()
        if asked is None or asked[0] != contents:
            asked = self._asked = contents, query_vector(query, self.dims)
        return asked[1]

    def _visible(self, texts: int, allowed: Mask | None, seq: int | None) -> Visible:
        rows = self._fold.rows
        stop = len(rows) if seq is None else self.rows_at(seq)
        mask = None
        if rows.ordered:
            stop = min(stop, texts if rows.dense else int(np.searchsorted(rows.ordinals, texts)))
        elif texts < self.texts:
            mask = rows.ordinals[:stop] < texts
        if allowed is not None:
            # Ordinals at or above `texts` may lie outside the mask; they are hidden by their own.
            shown = allowed[:stop] if rows.dense else allowed.take(rows.ordinals[:stop], mode="clip")
            mask = np.ascontiguousarray(shown) if mask is None else shown & mask
        return Visible(stop, mask, stop if mask is None else int(np.count_nonzero(mask)))

    def rows_at(self, seq: int) -> int:
        """How many vectors had come by event `seq`."""
        return int(self._fold.rows.recorded.searchsorted(seq, side="right"))

    def _check(self, texts: int, allowed: Mask | None, floor: float, limit: int) -> None:
        if not 0 <= texts <= self.texts:
            raise _bad(f"{texts} texts, where there are {self.texts}")
        if allowed is not None and (allowed.dtype != np.bool_ or allowed.ndim != 1 or len(allowed) < texts):
            raise _bad(f"a mask of {allowed.dtype} {allowed.shape} for {texts} texts")
        if limit < 1 or math.isnan(floor):
            raise _bad(f"limit {limit} and floor {floor}")


def _folder(fingerprint: str) -> str:
    """A folder name of its own for each fingerprint, whatever characters that has."""
    plain = re.sub(r"[^a-z0-9._-]", "_", fingerprint)
    if plain == fingerprint and 0 < len(plain) <= 80:
        return plain
    return f"{plain[:60]}-{blake2b(fingerprint.encode(), digest_size=8).hexdigest()}"


def _bad(what: str) -> InvalidInput:
    return InvalidInput(f"a vector question with {what}", remedy="ask within the index's own bounds")
