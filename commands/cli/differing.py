"""`diff`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Block, Ids, Line, Piece, Span
from .comparing import constants_table, links_table, listed, moved, recalls_table, share
from .drawing import changed, counted
from .group import command
from .session import Session, call
from .supposing import supposed

if TYPE_CHECKING:
    from ..diff import Diff, Difference


@command(
    "diff",
    examples=[
        ("what a week has changed", "helix diff 7d"),
        ("what changed in March", "helix diff 2026-02-28 2026-03-31"),
        ("since just after a memory was stored, as JSON", "helix diff 01kc3v9q --json"),
        ("what other constants would make of the present", "helix diff --set causal=0.5"),
    ],
)
@click.argument("before", metavar="[POINT]", required=False)
@click.argument("after", metavar="[POINT]", required=False)
@options.changes
@options.constants
@options.recalls(200)
@options.user
@options.as_of
@click.pass_obj
def diff(session: Session, /, *, changes: Sequence[str], constants: str | None, **chosen: object) -> None:
    """Show what changed between two moments, or sets of constants.

    The second moment is now if not given; --set and --constants hold there. A moment is a time, an age such as 7d,
    @SEQ, @SEQ/TIME, or an id. Recorded questions are asked at both.
    """
    done = call(session.memory().diff, changes=supposed(changes, constants), **chosen)
    session.answer(done, lambda ids: draw_diff(done, ids))


def draw_diff(done: Diff, ids: Ids) -> Iterator[Block]:
    """A list for each kind of change."""
    yield Line(
        "from",
        Span(f"@{done.before.seq}/{done.before.time}", "number"),
        "to",
        Span(f"@{done.after.seq}/{done.after.time}", "number"),
    )
    if done.counterfactual:
        yield Line(Span("counterfactual", "bad"), *(Span(text, "dim") for text in changed(done.counterfactual)))
    lists = (*beliefs(done), done.effectiveness, done.links, done.recalls)
    if not any(lists) and not done.constants:
        yield Line("Nothing changed.")
        return
    yield from constants_table(done.constants)
    titles = ("added", "superseded", "merged", "parted", "hidden", "restored")
    for title, found in zip(titles, beliefs(done), strict=True):
        yield from listed(title, ("memory", "", "text"), [_row(title, one, ids) for one in found])
    rows = [
        (
            Span(ids(one.id), "id"),
            share(one.effectiveness[0]),
            share(one.effectiveness[1]),
            moved(*one.effectiveness),
            one.text,
        )
        for one in sorted(done.effectiveness, key=_by_change)
    ]
    yield from listed("effectiveness moved", ("memory", "from", "to", "change", "text"), rows, right=(1, 2, 3))
    yield from links_table(done.links, ids)
    yield from recalls_table(done.recalls, ids)
    if not done.recalls and done.recalls_asked:
        yield Line("")
        yield Line(f"{counted(done.recalls_asked, 'recorded question')} asked at both, answered in the same order.")


def beliefs(done: Diff) -> tuple[tuple[Difference, ...], ...]:
    """The lists of memories whose state changed."""
    return done.added, done.superseded, done.merged, done.parted, done.hidden, done.restored


def _by_change(one: Difference) -> float:
    before, after = one.effectiveness
    return -abs((after or 0.0) - (before or 0.0))


def _row(title: str, one: Difference, ids: Ids) -> Sequence[Piece]:
    was, now = one.state
    if title == "added":
        said = "" if now == "live" else f"now {now}"
    elif one.by is not None:
        said = f"{'into' if now == 'merged' else 'by'} {ids(one.by)}"
    else:
        said = f"{now}" if title == "hidden" else f"was {was}"
    if one.reason and title != "added":
        said += f": {one.reason}"
    return Span(ids(one.id), "id"), Span(said, "dim"), one.text
