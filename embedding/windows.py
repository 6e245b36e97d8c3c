"""Where the windows of a long text begin and end, so that nothing is cut silently."""

from __future__ import annotations


def spans(length: int, window: int, stride: int) -> list[tuple[int, int]]:
    """Half-open spans of at most `window` that cover `length` units, starting `stride` apart; at least one.

    Neighbours share `window - stride` units, so what straddles a border is whole in one of them.
    """
    count = 1 + -(-max(length - window, 0) // stride)
    return [(number * stride, min(number * stride + window, length)) for number in range(count)]
