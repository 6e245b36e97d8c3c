"""How a memory and its parts are shown, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from .blocks import Line, Span

if TYPE_CHECKING:
    from ...eventlog.events import Provenance
    from ...replay.changes import Changes
    from ..opened import AsOfPoint


def address(provenance: Provenance) -> str:
    """Where a text comes from: a file and its lines, another address, or who said it."""
    place = provenance.file or provenance.uri
    if place is None:
        place = f"{provenance.kind}: {provenance.note}" if provenance.note else provenance.kind
    span = provenance.span
    if span is not None and span.line_from is not None:
        place += f":{span.line_from}" + (f"-{span.line_to}" if span.line_to not in (None, span.line_from) else "")
    return place


def chip(provenance: Provenance, day: str | None) -> Span:
    """`(from path:10-14, 2026-03-01)`."""
    return Span(f"(from {address(provenance)}{f', {day[:10]}' if day else ''})", "dim")


def label(kind: str, tags: tuple[str, ...], state: str = "live") -> Span:
    """Kind, state where it is not plain, and tags."""
    parts = [kind, *([state] if state != "live" else []), *(f"#{tag}" for tag in tags)]
    return Span(" ".join(parts), "tag")


def state_tone(state: str) -> Span:
    """A state, green where the memory is recalled."""
    return Span(state, "good" if state == "live" else "dim")


def changed(changes: Changes) -> Iterator[str]:
    """`name 0.36 → 0.5` of each constant."""
    for name, (before, after) in changes.items():
        yield f"{name} {constant_value(before)} → {constant_value(after)}"


def constant_value(value: float | bool | None) -> str:  # noqa: FBT001 - a switch is a constant too
    """A constant's value in few letters."""
    return "none" if value is None else f"{value:g}" if not isinstance(value, bool) else "on" if value else "off"


def counted(number: int, what: str) -> str:
    """A number of things, such as `1 memory` or `2 memories`."""
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"


def told(point: AsOfPoint, chosen: Mapping[str, object]) -> Iterator[Line]:
    """The point of an answer, where one was asked for; given back it repeats the answer."""
    if chosen.get("as_of") is not None:
        yield Line(Span(f"as of @{point.seq}/{point.time}", "dim"))


def shown(ids: Callable[[str], str], name: str | None) -> Span | None:
    """An id, if there is one."""
    return None if name is None else Span(ids(name), "id")
