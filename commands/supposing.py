"""Constants as a caller supposes them: some changed by name, or a whole set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..constants import Constants
from ..errors import InvalidInput
from ..recall.view import Point

if TYPE_CHECKING:
    from .opened import OpenStore


def supposed(
    self: OpenStore, point: Point, changes: Mapping[str, object] | None, constants: Constants | None
) -> Constants | None:
    """The constants that `changes` make of `constants`, else of those in force at the point; None without either.

    Raises:
        InvalidInput: A constant is unknown, of the wrong kind or out of range.
    """
    if constants is not None and not isinstance(constants, Constants):
        raise InvalidInput(f"the constants are {type(constants).__name__}", remedy="pass Constants, or changes by name")
    if not changes:
        return constants
    if not isinstance(changes, Mapping):
        raise InvalidInput(f"the changes are {type(changes).__name__}", remedy="pass a mapping such as {'causal': 0.5}")
    beliefs = self.view(self.naming(point)).beliefs
    base = beliefs.constants if constants is None else constants
    return base.altered(changes, fingerprint=beliefs.fingerprint)
