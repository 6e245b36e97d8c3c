from typing import Any

def find(
    segments: tuple[tuple[Any, ...], ...], terms: tuple[bytes, ...], texts: int
) -> list[tuple[int, tuple[tuple[int, int, int, int], ...]]]: ...
