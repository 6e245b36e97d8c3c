"""BM25 with its arithmetic pinned: the same bits from any layout, batch or platform.

    score(d) = sum over the query's distinct terms, in code point order, of idf(t) * weight(tf, dl)
    idf(t)   = log(1 + (N - df + 0.5) / (df + 0.5))
    weight   = tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl)),  k1 = 1.2, b = 0.75

S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and
Beyond, 2009; idf as in Lucene, never negative. `tf` counts up to 255. All in
float64, one rounded operation at a time in the order written below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
HIGHEST_TF = 255

Floats = NDArray[np.float64]


class Corpus(NamedTuple):
    """The documents that count: those of the ordinals below `texts` that are in the population and not erased."""

    texts: int
    documents: int
    average_length: float


def corpus(texts: int, documents: int, total_length: int) -> Corpus:
    """A corpus from integer counts; one without terms has an average length of 1."""
    return Corpus(texts, documents, total_length / documents if documents and total_length else 1.0)


def idf(documents: int, df: int) -> float:
    """Inverse document frequency of a term in `df` of `documents`; above 0."""
    return math.log(1.0 + (documents - df + 0.5) / (df + 0.5))


def weight(tf: NDArray[np.number], length: NDArray[np.number], average_length: float) -> Floats:
    """The part of a score that depends on the document; element-wise, in (0, k1 + 1)."""
    frequency = np.asarray(tf, np.float64)
    norm = np.asarray(length, np.float64) / average_length
    norm *= B
    norm += 1.0 - B
    norm *= K1
    norm += frequency
    return frequency * (K1 + 1.0) / norm


def frequency(share: float, length: int, average_length: float) -> int:
    """The tf that gives the weight `share` in a document of this length."""
    return round(share * K1 * (1.0 - B + B * (length / average_length)) / (K1 + 1.0 - share))
