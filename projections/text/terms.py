"""The terms of a query as a corpus has them: their postings, how many documents, how much they can weigh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bm25 import Corpus, Floats, idf
from .segment import Found, Segment, Span, find
from .tail import Tail

Array = NDArray[Any]
Mask = NDArray[np.bool_]


class Place(NamedTuple):
    """Where postings are: in a segment (weights by kind), or in the tail (weights by posting)."""

    docs: Array
    kinds: Array | None
    weights: Floats
    segment: Segment | None


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
        return self.place.weights[self.start : self.stop] if kinds is None else self.place.weights.take(kinds)

    def ceiling(self, average_length: float) -> float:
        """No posting weighs more than this."""
        segment = self.place.segment
        return float(self.contributions().max()) if segment is None else segment.ceiling(self.term, average_length)

    def at(self, ordinals: Array) -> Floats:
        """The weight of the term in these documents (uint32), 0 where it is absent."""
        docs, kinds = self.docs, self.kinds
        if not len(docs):
            return np.zeros(len(ordinals))
        place = docs.searchsorted(ordinals)
        np.minimum(place, len(docs) - 1, out=place)
        found = self.place.weights.take(place + self.start if kinds is None else kinds.take(place))
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

    `identifier`: it was written like one. `places` are those of the whole query, the segments of the index first.
    """

    text: str
    identifier: bool
    df: int
    idf: float
    places: Sequence[Place]
    spans: tuple[Span, ...]
    size: int

    @property
    def parts(self) -> list[Part]:
        """Its postings, place by place."""
        return [Part(self.places[place], *span) for place, *span in self.spans]

    def ceiling(self, average_length: float) -> float:
        """No document gets more than this, times the idf, from the term."""
        return max((part.ceiling(average_length) for part in self.parts), default=0.0)

    def at(self, ordinals: Array) -> Floats:
        """The term's weight in each of these documents (uint32); they are in one part each, the others add 0."""
        weights = np.zeros(len(ordinals))
        for part in self.parts:
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
    within = [segment for segment in segments if segment.first < corpus.texts]
    places = [Place(one.docs, one.kinds, one.weights(corpus.average_length), one) for one in within]
    found = find(within, [name.encode() for name in names], corpus.texts)
    if tail.first < corpus.texts:
        postings = tail.postings(corpus.average_length)
        places.append(Place(postings.docs, None, postings.weights, None))
        found = [
            _with(of, len(within), *tail.span(name, corpus.texts, postings))
            for name, of in zip(names, found, strict=True)
        ]
    terms = []
    for name, (size, spans) in zip(names, found, strict=True):
        df = size if population is None else _counted(places, spans, population)
        terms.append(Term(name, query[name], df, idf(corpus.documents, df), places, spans, size))
    return terms, places


def _with(found: Found, place: int, start: int, stop: int) -> Found:
    """The same and a span more, if there is anything in it."""
    size, spans = found
    return (size + stop - start, (*spans, (place, -1, start, stop))) if start < stop else found


def _counted(places: Sequence[Place], spans: Sequence[Span], population: Mask) -> int:
    return sum(int(np.count_nonzero(population.take(places[n].docs[start:stop]))) for n, _, start, stop in spans)
