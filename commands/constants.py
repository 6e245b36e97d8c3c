"""`constants`: every tunable number, its value and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from ..constants import MEASURED, THRESHOLD_NAMES, Constants, Thresholds
from .opened import AsOf, AsOfPoint, reading

if TYPE_CHECKING:
    from .opened import OpenStore


class Constant(msgspec.Struct, frozen=True, kw_only=True):
    """One constant. `range` is least and greatest, null for no bound; `threshold` marks those of an embedder."""

    name: str
    value: float | bool | None
    default: float | bool | None
    unit: str
    range: tuple[float | None, float | None]
    source: str
    description: str
    threshold: bool = False


class InForce(msgspec.Struct, frozen=True, kw_only=True):
    """The constants of a point. `digest` names them all; the thresholds are those of `fingerprint`."""

    digest: str
    fingerprint: str | None
    constants: tuple[Constant, ...]
    as_of: AsOfPoint


_THRESHOLDS = {
    "duplicate": "Cosine from which two texts are one memory, if no guard forbids it.",
    "related": "Cosine from which two memories are linked as similar.",
    "causal": "Cosine of a memory to the work from which it counts as a cause.",
    "min_relevance": "Lowest cosine of the vector list of a recall.",
}


@reading
def constants(self: OpenStore, *, as_of: AsOf | None = None) -> InForce:
    """Every constant in force, with its unit, range, source and meaning.

    Args:
        self: The store.
        as_of: The point they were in force at; see `recall`.
    """
    view = self.view(as_of)
    beliefs = view.beliefs
    held, fingerprint = beliefs.constants, beliefs.fingerprint
    return InForce(
        digest=held.digest(),
        fingerprint=fingerprint,
        constants=(*_thresholds(held.threshold(fingerprint)), *_others(held)),
        as_of=self.as_of_point(view.point),
    )


def _thresholds(row: Thresholds) -> Iterator[Constant]:
    default = Constants().threshold(None)
    for name in THRESHOLD_NAMES:
        yield Constant(
            name=name,
            value=getattr(row, name),
            default=getattr(default, name),
            unit="cosine",
            range=(-1.0, 1.0),
            source=MEASURED,
            description=_THRESHOLDS[name],
            threshold=True,
        )


def _others(held: Constants) -> Iterator[Constant]:
    plain = Constants()
    for name, hint in get_type_hints(Constants, include_extras=True).items():
        if name == "thresholds":
            continue
        metas = list(_metas(hint))
        (said,) = [meta for meta in metas if meta.description is not None]
        extra: dict[str, Any] = said.extra or {}
        yield Constant(
            name=name,
            value=getattr(held, name),
            default=getattr(plain, name),
            unit=str(extra["unit"]),
            range=_bounds(metas),
            source=str(extra["source"]),
            description=said.description or "",
        )


def _metas(hint: object) -> Iterator[Meta]:
    """Every `Meta` of an annotated type, those of the types inside it too."""
    if get_origin(hint) is Annotated:
        inner, *metas = get_args(hint)
        yield from (meta for meta in metas if isinstance(meta, Meta))
        yield from _metas(inner)


def _bounds(metas: list[Meta]) -> tuple[float | None, float | None]:
    least = [bound for meta in metas for bound in (meta.ge, meta.gt) if bound is not None]
    most = [bound for meta in metas for bound in (meta.le, meta.lt) if bound is not None]
    return max(least, default=None), min(most, default=None)
