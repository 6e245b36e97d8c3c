"""The embedder `minilm`: all-MiniLM-L6-v2 with int8 weights, run in numpy.

Matrices are widened to float32 once, when the embedder is made (42 MB), since
doing it at each text costs more than the text; the word table stays int8 in the
mapped file and only the rows a text needs are read. Every window is a forward
pass of its own, so a vector depends on nothing but its text. Sums follow the
processor's BLAS: the last bit may differ between kinds of processors, by about
1e-7, which rounding to the float16 of the log nearly always hides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bert import Array, Layer, Linear, Norm, encode
from .bundled import MINILM, VOCABULARY
from .identity import Identity, Thresholds
from .protocol import FloatArray
from .tensors import read_tensors
from .units import mean_unit, unit_rows
from .windows import spans
from .wordpiece import WordPiece

HEADS = 12
_SPECIALS = 2  # [CLS] and [SEP] around every window


class MiniLM:
    """A sentence embedding of 384 dimensions; long texts have overlapping windows of 128 tokens, as it was trained.

    Args:
        encoder: Hidden states of one window, float32 (tokens, 384), to those of
            the last layer; None for the one in numpy.
    """

    def __init__(self, *, encoder: Callable[[Array], Array] | None = None) -> None:
        self._tokenizer = WordPiece(VOCABULARY)
        tensors = read_tensors(MINILM.path)
        self._words = tensors["words"]
        self._word_scale = tensors["words.scale"]
        self._positions = tensors["positions"]
        self._norm = Norm(tensors["norm.gain"], tensors["norm.bias"])
        self._encoder = encoder or _NumpyEncoder()

    @property
    def identity(self) -> Identity:
        """Which function this is."""
        return MINILM.identity

    @property
    def thresholds(self) -> Thresholds:
        """The calibrated thresholds of this identity."""
        return MINILM.thresholds

    def embed_documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """One float32 array of shape (windows, 384) a text, rows of unit length or zero."""
        return [self._windows(text) for text in texts]

    def embed_query(self, text: str) -> FloatArray:
        """A float32 array of shape (384,), of unit length or zero; the mean of the windows of a long text."""
        return mean_unit(self._windows(text))

    def _windows(self, text: str) -> FloatArray:
        ids = self._tokenizer.ids(text)
        room, step = MINILM.identity.window - _SPECIALS, MINILM.identity.stride
        return unit_rows(np.stack([self._mean(ids[begin:end]) for begin, end in spans(len(ids), room, step)]))

    def _mean(self, ids: list[int]) -> Array:
        """The mean hidden state; zero when every token is unknown, since all such texts look alike."""
        if set(ids) <= {self._tokenizer.unknown}:
            return np.zeros(MINILM.identity.dimensions, np.float32)
        framed = [self._tokenizer.start, *ids, self._tokenizer.end]
        hidden = self._words[framed] * self._word_scale[framed, np.newaxis]
        hidden += self._positions[: len(framed)]
        mean: Array = self._encoder(self._norm(hidden)).mean(axis=0)
        return mean


class _NumpyEncoder:
    def __init__(self) -> None:
        self._layers = encoder_layers()

    def __call__(self, hidden: Array) -> Array:
        encoded: Array = encode(hidden[np.newaxis], self._layers, HEADS)[0]
        return encoded


def encoder_layers() -> list[Layer]:
    """The encoder blocks with int8 matrices widened to float32, their scales apart."""
    tensors = read_tensors(MINILM.path)
    count = sum(name.endswith(".attend.weight") for name in tensors)
    return [_layer(tensors, f"layers.{number}.") for number in range(count)]


def _layer(tensors: dict[str, NDArray[Any]], prefix: str) -> Layer:
    def linear(name: str) -> Linear:
        weight = tensors[f"{prefix}{name}.weight"].astype(np.float32)
        return Linear(weight, tensors[f"{prefix}{name}.weight.scale"], tensors[f"{prefix}{name}.bias"])

    def norm(name: str) -> Norm:
        return Norm(tensors[f"{prefix}{name}.gain"], tensors[f"{prefix}{name}.bias"])

    return Layer(
        attend=linear("attend"),
        project=linear("project"),
        attend_norm=norm("attend_norm"),
        widen=linear("widen"),
        narrow=linear("narrow"),
        widen_norm=norm("widen_norm"),
    )
