from typing import Any

from numpy.typing import NDArray

def ties(
    lookups: tuple[Any, ...],
    edges: tuple[Any, ...],
    memories: tuple[Any, ...],
    ends: NDArray[Any],
    owners: NDArray[Any],
    roots: NDArray[Any],
) -> tuple[bytes, bool]: ...
