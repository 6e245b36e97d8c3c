"""Documents that are in no segment yet: their terms one after another, searched by looking at all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bm25 import HIGHEST_TF, Floats, weight
from .segment import Segment, from_tokens

Array = NDArray[Any]


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

    @property
    def stop(self) -> int:
        """The ordinal of the next document."""
        return self.first + len(self.lengths)

    def add(self, terms: Sequence[str] | None) -> None:
        """Append a document, or a hole where it was erased."""
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

    def postings(self, term: str, texts: int, average_length: float) -> tuple[Array, Floats]:
        """Documents below ordinal `texts` with the term, ascending, and their weights."""
        number = self._numbers.get(term)
        if number is None:
            return np.empty(0, np.uint32), np.empty(0)
        owners = self._owners[: self.total][self._ids[: self.total] == number]
        docs, counts = np.unique(owners[owners < texts], return_counts=True)
        lengths = np.array([self.lengths[doc - self.first] for doc in docs.tolist()])
        return docs, weight(np.minimum(counts, HIGHEST_TF), lengths, average_length)

    def frozen(self) -> Segment:
        """The same documents as a segment."""
        lengths = np.array(self.lengths, np.uint32)
        return from_tokens(self.first, list(self._numbers), self._ids[: self.total], lengths, self.holes)
