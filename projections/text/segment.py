"""Postings of a run of documents: sorted terms, and for each its documents in order.

Columns (T terms, P postings, C kinds, D documents):

    spelling  uint8[...]   UTF-8 bytes of all terms, in byte order
    ends      uint32[T]    where each term's bytes end
    heads     uint64[T]    first eight bytes of each term, big endian: the binary search
    starts    uint32[T+1]  where each term's postings begin
    highest   uint8[T]     highest frequency of the term in any document
    shortest  uint32[T]    length of the shortest document with it
    docs      uint32[P]    ordinals, ascending within a term
    kinds     uint16[P]    which (frequency, length) pair; uint32 when there are more than 65,536
    kind_tf   uint8[C]     the pairs
    kind_dl   uint32[C]
    lengths   uint32[D]    terms of each document, 0 for a hole
    holes     uint32[...]  ordinals of erased documents

A weight depends on a posting only through its pair, so one small table of
weights serves all postings of a query: nothing here depends on how many
documents there are, which is what lets the past be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from .bm25 import HIGHEST_TF, K1, B, Floats, weight

Array = NDArray[Any]
Ordinals = NDArray[np.uint32]
Span = tuple[int, int, int, int]
"""Postings of a term: in which of some places, the term's number there, and where they begin and end."""

Found = tuple[int, tuple[Span, ...]]
"""How many postings a term has, and where."""

COLUMNS = (
    *("spelling", "ends", "heads", "starts", "highest", "shortest", "docs"),
    *("kinds", "kind_tf", "kind_dl", "lengths", "holes"),
)


class Segment:
    """Immutable postings of the documents `first` to `stop`, exclusive."""

    def __init__(self, first: int, columns: Mapping[str, Array]) -> None:
        self.first = first
        self.columns = {name: columns[name] for name in COLUMNS}
        self.docs: Ordinals = columns["docs"]
        self.kinds = columns["kinds"]
        self.lengths: Ordinals = columns["lengths"]
        self.holes: Ordinals = columns["holes"]
        self.stop = first + len(self.lengths)
        self.total = int(self.lengths.sum(dtype=np.int64))
        self._heads = columns["heads"]
        self._ends = columns["ends"]
        self._starts = columns["starts"]
        self._spelling = columns["spelling"]
        self._table: tuple[float, Floats] = (0.0, np.empty(0))
        self.lookup = self.stop, self._heads, self._ends, self._spelling, self._starts, self.docs

    def find(self, terms: Sequence[bytes], texts: int) -> list[tuple[int, int, int]]:
        """Each term's number, -1 if it does not occur, and where its postings in documents below `texts` are."""
        return [self._span(number, texts if texts < self.stop else -1) for number in self._numbers(terms)]

    def _numbers(self, terms: Sequence[bytes]) -> list[int]:
        keys = np.array([_head(term) for term in terms], np.uint64)
        low = np.searchsorted(self._heads, keys, "left").tolist()
        high = np.searchsorted(self._heads, keys, "right").tolist()
        return [self._among(*at) for at in zip(terms, low, high, strict=True)]

    def _among(self, term: bytes, low: int, high: int) -> int:
        stop = high
        while low < high:
            middle = (low + high) // 2
            found = self.term(middle)
            if found == term:
                return middle
            low, high = (middle + 1, high) if found < term else (low, middle)
        return low if low < stop and self.term(low) == term else -1

    def term(self, number: int) -> bytes:
        """The bytes of a term."""
        start = int(self._ends[number - 1]) if number else 0
        return self._spelling[start : int(self._ends[number])].tobytes()

    def terms(self) -> list[bytes]:
        """All terms in order."""
        data, start = self._spelling.tobytes(), 0
        found = []
        for end in self._ends.tolist():
            found.append(data[start:end])
            start = end
        return found

    def _span(self, number: int, texts: int) -> tuple[int, int, int]:
        if number < 0:
            return -1, 0, 0
        start, stop = int(self._starts[number]), int(self._starts[number + 1])
        if texts >= 0:
            stop = start + int(np.searchsorted(self.docs[start:stop], np.uint32(texts)))
        return number, start, stop

    def weights(self, average_length: float) -> Floats:
        """The weight of every kind; the last table is kept, for queries of the same corpus."""
        known, table = self._table
        if known != average_length:
            table = weight(self.columns["kind_tf"], self.columns["kind_dl"], average_length)
            self._table = average_length, table
        return table

    def ceiling(self, number: int, average_length: float) -> float:
        """No posting of the term weighs more than this."""
        tf, dl = float(self.columns["highest"][number]), float(self.columns["shortest"][number])
        return tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * (dl / average_length)))

    def sizes(self) -> NDArray[np.int64]:
        """How many documents each term is in."""
        starts = self._starts.astype(np.int64)
        return starts[1:] - starts[:-1]

    def pairs(self) -> tuple[Array, Array]:
        """Frequency and document length of every posting."""
        return self.columns["kind_tf"][self.kinds], self.columns["kind_dl"][self.kinds]


