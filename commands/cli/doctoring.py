"""`doctor`: what is wrong with a store, and putting it right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ...errors import Corrupted
from .blocks import Block, Line, Prose, Span, Tone
from .group import command
from .session import Session

if TYPE_CHECKING:
    from ...eventlog.salvage import Salvaged
    from ..doctor import Diagnosis, Finding

TONES: dict[str, Tone] = {
    "damage": "bad",
    "warning": "strong",
    "note": "dim",
    "sound": "good",
    "attention": "strong",
    "damaged": "bad",
}


@command(
    "doctor",
    examples=[
        ("what is wrong, and what to do", "helix doctor"),
        ("do it", "helix doctor --fix"),
        ("what can be saved of a damaged log, elsewhere", "helix doctor --fix --into /mnt/other/shop"),
        ("for a monitor", "helix doctor --json"),
    ],
)
@click.option("--fix", is_flag=True, help="Make anew what is derived; salvage a damaged log into a new store.")
@click.option("--into", metavar="PATH", help="Where a salvaged store goes; beside the store if not given.")
@click.pass_context
def doctor(ctx: click.Context, fix: bool, into: str | None) -> None:  # noqa: FBT001 - click passes by name
    """Say what is wrong with a store and what to do; do it with --fix.

    Nothing that is damaged is thrown away: a damaged log stays where it is, what still verifies goes into a new store,
    and the events that are lost are named. Exits with 5 while damage stands, as that of a salvaged store still does.

    JSON: {store, status: sound | attention | damaged, head, findings: [{name, level: damage | warning | note, where,
    message, remedy, fixable, fixed}], problems: [{seq, kind, message}], readers, salvaged: null | {path, head, kept,
    lost: [seq], unproven: [seq], repaired: [seq], genesis_lost, digest}}
    """
    session: Session = ctx.obj
    from ..doctor import doctor as diagnose

    with session.progress("looking") as progress:
        found = diagnose(
            session.place().folder,
            fix=fix,
            into=into,
            clock=session.clock(),
            api_key=session.environ.get("OPENAI_API_KEY"),
            progress=progress,
        )
    session.answer(found, lambda _: _draw(found))
    if found.status == "damaged":
        ctx.exit(Corrupted.exit_code)


def _draw(found: Diagnosis) -> Iterator[Block]:
    yield Line(Span(found.status, TONES[found.status]), f"{found.head:,} events", Span(found.store, "path"))
    for one in found.findings:
        yield from _finding(one)
    if found.salvaged is not None:
        yield from _salvaged(found.salvaged)


def _finding(one: Finding) -> Iterator[Block]:
    yield Line(
        Span("fixed" if one.fixed else one.level, "good" if one.fixed else TONES[one.level]), one.name, one.where
    )
    yield Prose(one.message, indent=2)
    yield Prose(f"{'done' if one.fixed else '--fix' if one.fixable else 'do'}: {one.remedy}", indent=2, tone="dim")


def _salvaged(done: Salvaged) -> Iterator[Block]:
    yield Line(Span("salvaged", "good"), f"{done.kept:,} of {done.head:,} events into", Span(done.path, "path"))
    yield Line("lost", ranges(done.lost), indent=2)
    if done.unproven:
        yield Line("kept, although what would prove them is lost", ranges(done.unproven), indent=2)
    if done.repaired:
        yield Line("repaired", ranges(done.repaired), indent=2)
    if done.genesis_lost:
        yield Line("the first event is another: constants are the defaults, `helix reembed` gives vectors", indent=2)


def ranges(seqs: tuple[int, ...]) -> str:
    """Sequence numbers as `@3-7, @9`."""
    runs: list[list[int]] = []
    for seq in seqs:
        if runs and seq == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], seq]
        else:
            runs.append([seq, seq])
    return ", ".join(f"@{first}" if first == last else f"@{first}-{last}" for first, last in runs) or "none"
