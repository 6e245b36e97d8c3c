from typing import Any

from numpy.typing import NDArray

def sieve(
    signs: tuple[Any, ...],
    codes: NDArray[Any],
    query: NDArray[Any],
    pieces: tuple[Any, ...],
    mask: NDArray[Any] | None,
    stop: int,
    dims: int,
    first: int,
    second: int,
) -> tuple[bytes, bytes]: ...
def cosines(pieces: tuple[Any, ...], rows: NDArray[Any], query: NDArray[Any], dims: int) -> bytes: ...
def best(cosines: NDArray[Any], floor: float, limit: int) -> bytes: ...
