"""Who an embedder is, without the embedder: cheap to import, so commands that embed nothing pay nothing.

The identity says exactly which function made a vector. Its `fingerprint` is
recorded beside every vector in the log; vectors of two fingerprints are never
compared. Thresholds travel with the identity because a cosine means nothing
without its embedder, but they are constants, so they are not part of the
fingerprint.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from ..constants import Thresholds

__all__ = ["Identity", "Thresholds"]


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides which vector a text gets.

    `window` and `stride` count the embedder's own tokens, special ones
    included (characters, where its tokenizer is out of reach): a text longer
    than `window` is embedded in windows, each starting `stride` after the one
    before. `window` 0 means no limit.
    """

    name: str
    weights: str
    dimensions: int
    pooling: str
    query_prefix: str = ""
    document_prefix: str = ""
    window: int
    stride: int
    revision: int = 1

    @property
    def fingerprint(self) -> str:
        """Name and 16 hex digits of BLAKE2b over the identity's canonical JSON."""
        digest = blake2b(msgspec.json.encode(self, order="sorted"), digest_size=8).hexdigest()
        return f"{self.name}-{digest}"