def find(segments: Sequence[Segment], terms: Sequence[bytes], texts: int) -> list[Found]:
    """For each term how many postings it has in documents below ordinal `texts`, and in which segments they are."""
    if compiled.terms is not None:
        found: list[Found] = compiled.terms.find(tuple([one.lookup for one in segments]), tuple(terms), texts)
        return found
    columns = [segment.find(terms, texts) for segment in segments]
    rows = [[(place, *column[n]) for place, column in enumerate(columns)] for n in range(len(terms))]
    spans = [tuple(span for span in row if span[2] < span[3]) for row in rows]
    return [(sum(stop - start for _, _, start, stop in of), of) for of in spans]


def from_tokens(first: int, names: Sequence[str], ids: Array, lengths: Array, holes: Sequence[int]) -> Segment:
    """A segment from the documents' terms one after another.

    `ids` numbers each term in `names`; `lengths` says how many belong to each document.
    """
    spelled = [name.encode() for name in names]
    order = sorted(range(len(spelled)), key=spelled.__getitem__)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    owner = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    width = max(len(lengths), 1)
    keys, counts = np.unique(rank[ids] * width + owner, return_counts=True)
    number, local = np.divmod(keys, width)
    return _assemble(
        first,
        [spelled[k] for k in order],
        np.searchsorted(number, np.arange(len(order) + 1)),
        (local + first).astype(np.uint32),
        np.minimum(counts, HIGHEST_TF),
        lengths=np.asarray(lengths, np.uint32),
        holes=np.array(holes, np.uint32),
    )


def merge(segments: Sequence[Segment]) -> Segment:
    """One segment of neighbours, in order; equal to the segment of all their documents at once."""
    spelled = [segment.terms() for segment in segments]
    union = sorted(set().union(*spelled))
    place = {term: k for k, term in enumerate(union)}
    counts = np.zeros(len(union) + 1, np.int64)
    numbers = [np.fromiter(map(place.__getitem__, terms), np.int64, len(terms)) for terms in spelled]
    sizes = [segment.sizes() for segment in segments]
    for number, size in zip(numbers, sizes, strict=True):
        counts[number + 1] += size
    starts = np.cumsum(counts)
    docs = np.empty(int(starts[-1]), np.uint32)
    tf = np.empty(len(docs), np.uint8)
    filled = starts[:-1].copy()
    for segment, number, size in zip(segments, numbers, sizes, strict=True):
        shift = np.repeat(filled[number] - segment.columns["starts"][:-1], size)
        target = np.arange(len(shift)) + shift
        docs[target] = segment.docs
        tf[target] = segment.columns["kind_tf"][segment.kinds]
        filled[number] += size
    lengths = np.concatenate([segment.lengths for segment in segments])
    holes = np.concatenate([segment.holes for segment in segments])
    return _assemble(segments[0].first, union, starts, docs, tf, lengths=lengths, holes=holes)


def _assemble(
    first: int,
    spelled: Sequence[bytes],
    starts: Array,
    docs: Ordinals,
    tf: Array,
    *,
    lengths: Ordinals,
    holes: Ordinals,
) -> Segment:
    dl = lengths[docs - np.uint32(first)]
    pairs, kinds = _distinct(dl.astype(np.int64) << 8 | tf.astype(np.int64))
    runs = starts[:-1].astype(np.intp)
    return Segment(
        first,
        {
            "spelling": np.frombuffer(b"".join(spelled), np.uint8),
            "ends": np.cumsum([len(term) for term in spelled], dtype=np.uint32),
            "heads": np.fromiter(map(_head, spelled), np.uint64, len(spelled)),
            "starts": starts.astype(np.uint32),
            "highest": np.maximum.reduceat(tf, runs).astype(np.uint8) if len(runs) else np.empty(0, np.uint8),
            "shortest": np.minimum.reduceat(dl, runs) if len(runs) else np.empty(0, np.uint32),
            "docs": docs,
            "kinds": kinds.astype(np.uint16 if len(pairs) <= 1 << 16 else np.uint32),
            "kind_tf": (pairs & 255).astype(np.uint8),
            "kind_dl": (pairs >> 8).astype(np.uint32),
            "lengths": lengths,
            "holes": holes,
        },
    )


def _distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes, ascending, and the place of each code among them; by a table while that is small."""
    span = int(codes.max(initial=0)) + 1
    if span > 1 << 24:
        found, places = np.unique(codes, return_inverse=True)
        return found, places
    seen = np.zeros(span, np.bool_)
    seen[codes] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[codes]


def _head(term: bytes) -> int:
    return int.from_bytes(term[:8].ljust(8, b"\0"), "big")


def documents(segment: Segment) -> Iterator[list[int]]:
    """For each document the numbers of its terms, each as often as it occurs, ascending."""
    number = np.repeat(np.arange(len(segment.columns["ends"])), segment.sizes())
    tf, _ = segment.pairs()
    order = np.argsort(segment.docs, kind="stable")
    per_document = np.bincount(segment.docs - np.uint32(segment.first), tf, len(segment.lengths)).astype(np.int64)
    stops = np.cumsum(per_document)
    repeated = np.repeat(number[order], tf[order]).tolist()
    for start, stop in zip((stops - per_document).tolist(), stops.tolist(), strict=True):
        yield repeated[start:stop]
