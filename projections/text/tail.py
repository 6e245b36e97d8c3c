"""Documents that are in no segment yet: their terms one after another, put in order when they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bm25 import HIGHEST_TF, Floats, weight
from .segment import Segment, from_tokens

Array = NDArray[Any]


class Postings(NamedTuple):
    """Of all terms, in the order of their numbers: documents, ascending within a term, and weights.

    Those of a term are from `starts[number]` to `starts[number + 1]`.
    """

    starts: list[int]
    docs: NDArray[np.uint32]
    weights: Floats
    average_length: float


class Tail:
    """Documents from ordinal `first` on, appended in order."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.total = 0
        self.lengths: list[int] = []
        self.holes: list[int] = []
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._ids = np.empty(1 << 10, np.uint32)
        self._owners = np.empty(1 << 10, np.uint32)
        self._postings: Postings | None = None

    @property
    def stop(self) -> int:
        """The ordinal of the next document."""
        return self.first + len(self.lengths)

    def add(self, terms: Sequence[str] | None) -> None:
        """Append a document, or a hole where it was erased."""
        self._postings = None
        if terms is None:
            self.holes.append(self.stop)
        start, end = self.total, self.total + len(terms or ())
        if end > len(self._ids):
            self._ids = np.resize(self._ids, 2 * end)
            self._owners = np.resize(self._owners, 2 * end)
        if terms:
            self._ids[start:end] = list(map(self._numbers.__getitem__, terms))
            self._owners[start:end] = self.stop
        self.lengths.append(end - start)
        self.total = end

    def postings(self, average_length: float) -> Postings:
        """The postings of all documents; made once, until a document is added or the average length is another."""
        known = self._postings
        if known is None or known.average_length != average_length:
            pairs = self._ids[: self.total].astype(np.uint64) << np.uint64(32) | self._owners[: self.total]
            keys, counts = np.unique(pairs, return_counts=True)
            starts = np.searchsorted(keys, np.arange(len(self._numbers) + 1, dtype=np.uint64) << np.uint64(32)).tolist()
            docs = keys.astype(np.uint32)
            lengths = np.array(self.lengths, np.uint32).take(docs - np.uint32(self.first))
            weights = weight(np.minimum(counts, HIGHEST_TF), lengths, average_length)
            known = self._postings = Postings(starts, docs, weights, average_length)
        return known

    def span(self, term: str, texts: int, postings: Postings) -> tuple[int, int]:
        """Where the term's postings in documents below ordinal `texts` are."""
        number = self._numbers.get(term)
        if number is None:
            return 0, 0
        start, stop = postings.starts[number : number + 2]
        return start, start + int(postings.docs[start:stop].searchsorted(texts)) if texts < self.stop else stop

    def frozen(self) -> Segment:
        """The same documents as a segment."""
        lengths = np.array(self.lengths, np.uint32)
        return from_tokens(self.first, list(self._numbers), self._ids[: self.total], lengths, self.holes)
