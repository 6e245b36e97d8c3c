"""A static embedding of the vocabulary, distilled from a transformer in exact arithmetic.

The method is Model2Vec's (Tulkens & van Dongen 2024): what the transformer
makes of each token alone, its dimensions reduced by PCA, weighted by smooth
inverse frequency (Arora et al. 2017), so that a text is the plain sum of its
tokens. Three choices differ from theirs, each for retrieval: the token's own
hidden state instead of the mean with [CLS] and [SEP]; only part of the common
mean is removed; and frequency ranks start at the first word of the vocabulary,
since BERT's first two thousand entries are characters and not frequent words.

The result must not depend on the processor, yet an eigenvector amplifies the
last bit of its input. So the transformer runs in float64 and its states are
rounded to a grid millions of times coarser than its noise. From there on every
sum is one of integers below 2**53, which float64 holds exactly in any order,
and the eigenvectors come from Jacobi rotations made of element-wise IEEE
operations alone, not from LAPACK.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from helixlog.embedding.bert import Array, Layer, Norm, encode
from numpy.typing import NDArray

DIMENSIONS = 256
HEADS = 12
BATCH = 500

START, END = 101, 102  # [CLS], [SEP]
FIRST_VISIBLE = 999  # before it stand special and unused tokens
FIRST_WORD = 1996  # before it stand single characters, from here words by falling frequency
ASCII_RANK, CHARACTER_RANK = 5, 3000  # punctuation and letters are frequent, other characters rare

STATE_GRID = 2.0**14
BASIS_GRID = 2.0**20
MEAN_REMOVED = 0.3
SIF = 1e-3
NEGLIGIBLE = 1e-15  # off the diagonal of a matrix whose largest entry is 1

Doubles = NDArray[np.float64]


def distil(tokens: Sequence[str], embeddings: dict[str, Array], layers: Sequence[Layer]) -> dict[str, NDArray[Any]]:
    """`rows` int8 (tokens, 256): sums of them are embeddings; tokens that mean nothing have zero rows."""
    states = np.rint(token_states(len(tokens), embeddings, layers) * STATE_GRID)
    states[:FIRST_VISIBLE] = 0.0
    mean = states[FIRST_WORD:].sum(axis=0) / len(states[FIRST_WORD:])
    states[FIRST_VISIBLE:] -= np.rint(MEAN_REMOVED * mean)
    basis = np.rint(principal_axes(states.T @ states, DIMENSIONS) * BASIS_GRID)
    weighted = (states @ basis) * sif_weights(tokens)[:, None]
    return {"rows": np.rint(weighted * (127.0 / np.abs(weighted).max())).astype(np.int8)}


def token_states(count: int, embeddings: dict[str, Array], layers: Sequence[Layer]) -> Doubles:
    """The last hidden state of every token between [CLS] and [SEP], shape (count, width)."""
    norm = Norm(embeddings["norm.gain"], embeddings["norm.bias"])
    parts = []
    for first in range(0, count, BATCH):
        middle = np.arange(first, min(first + BATCH, count))
        ids = np.stack([np.full_like(middle, START), middle, np.full_like(middle, END)], axis=1)
        hidden = norm(embeddings["words"][ids] + embeddings["positions"][:3])
        parts.append(encode(hidden, layers, HEADS)[:, 1])
    return np.concatenate(parts).astype(np.float64)


def sif_weights(tokens: Sequence[str]) -> Doubles:
    """`a / (a + p)` with the frequency p of each token estimated by Zipf's law from its rank."""
    ranks = np.arange(len(tokens), dtype=np.float64) - (FIRST_WORD - 1)
    is_ascii = [len(token) == 1 and token.isascii() for token in tokens[:FIRST_WORD]]
    ranks[:FIRST_WORD] = np.where(is_ascii, ASCII_RANK, CHARACTER_RANK)
    frequency = 1.0 / (ranks + 1.0)
    frequency /= math.fsum(frequency)
    return SIF / (SIF + frequency)


def principal_axes(matrix: Doubles, count: int) -> Doubles:
    """Eigenvectors of a symmetric matrix as columns, largest eigenvalue first, largest component positive."""
    values, vectors = jacobi(matrix / np.abs(matrix).max())
    axes = vectors[:, np.argsort(-values, kind="stable")[:count]]
    heaviest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[heaviest, np.arange(count)])


def jacobi(matrix: Doubles) -> tuple[Doubles, Doubles]:
    """Eigenvalues and eigenvectors (columns) of a symmetric matrix of even size, largest entry 1.

    Cyclic Jacobi in the round-robin order (Golub & Van Loan, 8.5): each round
    rotates n/2 disjoint pairs at once, n - 1 rounds meet every pair.
    """
    size = len(matrix)
    current, vectors = matrix.copy(), np.eye(size)
    order = np.arange(size)
    while np.abs(np.triu(current, 1)).max() > NEGLIGIBLE:
        for _ in range(size - 1):
            rotate(current, vectors, order[: size // 2], order[: size // 2 - 1 : -1])
            order[1:] = np.roll(order[1:], 1)
    return np.diagonal(current).copy(), vectors


def rotate(current: Doubles, vectors: Doubles, p: NDArray[np.int64], q: NDArray[np.int64]) -> None:
    """Make `current[p, q]` zero by plane rotations, in place, and carry them into `vectors`."""
    off = current[p, q]
    active = np.abs(off) > NEGLIGIBLE
    theta = (current[q, q] - current[p, p]) / np.where(active, 2.0 * off, 1.0)
    tangent = np.where(theta >= 0.0, 1.0, -1.0) / (np.abs(theta) + np.sqrt(theta * theta + 1.0))
    tangent = np.where(active, tangent, 0.0)
    cosine = 1.0 / np.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for columns in (current, current.T, vectors):  # J'(A J) and V J
        first, second = columns[:, p], columns[:, q]
        columns[:, p] = cosine * first - sine * second
        columns[:, q] = sine * first + cosine * second
    current[p[active], q[active]] = 0.0
    current[q[active], p[active]] = 0.0
