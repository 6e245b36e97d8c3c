from typing import Any

from numpy.typing import NDArray

def best(
    query: tuple[tuple[Any, ...], tuple[Any, ...], float],
    limit: int,
    allowed: NDArray[Any] | None,
    ranks: NDArray[Any] | None,
    size: int,
) -> tuple[bytes, tuple[bytes, bytes, bytes], bool]: ...
def exact(
    query: tuple[tuple[Any, ...], tuple[Any, ...], float], ordinals: NDArray[Any]
) -> tuple[bytes, bytes, bytes]: ...
