"""One query against one corpus: which postings count, the exact scores, and the best documents.

`best` finds candidates by adding up postings, rarest term first, and stops
adding when what is left cannot lift a document into the answer (the idea of
MaxScore: H. Turtle and J. Flood, Query evaluation: strategies and
optimizations, 1995). Those sums only choose; `exact` computes every score that
is given out, in the one pinned order of terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import compiled
from .bm25 import Corpus, Floats
from .segment import Segment, Span
from .sums import LOOKUP, WORTH_A_LOOK, Sums, below, narrowed, suffix_sums, top
from .tail import Tail
from .terms import Mask, Place, Run, Term, collect

Ordinals = NDArray[np.int64]
Ranks = NDArray[np.int32]
Query = tuple[tuple[Place, ...], tuple[tuple[float, bool, tuple[Span, ...]], ...], float]
"""Where postings are, each term's idf, whether it is a rare identifier and its postings there, and the idf of all."""

NOBODY = 2**32 - 1
"""An ordinal that no document has."""

RARE_SHARE = 0.01
"""An identifier in at most this share of the documents, or in one, is rare, unless another share is asked for."""


class Exact(NamedTuple):
    """Aligned with the ordinals asked for."""

    scores: Floats
    idf_share: Floats
    rare_identifier: Mask

    def of(self, places: Ordinals) -> Exact:
        """The same for some of the ordinals."""
        return Exact(self.scores[places], self.idf_share[places], self.rare_identifier[places])


class Best(NamedTuple):
    """The best documents, ties with the last included; `exhausted`: no other one matches."""

    ordinals: Ordinals
    exact: Exact
    exhausted: bool

    def in_order(self, ranks: Ranks | None) -> Best:
        """The same by score, of equals the one with the higher rank first."""
        newer = self.ordinals if ranks is None else ranks[self.ordinals].astype(np.int64)
        order = np.lexsort((-self.ordinals, -newer, -self.exact.scores))
        return Best(self.ordinals[order], self.exact.of(order), self.exhausted)


class Matching:
    """A query in a corpus; terms are in code point order."""

    rare_share = RARE_SHARE

    def __init__(
        self, query: dict[str, bool], corpus: Corpus, segments: Sequence[Segment], tail: Tail, population: Mask | None
    ) -> None:
        self.corpus = corpus
        self.terms, self._places = collect(query, corpus, segments, tail, population)
        self.whole_idf = 0.0
        for term in self.terms:
            self.whole_idf += term.idf
        self._runs: dict[str, Run] = {}

    def judging(self, rare_share: float) -> Self:
        """The same with another share of the documents up to which an identifier is rare."""
        if rare_share == self.rare_share:
            return self
        other = copy(self)
        other.rare_share = rare_share
        other.__dict__.pop("postings", None)
        return other

    @cached_property
    def postings(self) -> Query:
        """All there is to add up, in the order of terms."""
        terms = [(term.idf, self._rare(term), term.spans) for term in self.terms]
        return tuple(self._places), tuple(terms), self.whole_idf or 1.0

    def _rare(self, term: Term) -> bool:
        return term.identifier and term.df <= max(1.0, self.rare_share * self.corpus.documents)

    def exact(self, ordinals: Ordinals) -> Exact:
        """Scores, share of the query's idf that matched, and whether a rare identifier did."""
        if compiled.postings is None:
            scores, matched, rare = self._looked_up(ordinals)
            return Exact(scores, matched / (self.whole_idf or 1.0), rare)
        return self._read(compiled.postings.exact(self.postings, np.ascontiguousarray(ordinals, np.int64)))

    @staticmethod
    def _read(columns: tuple[bytes, bytes, bytes]) -> Exact:
        scores, shares, rare = columns
        return Exact(np.frombuffer(scores), np.frombuffer(shares), np.frombuffer(rare, np.bool_))

    def _looked_up(self, ordinals: Ordinals) -> tuple[Floats, Floats, Mask]:
        scores, matched = np.zeros(len(ordinals)), np.zeros(len(ordinals))
        rare = np.zeros(len(ordinals), np.bool_)
        wide = ordinals.astype(np.intp, copy=False)
        narrow = np.where((ordinals < 0) | (ordinals > NOBODY), NOBODY, ordinals).astype(np.uint32)
        for term in self.terms:
            if term.size:
                run = self._runs.get(term.text)
                if run is None:
                    gained = term.at(narrow)
                    hit = gained > 0
                    gained *= term.idf
                else:
                    gained, hit = run.at(wide)
                scores += gained
                matched += term.idf * hit
                if self._rare(term):
                    rare |= hit
        return scores, matched, rare

    def _run(self, term: Term) -> Run:
        """The term's postings in a row, made once."""
        run = self._runs.get(term.text)
        if run is None:
            run = self._runs[term.text] = term.run()
        return run

    def best(self, limit: int, allowed: Mask | None, room: Floats, ranks: Ranks | None = None) -> Best:
        """The `limit` best allowed documents and all ties with the last, in the order of `Best.in_order`.

        `room`: a number for every document, all zeros; after an answer it is all zeros again, after an exception
        it is not to be used.
        """
        if compiled.postings is not None:
            shown = None if allowed is None else np.ascontiguousarray(allowed, np.bool_)
            newer = None if ranks is None else np.ascontiguousarray(ranks, np.int32)
            chosen, columns, alone = compiled.postings.best(self.postings, limit, shown, newer, self.corpus.texts)
            return Best(np.frombuffer(chosen, np.int64), self._read(columns), alone)
        sums = Sums(room, allowed)
        terms = sorted((term for term in self.terms if term.size), key=lambda term: term.size)
        rest = suffix_sums([term.idf * term.ceiling(self.corpus.average_length) for term in terms])
        sizes = suffix_sums([term.size for term in terms])
        bar, used, looked_at = 0.0, 0, float(limit)
        for used, term in enumerate(terms, 1):
            sums.add(self._run(term))
            # A look takes longer than adding again what was added. It is vain while the rest can add more than any
            # document has; no sum is above what the terms added can give, and few are near it.
            added = sizes[0] - sizes[used]
            worth = added >= 2 * looked_at and sizes[used] >= max(WORTH_A_LOOK, 4 * added)
            hopeful = worth and rest[0] > 3 * rest[used]
            if hopeful or used == len(terms):
                looked_at = added
                bar = sums.bar(limit)
                enough = below(bar, rest[used])
                if enough > 0.0 and sums.count(enough) * LOOKUP < sizes[used]:
                    break
        found, known = sums.reaching(below(bar, rest[used]))
        found = narrowed(found, known, terms[used:], rest[used:], limit)
        exact = self.exact(found)
        keep = top(exact.scores, limit)
        others = len(keep) < len(found) or sums.others(found, terms[used:])
        sums.clear()
        return Best(found[keep], exact.of(keep), exhausted=not others).in_order(ranks)
