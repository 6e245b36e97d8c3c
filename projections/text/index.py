"""The text projection: canonical BM25 over append-ordered postings."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Corrupted, InvalidInput
from ...eventlog.events import ErasedEvent, MemoryStored, Recorded
from ..generations import Generations, Manifest, Publisher, merge_plan
from ..generations import Segment as Folder
from ..projection import Checkpoint
from .accelerator import ACCELERATED_FROM, INDEXED_FROM, TREE, Accelerator, accelerated, usable, write_index
from .analyzer import ANALYZER_VERSION, query_terms, tokens
from .bm25 import Corpus, Floats, corpus, frequency
from .document import indexed_text
from .matching import RARE_SHARE, Best, Matching, Ranks
from .segment import COLUMNS, Segment, merge
from .tail import Tail
from .terms import Mask

Ordinals = NDArray[np.int64]

LAYOUT_VERSION = 1
"""Raised when the columns change; with the analyzer's version it makes the projection's."""

LONGEST_TAIL = 256
"""Documents that a query puts in order before they are made a segment in memory."""


class TextHits(NamedTuple):
    """Documents that match, best first.

    `ordinals` int64, `scores` float64 (BM25, above 0), `idf_share` float64 in (0, 1]: the part of the query's idf that
    the document's terms hold, `rare_identifier` bool: it has an identifier-like term of the query that few of the
    documents have (or one). `exhausted`: no other allowed document matches.
    """

    ordinals: Ordinals
    scores: Floats
    idf_share: Floats
    rare_identifier: Mask
    exhausted: bool


Last = tuple[str, int, int, Mask | None, Matching]


class TextIndex:
    """Every stored text by its terms, at every point of the log.

    Get one from `open`. Ordinals, `texts` and masks are as in `projection.py`. Threads may share it.
    """

    name = "text"
    version = 1_000 * LAYOUT_VERSION + ANALYZER_VERSION
    accelerated_from = ACCELERATED_FROM

    def __init__(self, generations: Generations) -> None:
        self._generations = generations
        self._checkpoint = Checkpoint()
        self._folders: list[Folder] = []
        self._segments: list[Segment] = []
        self._tail = Tail(0)
        self._seq = 0
        self._accelerators: dict[int, Accelerator] | None = None
        self._counted = (-1, -1), corpus(0, 0, 0)
        self._local = threading.local()
        self._lock = threading.RLock()

    @classmethod
    def open(cls, root: Path) -> TextIndex:
        """The newest valid generation under `root`, or an empty index when there is none."""
        index = cls(Generations(root, cls.name, cls.version))
        manifest = index._generations.load()
        if manifest is not None:
            index._use(manifest)
        return index

    def _use(self, manifest: Manifest) -> None:
        self._checkpoint = manifest.checkpoint
        self._seq = manifest.seq
        self._folders = list(manifest.segments)
        self._segments = [self._read(folder) for folder in manifest.segments]
        self._tail = Tail(self._segments[-1].stop if self._segments else 0)
        self._accelerators = None

    def _read(self, folder: Folder) -> Segment:
        columns = {name: self._generations.array(folder, name) for name in COLUMNS}
        return Segment(int(folder.meta["first"] or 0), columns)

    @property
    def seq(self) -> int:
        """The last event applied; 0 when empty."""
        return self._seq

    @property
    def checkpoint(self) -> Checkpoint:
        """How far the generation on disk goes."""
        return self._checkpoint

    @property
    def texts(self) -> int:
        """Stored texts seen, erased ones included."""
        return self._tail.stop

    def apply(self, batch: Sequence[Recorded]) -> None:
        """Index the texts of the events after `seq`, in order."""
        with self._lock:
            for recorded in batch:
                if recorded.seq <= self._seq:
                    continue
                event = recorded.event
                if isinstance(event, MemoryStored):
                    self._tail.add(tokens(indexed_text(event)))
                elif isinstance(event, ErasedEvent) and event.kind == MemoryStored.__struct_config__.tag:
                    self._tail.add(None)
                self._seq = recorded.seq

    def search(
        self,
        query: str,
        *,
        texts: int,
        allowed: Mask | None = None,
        population: Mask | None = None,
        ranks: Ranks | None = None,
        limit: int,
        exact: bool = False,
        rare_share: float = RARE_SHARE,
    ) -> TextHits:
        """The `limit` best allowed documents for the query's terms, and all that tie with the last of them, best first.

        Args:
            query: Any text; it is read as terms, never as a query language. Without a term there are no hits.
            texts: Only ordinals below it exist: scores are those of an index that saw no more.
            allowed: By ordinal, what may be answered; None allows everything.
            population: By ordinal, what df, N and the average length are counted over; None counts everything.
                Erased documents never count.
            ranks: By ordinal (int32), which of equal scores goes first: the higher. None: the later ordinal.
            limit: At least 1.
            exact: Answer from the postings alone.
            rare_share: Up to this share of the documents, or one, an identifier is rare.

        Raises:
            InvalidInput: `limit` is below 1, or a mask or `ranks` is shorter than `texts`.
        """
        if limit < 1:
            raise InvalidInput(f"limit is {limit}", remedy="ask for at least one result")
        if allowed is not None and len(allowed) < min(texts, self.texts):
            raise InvalidInput("the allowed mask is shorter than the index", remedy="give a value for every ordinal")
        if ranks is not None and len(ranks) < min(texts, self.texts):
            raise InvalidInput("there are fewer ranks than texts", remedy="give a value for every ordinal")
        matching = self._matching(query, texts, population).judging(rare_share)
        room = self._take_room(matching.corpus.texts)
        found = None if exact else self._accelerated(matching, limit, allowed, room)
        best = matching.best(limit, allowed, room, ranks) if found is None else found.in_order(ranks)
        self._local.room = room
        return TextHits(best.ordinals, *best.exact, best.exhausted)

    def _accelerated(self, matching: Matching, limit: int, allowed: Mask | None, room: Floats) -> Best | None:
        least = self.accelerated_from
        if matching.corpus.texts < least.documents or sum(term.size for term in matching.terms) < least.postings:
            return None
        if self._accelerators is None:
            folders = [self._generations.folder(folder) for folder in self._folders]
            trees = [path / TREE if (path / TREE).is_dir() else None for path in folders]
            self._accelerators = usable(trees, self._segments)
        return accelerated(matching, self._accelerators, limit, allowed, room) if self._accelerators else None

    def scores(self, query: str, ordinals: Ordinals, *, texts: int, population: Mask | None = None) -> Floats:
        """The BM25 scores of these documents, 0.0 where nothing matches or the ordinal does not exist."""
        matching = self._matching(query, texts, population)
        return matching.exact(np.asarray(ordinals, np.int64)).scores

    def explain(
        self, query: str, ordinal: int, *, texts: int, population: Mask | None = None
    ) -> list[dict[str, str | int | float | bool]]:
        """Each query term that the document has, in the order their contributions are added up to its score.

        Keys: term, identifier, tf (up to 255), length (terms), df, documents, average_length, idf, contribution.
        """
        matching = self._matching(query, texts, population)
        part = next((part for part in self._parts() if part.first <= ordinal < part.stop), None)
        if part is None or ordinal >= matching.corpus.texts:
            return []
        place = np.array([ordinal], np.uint32)
        length = int(part.lengths[ordinal - part.first])
        average = matching.corpus.average_length
        return [
            {
                "term": term.text,
                "identifier": term.identifier,
                "tf": frequency(share, length, average),
                "length": length,
                "df": term.df,
                "documents": matching.corpus.documents,
                "average_length": average,
                "idf": term.idf,
                "contribution": term.idf * share,
            }
            for term in matching.terms
            if (share := float(term.at(place)[0])) > 0.0
        ]

    def digest(self) -> str:
        """Hex digest of all terms and postings; equal for equal prefixes of the log, whatever the segments."""
        whole = merge([*self._segments, self._tail.frozen()])
        digest = blake2b(f"{self.version} {self._seq}".encode(), digest_size=32)
        for name in COLUMNS:
            column = whole.columns[name]
            digest.update(f"{name} {column.dtype.str} {len(column)}".encode())
            digest.update(np.ascontiguousarray(column).data)
        return digest.hexdigest()

    def publish(self, chain: bytes, *, accelerate: bool = False) -> bool:
        """Write what is not on disk yet as a generation at `seq`; False when another process is publishing.

        `accelerate` gives the segment written, if it is large, an index for fast candidates: some 40 us a document,
        for processes that have the time.

        Raises:
            Corrupted: A mapped file changed since it was opened.
            StorageError: The folder cannot be written.
        """
        with self._lock, self._generations.publishing() as publisher:
            if publisher is None:
                return False
            if not self._generations.intact():
                raise Corrupted(f"{self._generations.path} changed while it was open", remedy="rebuild the text index")
            if self._generations.changed():
                self._follow(self._generations.load())
            if self._checkpoint.seq > self._seq or self._checkpoint == Checkpoint(self._seq, chain):
                return True
            self._freeze()
            folders = self._write(publisher, accelerate=accelerate)
            publisher.commit(Checkpoint(self._seq, chain), folders)
            written = self._generations.load()
        if written is not None:
            self._use(written)
        return True

    def _follow(self, manifest: Manifest | None) -> None:
        """Keep only those of our folders that the generation of another publisher has too: others will be deleted."""
        theirs = manifest.segments if manifest is not None else ()
        self._checkpoint = Checkpoint() if manifest is None else manifest.checkpoint
        self._accelerators = None
        same = [ours == other for ours, other in zip(self._folders, theirs, strict=False)]
        del self._folders[same.index(False) if False in same else len(same) :]

    def _write(self, publisher: Publisher, *, accelerate: bool) -> list[Folder]:
        """The folders of the next generation: all segments, the new ones merged with neighbours not much larger."""
        old = len(self._folders)
        if old == len(self._segments):
            return self._folders
        sizes = [segment.stop - segment.first for segment in self._segments]
        kept = merge_plan(sizes[:old], sum(sizes[old:]))
        fresh = self._segments[kept:]
        merged = fresh[0] if len(fresh) == 1 else merge(fresh)
        indexed = accelerate and len(merged.lengths) >= INDEXED_FROM
        folder = publisher.segment(
            merged.columns,
            {},
            first_seq=self._folders[kept - 1].last_seq + 1 if kept else 1,
            last_seq=self._seq,
            meta={"first": merged.first, "stop": merged.stop},
            trees={TREE: lambda path: write_index(merged, path)} if indexed else {},
        )
        return [*self._folders[:kept], folder]

    def _matching(self, query: str, texts: int, population: Mask | None) -> Matching:
        """The query in the corpus; a thread that asks the same once more gets the same again."""
        last: Last | None = getattr(self._local, "last", None)
        if last is None or last[:3] != (query, texts, self._seq) or last[3] is not population:
            last = (query, texts, self._seq, population, self._match(query_terms(query), texts, population))
            self._local.last = last
        return last[4]

    def _match(self, query: dict[str, bool], texts: int, population: Mask | None) -> Matching:
        if population is not None and len(population) < min(texts, self.texts):
            raise InvalidInput("the population is shorter than the index", remedy="give a value for every ordinal")
        with self._lock:
            if self._tail.stop - self._tail.first > LONGEST_TAIL:
                self._freeze()
            texts = min(max(texts, 0), self.texts)
            counted = None if population is None or population[:texts].all() else population[:texts]
            return Matching(query, self._known_corpus(texts, counted), self._segments, self._tail, counted)

    def _parts(self) -> list[Segment | Tail]:
        return [*self._segments, self._tail]

    def _known_corpus(self, texts: int, population: Mask | None) -> Corpus:
        """The corpus; that of everything is the same until the next event."""
        if population is not None:
            return self._corpus(texts, population)
        key = (texts, self._seq)
        if self._counted[0] != key:
            self._counted = key, self._corpus(texts, None)
        return self._counted[1]

    def _corpus(self, texts: int, population: Mask | None) -> Corpus:
        documents = total = 0
        for part in self._parts():
            stop = min(part.stop, texts)
            if stop <= part.first:
                continue
            lengths, holes = np.asarray(part.lengths), np.asarray(part.holes, np.int64)
            lengths, holes = lengths[: stop - part.first], holes[holes < stop]
            if population is None:
                documents += stop - part.first - len(holes)
                total += part.total if stop == part.stop else int(lengths.sum(dtype=np.int64))
            else:
                counted = population[part.first : stop]
                documents += int(np.count_nonzero(counted)) - int(np.count_nonzero(population[holes]))
                total += int((lengths * counted).sum(dtype=np.int64))
        return corpus(texts, documents, total)

    def _freeze(self) -> None:
        """Make the tail a segment in memory."""
        if self._tail.lengths:
            new = self._tail.frozen()
            kept = len(self._folders)
            sizes = [segment.stop - segment.first for segment in self._segments[kept:]]
            kept += merge_plan(sizes, new.stop - new.first)
            self._segments[kept:] = [merge([*self._segments[kept:], new])]
            self._tail = Tail(new.stop)

    def _take_room(self, texts: int) -> Floats:
        """Zeros, one a document: the memory of the thread's last query, put back by it only if it succeeded."""
        room: Floats | None = getattr(self._local, "room", None)
        self._local.room = None
        if room is None or len(room) < texts:
            room = np.zeros(texts + texts // 8 + 1024)
        return room
