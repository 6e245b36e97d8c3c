"""The canonical cosine: the same bits on every machine, in any order, batch or thread.

It is the float64 dot product of two float16 unit vectors, clamped to [-1, 1]
and rounded once to float32.

Why it is exact. Every finite float16 is an integer multiple of 2**-24, so every
product of two is an integer multiple of 2**-48, and so is every sum of such
products. By Cauchy-Schwarz the absolute values of the products add up to at
most |x||y|, for unit vectors (within `UNIT_TOLERANCE`) less than 2. So any
partial sum, of any subset in any order, is k * 2**-48 with |k| < 2**49, and float64
holds every integer below 2**53: no product and no addition ever rounds, with
or without fused multiply-add, whatever the number of dimensions. Only the last step
rounds, once.

How a faster form may choose candidates. In float32 the products are exact too
(22 significant bits of 24); only the additions round. For n terms in any order
their error is at most gamma(n) * sum|x_i y_i| with gamma(n) = n u / (1 - n u),
u = 2**-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1). `margin` is that
bound, plus half an ulp for the rounding of the canonical value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...embedding.protocol import FloatArray, HalfArray
from ...errors import InvalidInput

UNIT_TOLERANCE = 0.01
"""A vector whose length is off 1 by more than this is no unit vector; float16 rounding stays below 0.001."""


def canonical(vectors: FloatArray, queries: NDArray[np.float16 | np.float32]) -> FloatArray:
    """Canonical cosines of float16-valued unit vectors.

    Args:
        vectors: Shape (n, d); float32 whose values are float16 ones.
        queries: Shape (d,), or (n, d) for one a row.

    Returns:
        float32, shape (n,), in [-1, 1].
    """
    dots = np.vecdot(vectors.astype(np.float64), queries.astype(np.float64))
    rounded: FloatArray = np.clip(dots, -1.0, 1.0).astype(np.float32)
    return rounded


def margin(dims: int) -> float:
    """How far a float32 dot of two unit vectors can be from their canonical cosine before it is clamped."""
    unit = 2.0**-24
    gamma = dims * unit / (1 - dims * unit)
    return gamma * (1 + UNIT_TOLERANCE) ** 2 + unit / 2


def bar(kth: float, floor: float, slack: float) -> float:
    """The float32 dot below which nothing can be among the best or tie with the last of them; -2 where anything can.

    Args:
        kth: The k-th largest float32 dot, or -inf when fewer are known.
        floor: Lowest cosine wanted.
        slack: `margin` of the dimensions.
    """
    # A canonical value is clamped, so a dot above 1 is worth no more than 1, and one below -1 no less than -1.
    worth = max(min(kth - slack, 1.0), floor)
    return -2.0 if worth <= -1.0 else worth - slack


def is_unit(vectors: NDArray[np.float16 | np.float32]) -> NDArray[np.bool_]:
    """Which vectors of an array of shape (..., d) are finite and of length 1."""
    wide = vectors.astype(np.float32, copy=False)
    squares: NDArray[np.bool_] = abs(np.sqrt(np.vecdot(wide, wide)) - 1.0) <= UNIT_TOLERANCE
    return squares


def query_vector(query: HalfArray, dims: int) -> FloatArray | None:
    """The query as float32, or None when it has no length and so no neighbours.

    Raises:
        InvalidInput: It is not a float16 vector of `dims` numbers of unit length, or not finite.
    """
    if query.dtype != np.float16 or query.shape != (dims,):
        raise InvalidInput(
            f"a query of {query.dtype} {query.shape} where float16 ({dims},) is needed",
            remedy="embed the query with the embedder this index was made for",
        )
    wide: FloatArray = query.astype(np.float32)
    if is_unit(wide):
        return wide
    if wide.any():
        raise InvalidInput("the query is no finite vector of unit length", remedy="normalise the vector first")
    return None
