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


class Place(NamedTuple):
    """Where postings are: in a segment (weights by kind), or a term's in the tail (weights by posting).

    `number` is that of the place in the query, `home` that of the segment in the index, -1 for the tail.
    """

    number: int
    home: int
    segment: Segment | None
    docs: Array
    kinds: Array | None
    weights: Floats


class Part(NamedTuple):
    """A term's postings in one place, from `start` to `stop`; `term` is the term's number in a segment."""

    place: Place
    term: int
    start: int
    stop: int

    @property
    def docs(self) -> Array:
        """The documents, ascending."""
        return self.place.docs[self.start : self.stop]

    @property
    def kinds(self) -> Array | None:
        """The kind of every posting, where weights are by kind."""
        return None if self.place.kinds is None else self.place.kinds[self.start : self.stop]

    def contributions(self) -> Floats:
        """The weight of every posting."""
        kinds = self.kinds
        return self.place.weights if kinds is None else self.place.weights.take(kinds)

    def ceiling(self, average_length: float) -> float:
        """No posting weighs more than this."""
        segment = self.place.segment
        return float(self.place.weights.max()) if segment is None else segment.ceiling(self.term, average_length)

    def at(self, ordinals: Array) -> Floats:
        """The weight of the term in these documents (uint32), 0 where it is absent."""
        docs, kinds = self.docs, self.kinds
        if not len(docs):
            return np.zeros(len(ordinals))
        place = docs.searchsorted(ordinals)
        np.minimum(place, len(docs) - 1, out=place)
        found = self.place.weights.take(place if kinds is None else kinds.take(place))
        found[docs.take(place) != ordinals] = 0.0
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

    `identifier`: it was written like one.
    """

    text: str
    identifier: bool
    df: int
    idf: float
    parts: tuple[Part, ...]
    size: int

    def ceiling(self, average_length: float) -> float:
        """No document gets more than this, times the idf, from the term."""
        return max((part.ceiling(average_length) for part in self.parts), default=0.0)

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
) -> tuple[list[Term], list[Place]]:
    """The query's terms in code point order, which is the order of their UTF-8 bytes, and where their postings are."""
    names = sorted(query)
    places: list[Place] = []
    parts: list[list[Part]] = [[] for _ in names]
    spelled = tuple([name.encode() for name in names])
    for home, segment in enumerate(segments):
        if segment.first >= corpus.texts:
            break
        weights = segment.weights(corpus.average_length)
        place = Place(len(places), home, segment, segment.docs, segment.kinds, weights)
        places.append(place)
        for found, (term, start, stop) in zip(parts, segment.find(spelled, corpus.texts), strict=True):
            if start < stop:
                found.append(Part(place, term, start, stop))
    if tail.first < corpus.texts:
        for found, name in zip(parts, names, strict=True):
            docs, weights = tail.postings(name, corpus.texts, corpus.average_length)
            if len(docs):
                places.append(Place(len(places), -1, None, docs, None, weights))
                found.append(Part(places[-1], -1, 0, len(docs)))
    terms = [
        _term(name, corpus, tuple(found), population, identifier=query[name])
        for name, found in zip(names, parts, strict=True)
    ]
    return terms, places


def _term(name: str, corpus: Corpus, parts: tuple[Part, ...], population: Mask | None, *, identifier: bool) -> Term:
    size = 0
    for _, _, start, stop in parts:
        size += stop - start
    df = size if population is None else sum(int(np.count_nonzero(population.take(part.docs))) for part in parts)
    return Term(name, identifier, df, idf(corpus.documents, df), parts, size)
