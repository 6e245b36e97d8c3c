"""Logs of texts, and BM25 written down once more in the plainest way."""

import math
from pathlib import Path

import pytest
from helixlog.eventlog.events import ErasedEvent, MemoryStored, Recorded, SessionStarted
from helixlog.projections.text.analyzer import query_terms, tokens
from helixlog.projections.text.index import TextIndex


class Kit:
    """What the tests of this folder share."""

    @staticmethod
    def log(texts, start=1):
        """One event a text: None is an erased one, ... is an event of another kind."""

        def event(text):
            if text is ...:
                return SessionStarted()
            return ErasedEvent(kind="memory_stored") if text is None else MemoryStored(text=text)

        return [Recorded(seq=k, recorded_at=k, clock=k, id=None, event=event(t)) for k, t in enumerate(texts, start)]

    @classmethod
    def index(cls, texts, root=Path("/nonexistent")):
        index = TextIndex.open(root)
        index.apply(cls.log(texts))
        return index

    @staticmethod
    def hits(index, query, **options):
        """Ordinal to (score, idf share, rare identifier), and whether that was all."""
        found = index.search(query, **{"texts": index.texts, "limit": 10, **options})
        columns = zip(found.scores.tolist(), found.idf_share.tolist(), found.rare_identifier.tolist(), strict=True)
        return dict(zip(found.ordinals.tolist(), columns, strict=True)), found.exhausted

    @staticmethod
    def plain_scores(texts, query, population=None):
        """The formula over lists and dictionaries: ordinal to score, for the scores above 0."""
        documents = {k: tokens(text) for k, text in enumerate(t for t in texts if t is not ...) if text is not None}
        counted = [k for k in documents if population is None or population[k]]
        total = sum(len(documents[k]) for k in counted)
        average = total / len(counted) if total else 1.0
        scores = dict.fromkeys(documents, 0.0)
        for term in sorted(query_terms(query)):
            df = sum(term in documents[k] for k in counted)
            idf = math.log(1.0 + (len(counted) - df + 0.5) / (df + 0.5))
            for k, words in documents.items():
                if tf := words.count(term):
                    norm = (len(words) / average * 0.75 + (1.0 - 0.75)) * 1.2 + tf
                    scores[k] += idf * (tf * (1.2 + 1.0) / norm)
        return {k: score for k, score in scores.items() if score > 0}


@pytest.fixture(autouse=True, scope="module")
def _either_way(loops):
    """Every test of this folder runs with the compiled loops and without."""


@pytest.fixture(scope="session")
def kit():
    return Kit
