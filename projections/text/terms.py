"""The terms of a query as a corpus has them: their postings, how many documents, how much they can weigh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bm25 import Corpus, Floats, idf
from .segment import Segment
from .tail import Tail

Array = NDArray[Any]
Mask = NDArray[np.bool_]


class Part(NamedTuple):
    """A term's postings in one segment (weights by kind) or in the tail (weights by posting).

    `home` is the place of the segment, -1 for the tail.
    """

    home: int
    docs: Array
    kinds: Array | None
    weights: Floats

    def contributions(self) -> Floats:
        """The weight of every posting."""
        return self.weights if self.kinds is None else self.weights.take(self.kinds)

    def at(self, ordinals: Array) -> Floats:
        """The weight of the term in these documents (uint32), 0 where it is absent."""
        if not len(self.docs):
            return np.zeros(len(ordinals))
        place = self.docs.searchsorted(ordinals)
        np.minimum(place, len(self.docs) - 1, out=place)
        found = self.weights.take(place if self.kinds is None else self.kinds.take(place))
        found[self.docs.take(place) != ordinals] = 0.0
        return found


class Run(NamedTuple):
    """A term's postings of all parts in a row: intp documents, ascending, and what each gets from the term."""

    docs: NDArray[np.intp]
    contributions: Floats

    def at(self, ordinals: Array) -> tuple[Floats, Mask]:
        """What these documents (intp) get from the term, 0 where it is absent, and where it is not."""
        if not len(self.docs):
            return np.zeros(len(ordinals)), np.zeros(len(ordinals), np.bool_)
        place = self.docs.searchsorted(ordinals)
        np.minimum(place, len(self.docs) - 1, out=place)
        hit: Mask = self.docs.take(place) == ordinals
        found = self.contributions.take(place)
        found *= hit
        return found, hit


class Term(NamedTuple):
    """A query term in a corpus: `size` postings, of which `df` are in the population.

    `identifier`: it was written like one. No document gets more than `idf * ceiling` from it.
    """

    text: str
    identifier: bool
    df: int
    idf: float
    ceiling: float
    parts: tuple[Part, ...]
    size: int

    def at(self, ordinals: Array) -> Floats:
        """The term's weight in each of these documents (uint32); they are in one part each, the others add 0."""
        if not self.parts:
            return np.zeros(len(ordinals))
        weights = self.parts[0].at(ordinals)
        for part in self.parts[1:]:
            weights += part.at(ordinals)
        return weights

    def run(self) -> Run:
        """Its postings in a row."""
        docs = np.concatenate([np.empty(0, np.intp), *(part.docs for part in self.parts)], dtype=np.intp)
        contributions = np.concatenate([np.empty(0), *(part.contributions() for part in self.parts)])
        contributions *= self.idf
        return Run(docs, contributions)


def collect(
    query: dict[str, bool], corpus: Corpus, segments: Sequence[Segment], tail: Tail, population: Mask | None
) -> list[Term]:
    """The query's terms in code point order, which is the order of their UTF-8 bytes."""
    names = sorted(query)
    parts: list[list[Part]] = [[] for _ in names]
    ceilings = [0.0] * len(names)
    spelled = [name.encode() for name in names]
    for home, segment in enumerate(segments):
        if segment.first >= corpus.texts:
            break
        weights = segment.weights(corpus.average_length)
        for k, number in enumerate(segment.find(spelled)):
            if number >= 0:
                parts[k].append(Part(home, *segment.postings(number, corpus.texts), weights))
                ceilings[k] = max(ceilings[k], segment.ceiling(number, corpus.average_length))
    if tail.first < corpus.texts:
        for k, name in enumerate(names):
            docs, by_posting = tail.postings(name, corpus.texts, corpus.average_length)
            if len(docs):
                parts[k].append(Part(-1, docs, None, by_posting))
                ceilings[k] = max(ceilings[k], float(by_posting.max()))
    return [
        _term(name, corpus, ceiling, tuple(found), population, identifier=query[name])
        for name, ceiling, found in zip(names, ceilings, parts, strict=True)
    ]


def _term(
    name: str,
    corpus: Corpus,
    ceiling: float,
    parts: tuple[Part, ...],
    population: Mask | None,
    *,
    identifier: bool,
) -> Term:
    size = sum(len(part.docs) for part in parts)
    df = size if population is None else sum(int(np.count_nonzero(population.take(part.docs))) for part in parts)
    return Term(name, identifier, df, idf(corpus.documents, df), ceiling, parts, size)
