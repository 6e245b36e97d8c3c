"""Answers and faults as they leave the process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .blocks import Block, Ids
    from .session import Session


def plain_values(value: object) -> object:
    """An answer as JSON has it: every field, also where it is null, empty, 0 or false.

    The structs of the log leave defaults out of their own encoding; an answer does not.
    """
    import msgspec

    if isinstance(value, msgspec.Struct):
        return {name: _field(name, getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {str(name): plain_values(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_values(item) for item in value]
    return value


def _field(name: str, value: object) -> object:
    """Times are text outside; a file's is the only one that an answer holds as it was recorded."""
    if name == "file_mtime" and isinstance(value, int):
        from ..times import format_time

        return format_time(value)
    return plain_values(value)


def print_json(value: object) -> None:
    """One document on one line, indented on a terminal."""
    import msgspec

    document = msgspec.json.encode(plain_values(value))
    if sys.stdout.isatty():
        document = msgspec.json.format(document, indent=2)
    click.echo(document)


def print_blocks(session: Session, draw: Callable[[Ids], Iterable[Block]]) -> None:
    """Blocks as a terminal or a file wants them."""
    if decorated(session):
        from .screen import show

        show(draw(session.short), colour=coloured(session))
    else:
        from .blocks import plain

        click.echo(plain(draw(str)), nl=False)


def forced(session: Session) -> bool:
    """Whether colour is wanted wherever the output goes."""
    return session.environ.get("FORCE_COLOR", "0") not in ("", "0")


def coloured(session: Session) -> bool:
    """Whether colour may be used: NO_COLOR and --no-color forbid it."""
    return not session.no_color and not session.environ.get("NO_COLOR")


def decorated(session: Session) -> bool:
    """Whether the answer is laid out for a person at a terminal."""
    if forced(session) and coloured(session):
        return True
    return sys.stdout.isatty() and session.environ.get("TERM") != "dumb"


def report(session: Session, code: str, message: str, remedy: str) -> None:
    """A fault: JSON on stdout with `--json`, else two lines on stderr; what it says is never what is refused."""
    from ...security import scan

    if scan(message) is not None:
        message = "it failed; the message is withheld, since it would repeat what may not be shown to a model"
    if scan(remedy) is not None:
        remedy = "look at what was given; see `helix --help`"
    if session.json:
        print_json({"error": {"code": code, "message": message, "remedy": remedy}})
        return
    colour = coloured(session) and (sys.stderr.isatty() or forced(session))
    for word, tone, text in (("error", "red", message), ("  try", "green", remedy)):
        click.echo(
            f"{click.style(f'{word}:', fg=tone, bold=True) if colour else f'{word}:'} {text}", err=True, color=colour
        )
