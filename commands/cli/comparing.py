"""What differs between two folds, for `replay` and `diff`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .blocks import Block, Ids, Line, Piece, Span, Table, Tone
from .drawing import constant_value

if TYPE_CHECKING:
    from ...replay.asking import Reordered
    from ...replay.changes import Changes
    from ...replay.comparing import LinkChange

FEW = 20
"""Rows of a list that are shown; all of them are in the JSON."""


def heading(text: str, number: int) -> Iterator[Block]:
    """A list's heading with how many there are, after an empty line."""
    yield Line("")
    yield Line(Span(text, "strong"), Span(f"{number:,}", "number"))


def rest(number: int) -> Iterator[Block]:
    """How many rows of a list are not shown."""
    if number > FEW:
        yield Line(Span(f"and {number - FEW:,} more; --json has all of them", "dim"), indent=2)


def listed(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[Piece]], right: Sequence[int] = ()
) -> Iterator[Block]:
    """A list under its heading, cut where it is long; nothing where it is empty."""
    if rows:
        yield from heading(title, len(rows))
        yield Table(headings, rows[:FEW], right=right, indent=2)
        yield from rest(len(rows))


def constants_table(changes: Changes) -> Iterator[Block]:
    """The constants that differ."""
    rows = [
        (Span(name, "strong"), constant_value(one), constant_value(other)) for name, (one, other) in changes.items()
    ]
    yield from listed("constants", ("constant", "from", "to"), rows, right=(1, 2))


def share(value: float | None) -> str:
    """A share as a percentage with one digit; a dash where there is none."""
    return "-" if value is None else f"{value * 100:.1f}%"


def moved(before: float | None, after: float | None) -> Span:
    """By how many points a share went up or down."""
    if before is None or after is None:
        return Span("", "dim")
    points = (after - before) * 100
    tone: Tone = "good" if points > 0 else "bad" if points < 0 else "dim"
    return Span(f"{points:+.1f}" if abs(points) >= TENTH else f"{points:+.0e}" if points else "", tone)


def state_change(before: str | None, after: str | None) -> Span:
    """A state, or two with an arrow."""
    if before == after:
        return Span(before or "-", "dim")
    return Span(f"{before or 'absent'} → {after or 'absent'}", "good" if after == "live" else "bad")


def links_table(links: Sequence[LinkChange], ids: Ids) -> Iterator[Block]:
    """Links that are new, gone, or weigh another."""
    rows = [
        (
            sign(*link.weight),
            Span(_end(link.source, ids), "id"),
            Span(f"{link.relation} →", "edge"),
            Span(_end(link.target, ids), "id"),
            " → ".join(f"{weight:.2f}" for weight in link.weight if weight is not None),
        )
        for link in links
    ]
    yield from listed("links", ("", "memory", "relation", "memory", "weight"), rows)


def sign(before: float | None, after: float | None) -> Span:
    """`+` for what came, `-` for what went, `~` for what changed."""
    return Span("+", "good") if before is None else Span("-", "bad") if after is None else Span("~", "dim")


def _end(end: str, ids: Ids) -> str:
    return end if ":" in end else ids(end)


def recalls_table(recalls: Iterable[Reordered], ids: Ids) -> Iterator[Block]:
    """Questions that are answered otherwise, each with the memories that moved."""
    rows: list[Sequence[Piece]] = []
    for one in recalls:
        for number, rank in enumerate(one.ranks):
            before, after = rank.rank
            rows.append(
                (
                    Span(ids(one.recall_id), "id") if number == 0 else "",
                    f"{before or '-'} → {after or '-'}",
                    Span(ids(rank.id), "id"),
                    one.query if number == 0 else "",
                )
            )
    yield from listed("places in recorded recalls", ("recall", "place", "memory", "question"), rows)


TENTH = 0.05
"""Points below which one digit would show nothing."""
