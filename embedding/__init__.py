"""Text to vectors: what an embedder is, the two that ship, and how to get any of them.

`load("minilm")` is the default, `load("static")` the fast one; `registry` lists
the rest. Importing this package imports neither numpy nor any weights, so a
command that only names a fingerprint does not pay for an embedder.
"""

from __future__ import annotations

from .bundled import MINILM, STATIC, Bundled
from .identity import Identity, Thresholds
from .registry import Available, available, for_fingerprint, load

__all__ = [
    "MINILM",
    "STATIC",
    "Available",
    "Bundled",
    "Identity",
    "Thresholds",
    "available",
    "for_fingerprint",
    "load",
]
