"""The encoder of `minilm` as an ONNX model, written in protobuf's wire format by hand.

onnxruntime alone can then run it; the `onnx` package and a second copy of the
weights on disk are not needed. Field numbers are those of `onnx.proto3`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bert import Layer, Linear, Norm

INPUT, OUTPUT = "hidden", "encoded"

_IR_VERSION, _OPSET = 9, 20  # the first with Gelu
_ELEMENT_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
_FLOAT, _INT, _INTS = 1, 2, 7  # AttributeProto.type

Attribute = int | float | Sequence[int]


def encoder_model(layers: Sequence[Layer], heads: int, width: int) -> bytes:
    """A ModelProto from `hidden`, float32 (tokens, width), to `encoded` of the same shape."""
    graph = _Graph()
    rows = INPUT
    for layer in layers:
        rows = _block(graph, layer, rows, heads, width)
    graph.node("Identity", [rows], output=OUTPUT)
    return graph.model(width)


def _block(graph: _Graph, layer: Layer, rows: str, heads: int, width: int) -> str:
    mixed = graph.linear(layer.project, _attention(graph, graph.linear(layer.attend, rows), heads, width))
    rows = graph.norm(layer.attend_norm, graph.node("Add", [rows, mixed]))
    wide = graph.node("Gelu", [graph.linear(layer.widen, rows)])
    return graph.norm(layer.widen_norm, graph.node("Add", [rows, graph.linear(layer.narrow, wide)]))


def _attention(graph: _Graph, joined: str, heads: int, width: int) -> str:
    size = width // heads
    split = graph.node("Reshape", [joined, graph.constant(np.array([0, 3, heads, size]))])
    stacked = graph.node("Transpose", [split], perm=[1, 2, 0, 3])
    query, key, value = (graph.node("Gather", [stacked, graph.constant(np.array(part))], axis=0) for part in range(3))
    scaled = graph.node("Mul", [query, graph.constant(np.array(size**-0.5, np.float32))])
    scores = graph.node("MatMul", [scaled, graph.node("Transpose", [key], perm=[0, 2, 1])])
    mixed = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), value])
    ordered = graph.node("Transpose", [mixed], perm=[1, 0, 2])
    return graph.node("Reshape", [ordered, graph.constant(np.array([-1, width]))])


class _Graph:
    """A GraphProto in the making; every method returns the name of a value."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def node(self, kind: str, inputs: Sequence[str], output: str = "", **attributes: Attribute) -> str:
        name = output or f"v{len(self._nodes)}"
        fields = [_text(1, value) for value in inputs] + [_text(2, name), _text(4, kind)]
        fields += [_bytes(5, _attribute(key, value)) for key, value in attributes.items()]
        self._nodes.append(b"".join(fields))
        return name

    def constant(self, tensor: NDArray[Any]) -> str:
        name = f"c{len(self._constants)}"
        dims = b"".join(_varint(1, size) for size in tensor.shape)
        kind = _varint(2, _ELEMENT_TYPES[tensor.dtype])
        self._constants.append(dims + kind + _text(8, name) + _bytes(9, tensor.tobytes()))
        return name

    def linear(self, linear: Linear, rows: str) -> str:
        weight = linear.weight if linear.scale is None else linear.weight * linear.scale[:, np.newaxis]
        return self.node("Gemm", [rows, self.constant(weight), self.constant(linear.bias)], transB=1)

    def norm(self, norm: Norm, rows: str) -> str:
        parameters = [self.constant(norm.gain), self.constant(norm.bias)]
        return self.node("LayerNormalization", [rows, *parameters], axis=-1, epsilon=1e-12)

    def model(self, width: int) -> bytes:
        fields = [_bytes(1, node) for node in self._nodes] + [_text(2, "encoder")]
        fields += [_bytes(5, constant) for constant in self._constants]
        fields += [_bytes(11, _value(INPUT, width)), _bytes(12, _value(OUTPUT, width))]
        return _varint(1, _IR_VERSION) + _bytes(8, _varint(2, _OPSET)) + _bytes(7, b"".join(fields))


def _value(name: str, width: int) -> bytes:
    shape = _bytes(1, _text(2, "tokens")) + _bytes(1, _varint(1, width))
    tensor = _varint(1, _ELEMENT_TYPES[np.dtype(np.float32)]) + _bytes(2, shape)
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        content, kind = _varint(3, value), _INT
    elif isinstance(value, float):
        content, kind = _tag(2, 5) + struct.pack("<f", value), _FLOAT
    else:
        content, kind = b"".join(_varint(8, item) for item in value), _INTS
    return _text(1, name) + content + _varint(20, kind)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _tag(field, 2) + _number(len(value)) + value


def _varint(field: int, value: int) -> bytes:
    return _tag(field, 0) + _number(value)


def _tag(field: int, wire: int) -> bytes:
    return _number(field << 3 | wire)


def _number(value: int) -> bytes:
    """Base 128, low digits first; a negative number as its 64-bit two's complement."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)
