"""Thresholds for an embedder nobody has calibrated: its cosines on our own sentence pairs.

A cosine of one embedder says nothing about another's, so each threshold is a
rank among cosines whose meaning is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .identity import Thresholds
from .pairs import OVERLAPPING, QUESTIONS, RELATED, REWORDED, Pairs
from .protocol import Embedder

Doubles = NDArray[np.float64]

_GAP = 0.01  # thresholds are two decimals and differ


def calibrate(embedder: Embedder) -> Thresholds:
    """Thresholds of `embedder`, two decimals each, with duplicate > related > causal >= min_relevance.

    `duplicate`: the cosine that best tells reworded facts from all other pairs,
    by F0.5 (a wrong merge costs more than a missed one). `related` and
    `causal`: the 99th and 95th percentile of unrelated pairs. `min_relevance`:
    the 5th percentile of a question with its answer, `causal` at most. Embeds
    some 180 short sentences.

    Raises:
        EmbedderError: The embedder failed.
    """
    reworded, other = _cosines(embedder, REWORDED), _cosines(embedder, (*RELATED, *OVERLAPPING))
    questions = np.stack([embedder.embed_query(question) for question, _ in QUESTIONS])
    answers = _first_windows(embedder, [answer for _, answer in QUESTIONS])
    unrelated = _unrelated(embedder)

    causal = min(_percentile(unrelated, 95), 1.0 - 3 * _GAP)
    linked = float(np.clip(_percentile(unrelated, 99), causal + _GAP, 1.0 - 2 * _GAP))
    merged = float(np.clip(_best_split(reworded, np.concatenate([other, unrelated])), linked + _GAP, 1.0 - _GAP))
    relevant = min(_percentile((questions * answers).sum(axis=1), 5), causal)
    return Thresholds(*(round(value, 2) for value in (merged, linked, causal, relevant)))


def _unrelated(embedder: Embedder) -> Doubles:
    """Cosines of every two sentences of different entries."""
    sentences = _first_windows(embedder, [pair[0] for pair in (*REWORDED, *RELATED)] + [pair[1] for pair in QUESTIONS])
    return (sentences @ sentences.T)[np.triu_indices(len(sentences), 1)].astype(np.float64)


def _cosines(embedder: Embedder, pairs: Pairs) -> Doubles:
    left = _first_windows(embedder, [pair[0] for pair in pairs])
    right = _first_windows(embedder, [pair[1] for pair in pairs])
    cosines: Doubles = (left * right).sum(axis=1)
    return cosines


def _first_windows(embedder: Embedder, texts: Sequence[str]) -> Doubles:
    rows: Iterable[NDArray[np.float32]] = embedder.embed_documents(texts)
    return np.stack([windows[0] for windows in rows]).astype(np.float64)


def _percentile(cosines: Doubles, percent: int) -> float:
    return round(float(np.percentile(cosines, percent)), 2)


def _best_split(same: Doubles, other: Doubles) -> float:
    """The cosine of a pair in `same` at which F0.5 of "at least this" is greatest; the higher of equals."""

    def f_half(threshold: float) -> float:
        hits, alarms = int((same >= threshold).sum()), int((other >= threshold).sum())
        return 1.25 * hits / (0.25 * len(same) + hits + alarms)

    return max((float(cosine) for cosine in same), key=lambda cosine: (f_half(cosine), cosine))
