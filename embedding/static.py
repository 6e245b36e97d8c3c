"""The embedder `static`: a text is the sum of its tokens' int8 rows, made a unit vector.

The sum and its squared length are integers, so order, batch, threads and
processor cannot change a bit. (Int64 holds the squared length of any text
below a million tokens, whatever the tokens.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .bundled import STATIC, VOCABULARY
from .identity import Identity, Thresholds
from .protocol import FloatArray
from .tensors import read_tensors
from .wordpiece import WordPiece


class Static:
    """A static embedding of 256 dimensions; texts of any length have one window."""

    def __init__(self) -> None:
        self._tokenizer = WordPiece(VOCABULARY)
        self._rows = read_tensors(STATIC.path)["rows"]

    @property
    def identity(self) -> Identity:
        """Which function this is."""
        return STATIC.identity

    @property
    def thresholds(self) -> Thresholds:
        """The calibrated thresholds of this identity."""
        return STATIC.thresholds

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (1, 256) a text, of unit length or zero."""
        return [self.embed_query(text)[np.newaxis] for text in texts]

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (256,), of unit length, or zero when no token of `text` means anything."""
        total = self._rows.take(self._tokenizer.ids(text), axis=0).sum(axis=0, dtype=np.int64)
        length = math.sqrt(int(total @ total)) or 1.0
        unit: FloatArray = (total / length).astype(np.float32)
        return unit
