"""`replay --open`: a conversation with the memory as it would be."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from .blocks import Line, Span
from .drawing import changed
from .session import Session, call

if TYPE_CHECKING:
    from ..memory import Memory

PROMPT, COMMAND = "replay> ", ":"
HELP = "A line is a question; after a colon it is a command of helix that reads, such as :list or :get ID."


def converse(session: Session, changes: Mapping[str, object], chosen: Mapping[str, object]) -> None:
    """Answer lines from standard input, until it ends, in a read-only view under other constants.

    Raises:
        UsageError: With `--json`, or with what is no part of a view.
    """
    if session.json:
        raise click.UsageError(
            "--open answers many questions, and --json one; use `helix recall --set NAME=VALUE --json`"
        )
    if chosen["check"] or chosen["explain"]:
        raise click.UsageError("--open goes with --set, --constants and --as-of alone")
    live = session.memory()
    view = call(live.as_of, chosen["as_of"], changes=changes)
    session.draw(lambda _: _greeting(view))
    inner = Session(session.environ)
    inner.no_color, inner.quiet, inner.store = session.no_color, session.quiet, session.store
    inner.use(view)
    for line in lines():
        answer(inner, line, user=chosen["user"])


def _greeting(view: Memory) -> Iterator[Line]:
    point = view.as_of_point(view.point())
    supposed = view.counterfactual(view.view())
    yield Line(Span("counterfactual" if supposed else "read-only", "bad"), *changed(supposed or {}))
    yield Line(Span(f"as of @{point.seq}/{point.time}, nothing is recorded", "dim"))
    if sys.stdin.isatty():
        yield Line(Span(f"{HELP} An empty line ends.", "dim"))


def lines() -> Iterator[str]:
    """Lines of standard input; at a terminal asked for one by one, up to an empty one."""
    if not sys.stdin.isatty():
        yield from (line for raw in sys.stdin if (line := raw.strip()))
        return
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives `input` a history
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            return
        if not line:
            return
        yield line


def answer(session: Session, line: str, *, user: object) -> None:
    """Answer a question, or run a command after a colon; a fault is told, and ends nothing."""
    from .app import helix

    try:
        helix.attempt(_words(line, user), session)
    except ValueError as error:
        session.note(f"{line}: {error}")


def _words(line: str, user: object) -> list[str]:
    """The command line that a line stands for; raises ValueError where a quote is not closed."""
    if line.startswith(COMMAND):
        return shlex.split(line.removeprefix(COMMAND))
    who = ["--user", user] if isinstance(user, str) else []
    return ["recall", *who, "--", line]
