from typing import Any

from numpy.typing import NDArray

def best(
    parts: tuple[Any, ...],
    spans: tuple[Any, ...],
    limit: int,
    allowed: NDArray[Any] | None,
    ranks: NDArray[Any] | None,
    size: int,
) -> tuple[bytes, tuple[bytes, bytes, bytes], bool]: ...
def exact(parts: tuple[Any, ...], spans: tuple[Any, ...], ordinals: NDArray[Any]) -> tuple[bytes, bytes, bytes]: ...
def find(
    heads: NDArray[Any],
    ends: NDArray[Any],
    spelling: NDArray[Any],
    starts: NDArray[Any],
    docs: NDArray[Any],
    terms: tuple[bytes, ...],
    texts: int,
) -> list[tuple[int, int, int]]: ...
