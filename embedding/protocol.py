"""What an embedder is: an identity, two ways to embed, and the rule for bad vectors.

Rule for bad vectors: a text (or window) whose vector has no length carries no
meaning the embedder can see, so it is stored without a vector and is found by
its words alone; a vector that is not finite is a fault of the embedder and
refuses the request.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderError
from .identity import Identity, Thresholds

__all__ = ["Embedder", "FloatArray", "HalfArray", "Identity", "Thresholds", "half_rows"]

FloatArray = NDArray[np.float32]
HalfArray = NDArray[np.float16]


class Embedder(Protocol):
    """A pure function from text to unit vectors, with a name."""

    @property
    def identity(self) -> Identity:
        """Which function this is."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """The calibrated thresholds of this identity."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (windows, dimensions) a text, rows of unit length or zero."""
        ...

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (dimensions,), of unit length or zero."""
        ...


def half_rows(vectors: FloatArray, identity: Identity) -> HalfArray:
    """Unit float16 rows of `vectors`, as the log keeps them; rows without length are dropped.

    Args:
        vectors: float32, shape (rows, dimensions).
        identity: Whose vectors they are.

    Raises:
        EmbedderError: A value is not finite, or the shape is not the identity's.
    """
    if vectors.ndim != 2 or vectors.shape[1] != identity.dimensions:
        raise EmbedderError(
            f"{identity.name} returned vectors of shape {vectors.shape}, not (rows, {identity.dimensions})",
            remedy="use the release of the embedder that this store was made with",
        )
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1))
    if not math.isfinite(sum(lengths.tolist())):  # no square of a float32 is too large for a float64
        raise EmbedderError(
            f"{identity.name} returned a vector with NaN or infinity",
            remedy="report the text to the embedder's maintainers, or choose another with --embedder",
        )
    kept = lengths > 1e-6
    if not all(kept.tolist()):
        wide, lengths = wide[kept], lengths[kept]
    unit: HalfArray = (wide / lengths[:, None]).astype(np.float16)
    return unit
