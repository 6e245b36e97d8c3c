"""Arithmetic whose bits do not depend on batch, order, processor or library.

Folds use + - * / and sqrt, comparisons, and the two functions here. All three
work element by element, so one number and a million give the same bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def ipow(base: float, exponent: int) -> float:
    """`base` to a whole power >= 0 by repeated squaring, lowest bit first."""
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


def ipow_array(base: FloatArray, exponent: NDArray[np.int64]) -> FloatArray:
    """`ipow` for arrays of one shape; the same bits as the scalar form."""
    result = np.ones_like(base)
    base = base.copy()
    left = exponent.copy()
    while left.any():
        odd = (left & 1).astype(bool)
        result[odd] *= base[odd]
        base *= base
        left >>= 1
    return result


def tree_sum(values: FloatArray) -> FloatArray:
    """Sum over the last axis by adding halves, padded with zeros to a power of two.

    Args:
        values: float64, shape (..., d).

    Returns:
        float64, shape (...).
    """
    width = values.shape[-1]
    size = 1 << max(0, width - 1).bit_length()
    if size != width:
        padded = np.zeros((*values.shape[:-1], size))
        padded[..., :width] = values
        values = padded
    while size > 1:
        size //= 2
        values = values[..., :size] + values[..., size:]
    return values[..., 0]
