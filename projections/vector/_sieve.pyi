from typing import Any

from numpy.typing import NDArray

def sieve(
    codes: tuple[Any, ...],
    asked: tuple[Any, ...],
    pieces: tuple[Any, ...],
    mask: NDArray[Any] | None,
    stop: int,
    dims: int,
    weight: int,
    first: int,
    second: int,
) -> tuple[bytes, bytes]: ...
def cosines(pieces: tuple[Any, ...], rows: NDArray[Any], query: NDArray[Any], dims: int) -> bytes: ...
