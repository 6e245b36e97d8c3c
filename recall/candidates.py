"""The lists a fusion starts from: vectors, keywords, and exact names; each ranked, gated and cut to its depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from ..projections.columns import Names
from ..projections.ledger.normal import name_key
from ..projections.text.index import TextHits
from .question import Question
from .view import View
from .visibility import Mask

Ordinals = NDArray[np.int64]
LONGEST_NAME = 8
"""Words of the longest name that is looked for in a query."""

MOST_WORDS = 4_096
"""Words of a query in which names are looked for."""

FEW, MANY = 10, 50
"""A name that no more carry is never a common one, and one that more carry always is."""

_ENDS = ".,;:!?()[]{}<>\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u2026"
"""What may stand around a name in a sentence."""


class Cosines:
    """Canonical cosines of a question to texts, each worked out once; NaN without a vector of either."""

    def __init__(self, view: View, question: Question) -> None:
        self._view, self._query = view, question.vector
        self.possible = question.vector is not None and view.vectors is not None
        self._values = np.empty(view.texts if self.possible else 0, np.float32)
        self._known = np.zeros(len(self._values), np.bool_)

    def learn(self, ordinals: Ordinals, cosines: NDArray[np.float32]) -> None:
        """Take note of cosines that a search gave."""
        self._values[ordinals] = cosines
        self._known[ordinals] = True

    def of(self, ordinals: Ordinals) -> NDArray[np.float32]:
        """The cosines of these texts."""
        if self._query is None or self._view.vectors is None:
            return np.full(len(ordinals), np.nan, np.float32)
        missing = ordinals[~self._known[ordinals]]
        if len(missing):
            self.learn(missing, self._view.vectors.cosines(self._query, missing, seq=self._view.point.seq))
        return self._values[ordinals]


class Lists:
    """Ranked lists of lead texts (ordinals, best first) for one question."""

    def __init__(
        self, view: View, question: Question, allowed: Mask, population: Mask | None, cosines: Cosines
    ) -> None:
        self.view, self.question, self.allowed, self.population = view, question, allowed, population
        self.cosines = cosines
        self.constants: Constants = view.beliefs.constants
        self.roots = view.beliefs.memories.table["root"]
        thresholds = self.constants.threshold(view.beliefs.fingerprint)
        asked = question.min_relevance
        self.min_relevance = thresholds.min_relevance if asked is None else asked

    def all(self) -> dict[str, Ordinals]:
        """Every list by name; a list without members is left out."""
        lists = {"vector": self.by_vector(), "keyword": self.by_keyword()}
        lists["entity"] = self.by_name(alone=not any(map(len, lists.values())))
        return {name: ordinals for name, ordinals in lists.items() if len(ordinals)}

    def best(self, ordinals: Ordinals, scores: NDArray[Any]) -> Ordinals:
        """The texts by score, of equals the newer root first, cut to the depth of a list."""
        return ordinals[np.lexsort((-self.roots[ordinals], -scores))[: self.constants.list_depth]]

    def by_vector(self) -> Ordinals:
        """Texts at least `min_relevance` close to the query."""
        question, vectors = self.question, self.view.vectors
        if question.vector is None or vectors is None:
            return np.empty(0, np.int64)
        near = vectors.nearest(
            question.vector,
            texts=self.view.texts,
            allowed=self.allowed,
            floor=self.min_relevance,
            limit=self.constants.list_depth,
            seq=self.view.point.seq,
            exact=question.exact,
        )
        self.cosines.learn(near.ordinals, near.cosines)
        if (near.cosines[1:] == near.cosines[:-1]).any():
            return self.best(near.ordinals, near.cosines)
        return near.ordinals[: self.constants.list_depth]

    def by_keyword(self) -> Ordinals:
        """Texts that share words with the query and pass the gate."""
        wanted, fetch = self.constants.list_depth, 2 * self.constants.list_depth
        while True:
            hits = self.view.text.search(
                self.question.text,
                texts=self.view.texts,
                allowed=self.allowed,
                population=self.population,
                ranks=self.roots,
                limit=fetch,
                exact=self.question.exact,
                rare_share=self.constants.rare_share,
            )
            passed = self._first_through(hits, wanted)
            if hits.exhausted or len(passed) >= wanted:
                return passed[:wanted]
            fetch *= 8

    def _first_through(self, hits: TextHits, wanted: int) -> Ordinals:
        """Those that pass the gate, best first: all, or at least `wanted` of them."""
        passed: list[Ordinals] = []
        start = found = 0
        while start < len(hits.ordinals) and found < wanted:
            # Most pass, so few more than are wanted have to be looked at.
            part = slice(start, start + wanted - found + wanted // 4)
            ordinals = hits.ordinals[part]
            passed.append(ordinals[self._gate(ordinals, hits.idf_share[part], hits.rare_identifier[part])])
            found, start = found + len(passed[-1]), part.stop
        return passed[0] if len(passed) == 1 else np.concatenate([np.empty(0, np.int64), *passed])

    def _gate(self, ordinals: Ordinals, share: NDArray[np.float64], rare: Mask) -> Mask:
        """Relevant by cosine, or by strong keyword evidence."""
        if not self.cosines.possible:
            return np.ones(len(ordinals), np.bool_)
        admitting = self.constants.keyword_admission
        passed = (share >= self.constants.keyword_idf_share) | rare if admitting else np.zeros(len(ordinals), np.bool_)
        doubtful = (~passed).nonzero()[0]
        # As float64: NumPy would round the threshold to float32, and the vector list does not. What is NaN passes.
        passed[doubtful] = ~(self.cosines.of(ordinals[doubtful]).astype(np.float64) < self.min_relevance)
        return passed

    def by_name(self, *, alone: bool) -> Ordinals:
        """Texts of memories that carry a tag, entity or category the query names.

        A name that many memories carry says little of any of them, and is often just a word of the query: it counts
        only where it is half of the query or more, or where the other lists are empty (`alone`).
        """
        terms = self.view.beliefs.texts.terms
        if not len(terms):
            return np.empty(0, np.int64)
        memories = self.view.beliefs.memories
        words, leads = len(self.question.text.split()), memories.table["lead"]
        found: list[Ordinals] = []
        for code in sorted(map(terms.codes.__getitem__, names_in(self.question.text, terms))):
            ordinals = leads.take(memories.carriers(code))
            ordinals = ordinals[self.allowed.take(ordinals)]
            if alone or 2 * len(terms.names[code].split()) >= words or uncommon(len(ordinals), self.allowed):
                found.append(ordinals)
        if not found:
            return np.empty(0, np.int64)
        if len(found) == 1:
            return self.best(found[0].astype(np.int64), np.ones(len(found[0])))
        ordinals, counts = np.unique(np.concatenate(found), return_counts=True)
        return self.best(ordinals.astype(np.int64), counts)


def uncommon(carriers: int, allowed: Mask) -> bool:
    """Whether so many carriers leave a name uncommon: a tenth of what may be answered, but from `FEW` to `MANY`."""
    # What may be answered is counted only where it matters.
    return carriers <= FEW or (carriers <= MANY and carriers <= int(np.count_nonzero(allowed)) // 10)


def names_in(query: str, terms: Names) -> set[str]:
    """The terms that words of the query, in a row, name: tags as they are written too, all others by their key."""
    words = query.split()[:MOST_WORDS]
    keys = [name_key(word) for word in words]
    runs = [*zip(words, keys, strict=True), *_longer(words, keys, terms.beginnings)]
    written, named = {plain for plain, _ in runs}, {key.strip(_ENDS) for _, key in runs}
    bare = {plain.strip(_ENDS) for plain in written}
    if bare != written:
        named.update(key for plain, key in runs if plain not in bare)
    looked_for = [f"{kind}:{name}" for kind in "ect" for name in named]
    looked_for += [f"t:{plain}" for plain in (written | bare) - named]
    codes = terms.codes
    return {term for term in looked_for if term in codes}


def _longer(words: Sequence[str], keys: Sequence[str], beginnings: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Two or more words in a row and their keys, where some name begins with all but the last of them."""
    for start in range(len(words) - 1 if beginnings else 0):
        plain, key = words[start], keys[start]
        for stop in range(start + 1, min(start + LONGEST_NAME, len(words))):
            begun = {f"{kind}:{name}" for kind in "ect" for name in (key, key.lstrip(_ENDS))}
            if beginnings.isdisjoint(begun | {f"t:{plain}", f"t:{plain.lstrip(_ENDS)}"}):
                break
            plain, key = f"{plain} {words[stop]}", f"{key} {keys[stop]}"
            yield plain, key
