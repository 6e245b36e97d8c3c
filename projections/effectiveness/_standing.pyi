from typing import Any

from numpy.typing import NDArray

def standing(
    columns: tuple[Any, ...],
    roots: NDArray[Any],
    counts: NDArray[Any],
    time: int,
    low: int,
    rules: tuple[float, ...],
) -> tuple[bytes, bytes, bytes, bytes, bool]: ...
