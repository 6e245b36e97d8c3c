"""Vectors of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .protocol import FloatArray


def unit_rows(vectors: NDArray[np.floating[Any]]) -> FloatArray:
    """Every row of `vectors`, shape (rows, dimensions), divided by its length; rows of zeros stay."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    unit: FloatArray = (vectors / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return unit


def mean_unit(windows: FloatArray) -> FloatArray:
    """One unit vector for a query: its window, or the direction of the mean of several."""
    vector: FloatArray = windows[0] if len(windows) == 1 else unit_rows(windows.mean(axis=0, keepdims=True))[0]
    return vector
