"""The two embedders that ship with Helixlog: who they are, without loading them.

A change of weights, vocabulary, tokenizer or arithmetic that moves a vector is
a new embedder: its digest or `revision` changes here, and with it the
fingerprint.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from .identity import Identity, Thresholds


class Bundled(msgspec.Struct, frozen=True, kw_only=True):
    """An embedder whose weights are package data. `weights_file` lies in `FOLDER`."""

    identity: Identity
    thresholds: Thresholds
    weights_file: str

    @property
    def path(self) -> Path:
        """Where the weights are."""
        return FOLDER / self.weights_file


FOLDER = Path(__file__).parent / "weights"
VOCABULARY = FOLDER / "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

MINILM = Bundled(
    identity=Identity(
        name="minilm",
        weights="sha256:031fe267485d41aca80f847c1bdb1622d9ebc40358cf82e95d4a936ea569b7f7",
        dimensions=384,
        pooling="mean",
        window=128,
        stride=96,
    ),
    thresholds=Thresholds(duplicate=0.90, related=0.64, causal=0.36, min_relevance=0.23),
    weights_file="minilm.safetensors",
)

STATIC = Bundled(
    identity=Identity(
        name="static",
        weights="sha256:7562f87b98b362e15fd2d4dac7d760f69c114f72c7cfb4f0fc2456a6170d86f0",
        dimensions=256,
        pooling="sum",
        window=0,
        stride=0,
    ),
    thresholds=Thresholds(duplicate=0.92, related=0.61, causal=0.52, min_relevance=0.37),
    weights_file="static.safetensors",
)
