from typing import Any

from numpy.typing import NDArray

def ties(
    lookups: tuple[Any, ...],
    edges: tuple[Any, ...],
    memories: tuple[Any, ...],
    roots: NDArray[Any],
    names: tuple[Any, ...],
) -> tuple[bytes, bool, bool, list[str]]: ...
def carriers(known: tuple[Any, ...], term: int) -> bytes: ...
