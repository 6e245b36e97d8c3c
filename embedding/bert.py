"""A BERT encoder in numpy: embeddings in, hidden states out, in the precision of its weights.

Devlin et al. 2018, "BERT: Pre-training of Deep Bidirectional Transformers",
with post-layer normalisation as in the original. Every sum runs along one
sequence only, so a sequence's result does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

_EPSILON = 1e-12
_BLOCK = 32  # queries; with 256 keys of size 32, products just too small for OpenBLAS to divide among threads

# Abramowitz & Stegun 7.1.26, halved: the normal distribution's tail with an absolute error below 1e-7.
_TAIL_SLOPE = 0.3275911 * 0.5**0.5
_TAIL = tuple(0.5 * a for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))


@dataclass(frozen=True, slots=True)
class Linear:
    """`x @ weight.T * scale + bias`: weight (out, in), scale (out,) or None for 1, bias (out,).

    The weight stands on the left of the product: BLAS then divides work among
    threads along its rows, whose number does not depend on the text, and a sum
    has the same bits with any number of threads.
    """

    weight: Array
    scale: Array | None
    bias: Array

    def __call__(self, inputs: Array) -> Array:
        """Rows of shape (n, in) to rows of shape (n, out)."""
        outputs: Array = (self.weight @ inputs.T).T
        if self.scale is not None:
            outputs *= self.scale
        outputs += self.bias
        return outputs


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation over the last axis."""

    gain: Array
    bias: Array

    def __call__(self, inputs: Array) -> Array:
        """An array of the shape of `inputs`."""
        centred: Array = inputs - inputs.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + _EPSILON)
        centred *= self.gain
        centred += self.bias
        return centred


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder block. `attend` yields queries, keys and values side by side."""

    attend: Linear
    project: Linear
    attend_norm: Norm
    widen: Linear
    narrow: Linear
    widen_norm: Norm


def encode(hidden: Array, layers: Sequence[Layer], heads: int) -> Array:
    """Run the blocks over `hidden`, shape (sequences, tokens, width), all sequences of one length."""
    shape = hidden.shape
    rows = hidden.reshape(-1, shape[-1])
    for layer in layers:
        mixed = _attention(layer.attend(rows).reshape(*shape[:2], -1), heads)
        rows = layer.attend_norm(rows + layer.project(mixed.reshape(rows.shape)))
        rows = layer.widen_norm(rows + layer.narrow(gelu(layer.widen(rows))))
    return rows.reshape(shape)


def _attention(joined: Array, heads: int) -> Array:
    """Scaled dot-product attention over (sequences, tokens, 3 x width)."""
    sequences, tokens, triple = joined.shape
    size = triple // 3 // heads
    query, key, value = joined.reshape(sequences, tokens, 3, heads, size).transpose(2, 0, 3, 1, 4)
    query = query * size**-0.5
    key = key.swapaxes(-1, -2)
    blocks = [_softmax(query[:, :, first : first + _BLOCK] @ key) @ value for first in range(0, tokens, _BLOCK)]
    return np.concatenate(blocks, axis=2).transpose(0, 2, 1, 3).reshape(sequences, tokens, -1)


def _softmax(scores: Array) -> Array:
    """The softmax over the last axis; overwrites `scores`."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def gelu(inputs: Array) -> Array:
    """`x * Phi(x)` element by element, as `max(x, 0) - |x| * Phi(-|x|)`; overwrites `inputs`."""
    size = np.abs(inputs)
    ramp = 1.0 / (_TAIL_SLOPE * size + 1.0)
    tail = _TAIL[0] * ramp
    for coefficient in _TAIL[1:]:
        tail += coefficient
        tail *= ramp
    np.multiply(size, size, out=ramp)
    ramp *= -0.5
    tail *= np.exp(ramp, out=ramp)
    tail *= size
    np.maximum(inputs, 0.0, out=inputs)
    inputs -= tail
    return inputs
