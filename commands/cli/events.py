"""`history` and `log`: what happened."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .blocks import Line, Meter, Span, Table
from .drawing import state_tone, told
from .group import command
from .session import Session, call


@command(
    "history",
    examples=[
        ("from its first text to now", "helix history 01kc3v9q"),
        ("what had happened to it by the end of February", "helix history 01kc3v9q --as-of 2026-02-28"),
    ],
)
@options.memory
@options.user
@options.as_of
@click.pass_obj
def history(session: Session, /, **chosen: object) -> None:
    """Show every event of one memory, and its effectiveness after each."""
    done = call(session.memory().history, **chosen)
    session.answer(
        done,
        lambda ids: [
            Line("history of", Span(ids(done.id), "id")),
            Table(
                ("seq", "time", "effectiveness", "state", "event", "what"),
                [
                    (
                        Span(f"@{one.seq}", "number"),
                        Span(_seconds(one.time), "dim"),
                        Meter(one.effectiveness),
                        state_tone(one.state),
                        one.type,
                        one.summary,
                    )
                    for one in done.events
                ],
                right=(0,),
                wrap=True,
            ),
            *told(done.as_of, chosen),
        ],
    )


@command(
    "log",
    examples=[
        ("the last events", "helix log"),
        ("every feedback of this month, as JSON", "helix log --type feedback_given --since 2026-11-01 -n 1000 --json"),
        ("what names one memory or recall", "helix log --id 01kc3v9q"),
    ],
)
@options.limit(20)
@click.option("--type", metavar="TYPE", help="Only this type, such as memory_stored.")
@click.option("--id", metavar="ID", help="Only what names this memory, recall or other id.")
@click.option("--since", metavar="TIME", help="Recorded then or later.")
@click.option("--until", metavar="TIME", help="Recorded then or before.")
@click.option("--after", type=int, metavar="SEQ", help="The first events behind this one, instead of the last of all.")
@click.option("--vectors", is_flag=True, help="Show vectors as base64; else only their size.")
@options.user
@options.as_of
@click.pass_obj
def log(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Show the last events of the log.

    Oldest first. The log is all there is: every other answer is made from it.
    """
    logged = call(session.memory().log, **chosen)
    session.answer(
        logged,
        lambda ids: [
            Table(
                ("seq", "time", "event", "id", "what"),
                [
                    (
                        Span(f"@{one.seq}", "number"),
                        Span(_seconds(one.time), "dim"),
                        one.type if one.content == "kept" else f"{one.type} ({one.content})",
                        Span(ids(one.id) if one.id else "-", "id" if one.id else "dim"),
                        one.summary,
                    )
                    for one in logged.events
                ],
                right=(0,),
                wrap=True,
            )
            if logged.events
            else Line("No event fits."),
            Line(Span(f"head @{logged.head}", "dim")),
            *told(logged.as_of, chosen),
        ],
    )


def _seconds(time: str) -> str:
    """A UTC time to the second."""
    return f"{time[:10]} {time[11:19]}"
