"""Which constants can be searched, and where: the ranges that the constants themselves document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import msgspec
from msgspec import inspect

from ...constants import Constants
from ...errors import InvalidInput

GROUPS: dict[str, tuple[str, ...]] = {
    "effectiveness": ("learning_rate", "erosion_rate", "decay_rate", "decay_after_days", "causal_floor"),
    "recency": ("recency_per_day", "recency_floor"),
    "velocity": ("velocity_per_use", "velocity_cap", "velocity_window_days"),
    "generality": ("decay_discount", "spread_cap", "spread_min"),
    "initial": ("initial_normal", "initial_derived", "initial_synthesised", "initial_imported"),
}
"""Names that stand for several constants."""

DEFAULT = "effectiveness"
ALONE = ("causal_min_uses", "decay_unit_days", "causal_ramp")
TUNABLE = (*(name for names in GROUPS.values() for name in names), *ALONE)
"""Every constant that what was shown can judge."""

DIGITS = 3
"""Significant digits of a value that is proposed: more would be read out of noise."""

LEAST_DAYS = 0.01


class Dimension(NamedTuple):
    """One constant: its least and greatest value, and whether whole numbers or orders of magnitude are meant."""

    name: str
    low: float
    high: float
    whole: bool
    logarithmic: bool

    def value(self, place: float) -> float | int:
        """The value at a place in [0, 1], with few digits."""
        if self.logarithmic:
            value = math.expm1(place * math.log1p(self.high))
        else:
            value = self.low + place * (self.high - self.low)
        if self.whole:
            return round(max(self.low, min(self.high, value)))
        return max(self.low, min(self.high, rounded(value)))

    def place(self, value: float) -> float:
        """The place of a value."""
        if self.logarithmic:
            return math.log1p(value) / math.log1p(self.high)
        return (value - self.low) / (self.high - self.low)


def rounded(value: float) -> float:
    """The value with `DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The constants that names and names of groups stand for, each once; the default group for none.

    Raises:
        InvalidInput: A name is neither, or its constant cannot be judged by what was shown.
    """
    found: dict[str, None] = {}
    for given in names or (DEFAULT,):
        name = given.lower()
        if name in GROUPS:
            found.update(dict.fromkeys(GROUPS[name]))
        elif name in TUNABLE:
            found[name] = None
        elif name in Constants.__struct_fields__ or name in ("duplicate", "related", "causal", "min_relevance"):
            raise InvalidInput(
                f"{given} cannot be tuned: it decides what is found, joined, hidden or called a cause, and a log only "
                "tells how well that which was shown served",
                remedy=f"tune {', '.join((*GROUPS, *ALONE))}, or a constant of these groups",
            )
        else:
            raise InvalidInput(
                f"unknown constant {given!r}",
                remedy=f"give a constant of `helix constants`, or one of the groups {', '.join(GROUPS)}",
            )
    return tuple(found)


def dimension(name: str) -> Dimension:
    """Where a constant may be: the range in its own definition, days and whole numbers by orders of magnitude."""
    (field,) = [field for field in _fields() if field.name == name]
    kind, unit = field.type, ""
    while isinstance(kind, inspect.Metadata):
        unit, kind = str((kind.extra or {}).get("unit", unit)), kind.type
    if isinstance(kind, inspect.UnionType):
        kind = next(one for one in kind.types if isinstance(one, inspect.FloatType))
    if not isinstance(kind, inspect.FloatType | inspect.IntType):
        raise InvalidInput(f"{name} is no number", remedy="tune a number")
    least = LEAST_DAYS if kind.gt is not None else kind.ge
    most = kind.le if kind.le is not None else kind.lt
    if least is None or most is None:
        raise InvalidInput(f"{name} has no range", remedy="tune a constant with a range")
    whole = isinstance(kind, inspect.IntType)
    return Dimension(name, float(least), float(most), whole, logarithmic=whole or unit == "day")


def _fields() -> tuple[inspect.Field, ...]:
    return cast("inspect.StructType", inspect.type_info(Constants)).fields


def value_of(constants: Constants, name: str, fingerprint: str | None) -> float:
    """The value a constant has; the ramp's, where it has none, is up to a cosine of one."""
    value: float | None = getattr(constants, name)
    return 1.0 - constants.threshold(fingerprint).causal if value is None else value


def altered(constants: Constants, values: dict[str, float]) -> Constants:
    """The constants with some values changed; ranges are those of the search space, so nothing is checked."""
    return msgspec.structs.replace(constants, **values)
