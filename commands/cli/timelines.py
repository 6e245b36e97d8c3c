"""`timeline`: intervals of belief as bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import TRACK, Block, Ids, Line, Piece, Span, Table, Tone, Track
from .drawing import counted, state_tone, told
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..timeline import Belief, Held, Timeline


@command(
    "timeline",
    examples=[
        ("a memory with all that it replaced and was replaced by", "helix timeline 01kc3v9q"),
        ("everything about an entity", "helix timeline --entity Postgres"),
        ("everything with a tag, as JSON", "helix timeline -t deploy --json"),
        ("what was ever believed about a question", 'helix timeline --query "when is the deploy window?"'),
    ],
)
@click.argument("memory", metavar="[ID]", required=False)
@click.option("--entity", metavar="NAME", help="What names this entity.")
@click.option("-t", "--tag", metavar="TAG", help="What carries this tag.")
@click.option("--query", metavar="TEXT", help="What fits this question, whatever its state.")
@options.limit(20)
@options.scope
@options.as_of
@click.pass_obj
def timeline(session: Session, /, **chosen: object) -> None:
    """Show what was believed when, what replaced it, and why.

    Of a memory, an entity, a tag or a question. Each memory has a bar through the times in which it was believed;
    below each interval has a line.
    """
    done = call(session.memory().timeline, **chosen)
    session.answer(done, lambda ids: [*draw_timeline(done, ids), *told(done.as_of, chosen)])


def draw_timeline(done: Timeline, ids: Ids) -> Iterator[Block]:
    """Bars, then intervals."""
    value = ids(done.subject.value) if done.subject.kind == "memory" else done.subject.value
    shown = len(done.beliefs)
    yield Line(done.subject.kind, Span(value, "strong"), Span(counted(shown, "memory"), "dim"), _left_out(done))
    if not done.beliefs or done.start is None:
        yield Line("Nothing was ever believed about it.", Span("`helix list` shows what there is.", "dim"))
        return
    yield Line("")
    yield _bars(done, done.start, ids)
    yield Line("")
    yield Table(
        ("memory", "believed from", "until", "ended", "why"),
        [row for belief in done.beliefs for row in _intervals(belief, ids)],
    )


def _left_out(done: Timeline) -> Span | None:
    """That there are more memories about the subject than were asked for."""
    if done.total <= len(done.beliefs):
        return None
    return Span(f"of {done.total:,} about it; -n shows more", "dim")


def _bars(done: Timeline, start: str, ids: Ids) -> Table:
    from ..times import parse_time

    first, last = (parse_time(time, now=0) for time in (start, done.end))
    length = max(1, last - first)

    def part(held: Held) -> tuple[float, float]:
        end = last if held.end is None else parse_time(held.end, now=0)
        return (parse_time(held.start, now=0) - first) / length, (end - first) / length

    return Table(
        ("memory", f"{start[:10]}{done.end[:10]:>{TRACK - 10}}", "now", "text"),
        [
            (
                Span(f"{_branch(belief.depth)}{ids(belief.id)}", "id"),
                Track([part(held) for held in belief.held], tone(belief)),
                state_tone(belief.state),
                belief.text,
            )
            for belief in done.beliefs
        ],
    )


def _branch(depth: int) -> str:
    """What shows how far a memory is from the first of its chain; without leading blanks, which plain text drops."""
    return f"└{'─' * (depth - 1)} " if depth else ""


def tone(belief: Belief) -> Tone:
    """Green for what is believed now."""
    return "good" if belief.state == "live" else "number"


def _intervals(belief: Belief, ids: Ids) -> Iterator[tuple[Piece, ...]]:
    """A row for each interval in which a memory was believed, or one that says that it never was."""
    name = Span(ids(belief.id), "id")
    if not belief.held:
        yield name, Span("never", "dim"), "", "", ""
    for number, held in enumerate(belief.held):
        by = "" if held.by is None else f" by {ids(held.by)}"
        yield (
            name if number == 0 else "",
            _moment(held.start),
            Span("now", "good") if held.end is None else _moment(held.end),
            "" if held.ended is None else f"{held.ended}{by}",
            held.reason or "",
        )


def _moment(time: str) -> Span:
    """A UTC time to the second."""
    return Span(f"{time[:10]} {time[11:19]}", "dim")
