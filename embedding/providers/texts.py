"""Cutting a text for an embedder that can only be asked whether a piece is too long."""

from __future__ import annotations

from collections.abc import Callable

from ..windows import spans


def encodable(text: str) -> str:
    """`text` without lone surrogates and NUL, which foreign libraries refuse or take for an end."""
    return text.encode("utf-8", "ignore").decode().replace("\0", "")


def fitting(text: str, fits: Callable[[str], bool]) -> list[str]:
    """`text`, or overlapping pieces of it that `fits` accepts; neighbours share an eighth.

    A single character is taken to fit.
    """
    size = len(text)
    while True:
        pieces = [text[begin:end] for begin, end in spans(len(text), size, max(size * 7 // 8, 1))]
        if size <= 1 or all(fits(piece) for piece in pieces):
            return pieces
        size = size * 3 // 4
