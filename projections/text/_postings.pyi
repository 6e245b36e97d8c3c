from typing import Any

from numpy.typing import NDArray

def best(
    parts: tuple[Any, ...], limit: int, allowed: NDArray[Any] | None, room: NDArray[Any], size: int
) -> tuple[bytes, bool]: ...
def exact(parts: tuple[Any, ...], ordinals: NDArray[Any]) -> tuple[bytes, bytes, bytes]: ...
