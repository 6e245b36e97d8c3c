"""The embedder `onnx`: `minilm` with its encoder run by onnxruntime.

The weights, tokenizer and windows are those of `minilm`, and the vectors agree
to about 1e-6, no more than two kinds of processors differ; so the identity is
`minilm`'s and a store may be used with either.
"""

from __future__ import annotations

from typing import Any

from ...errors import EmbedderUnavailable
from ..bert import Array
from ..minilm import HEADS, MiniLM, encoder_layers
from .onnx_model import INPUT, OUTPUT, encoder_model
from .packages import require


def load() -> MiniLM:
    """`minilm` on onnxruntime.

    Raises:
        EmbedderUnavailable: onnxruntime is not installed, or refuses the model.
    """
    runtime = require("onnxruntime", extra="onnx")
    return MiniLM(encoder=_OnnxEncoder(runtime))


class _OnnxEncoder:
    def __init__(self, runtime: Any) -> None:  # noqa: ANN401 - onnxruntime ships no types
        layers = encoder_layers()
        model = encoder_model(layers, HEADS, len(layers[0].project.bias))
        errors = runtime.capi.onnxruntime_pybind11_state
        try:
            self._session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
        except (errors.Fail, errors.InvalidGraph, errors.NotImplemented) as error:
            raise EmbedderUnavailable(
                f"onnxruntime cannot run the model: {error}", remedy="pip install --upgrade 'helixlog[onnx]'"
            ) from error

    def __call__(self, hidden: Array) -> Array:
        encoded: Array = self._session.run([OUTPUT], {INPUT: hidden})[0]
        return encoded
