"""How a memory and its parts are shown, wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .blocks import Span

if TYPE_CHECKING:
    from ...eventlog.events import Provenance


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


def shown(ids: Callable[[str], str], name: str | None) -> Span | None:
    """An id, if there is one."""
    return None if name is None else Span(ids(name), "id")
