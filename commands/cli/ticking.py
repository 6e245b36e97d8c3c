"""`decay`, `prune`, `expire`: what time does."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .blocks import Line, Meter, Span, Table
from .group import command
from .session import Session, call


@command(
    "decay",
    examples=[
        ("what time has taken off", "helix decay --dry-run"),
        ("and in a month from now, if nothing happens", "helix decay --dry-run --now 2026-12-24"),
    ],
)
@options.dry_run
@options.key
@click.pass_obj
def decay(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Settle what time has taken off effectiveness.

    Decay is a function of time, so this changes no number, however often it runs; it records the moment and reports.
    """
    done = call(session.memory().decay, **chosen)
    rows = [(one.id, one.before, one.after) for one in done.settled]
    session.answer(
        done,
        lambda ids: [
            Line(_head("decay", done), Span(f"{len(rows)} decayed, {done.unchanged} unchanged", "dim")),
            *_table(("memory", "before", "after"), [(Span(ids(i), "id"), Meter(b), Meter(a)) for i, b, a in rows]),
        ],
    )


@command(
    "prune",
    examples=[("what would be hidden, and why", "helix prune --dry-run"), ("hide it", "helix prune")],
)
@options.dry_run
@options.key
@click.pass_obj
def prune(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Hide what has not proved itself; `restore` brings it back.

    Low effectiveness after enough uses, or an agent's or tool's text that nobody has ever seen. `helix recall --deep`
    still finds it. What is protected or pinned stays.
    """
    done = call(session.memory().prune, **chosen)
    word = "would be hidden" if done.dry_run else "hidden"
    session.answer(
        done,
        lambda ids: [
            Line(_head("prune", done), Span(f"{len(done.hidden)} {word}, {done.exempt} exempt", "dim")),
            *_table(
                ("memory", "effectiveness", "uses", "why", "text"),
                [(Span(ids(o.id), "id"), Meter(o.effectiveness), str(o.uses), o.why, o.text) for o in done.hidden],
            ),
        ],
    )


@command(
    "expire",
    examples=[("what has expired", "helix expire --dry-run")],
)
@options.dry_run
@options.key
@click.pass_obj
def expire(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Report what has expired.

    An expired memory is out of recall from its moment on, with or without this; `helix annotate --clear expires_at`
    brings it back.
    """
    done = call(session.memory().expire, **chosen)
    session.answer(
        done,
        lambda ids: [
            Line(_head("expiry", done), Span(f"{len(done.expired)} expired", "dim")),
            *_table(
                ("memory", "since", "text"),
                [(Span(ids(one.id), "id"), one.expires_at, one.text) for one in done.expired],
            ),
        ],
    )


def _head(what: str, done: Any) -> Span:  # noqa: ANN401 - the three answers have this much in common
    if done.dry_run:
        return Span(f"{what} as of {done.clock}, nothing recorded", "strong")
    return Span(f"{what} recorded as @{done.seq}" + (" before" if done.repeated else ""), "good")


def _table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[Table]:
    return [Table(headings, rows)] if rows else []
