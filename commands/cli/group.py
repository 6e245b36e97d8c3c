"""How `helix` finds its commands and writes its help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from .options import of_helix
from .table import COMMANDS, TOPICS

WIDTH = 100
"""Columns of help, at most."""


class Verb(click.Command):
    """A command with examples, which says in its help that options of `helix` may follow it as well.

    Args:
        examples: (what it does, the line to type) pairs.
    """

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params.extend(of_helix(hidden=True))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, each under its purpose."""
        with formatter.section("Examples"):
            for purpose, line in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}# {purpose}\n")
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        super().format_epilog(ctx, formatter)


class LazyGroup(click.Group):
    """Commands by topic, imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """The command, or None."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, function = entry.target.partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; a name that is none is answered with those it resembles."""
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        import difflib

        close = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.6)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise click.UsageError(f"No such command {name!r}.{hint}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        """The table, a section for each topic."""
        widest = max(map(len, COMMANDS))
        for topic, entries in TOPICS.items():
            with formatter.section(topic):
                formatter.write_dl([(entry.name.ljust(widest), entry.summary) for entry in entries])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Names from the table; options as click does."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(e.name, help=e.summary) for e in COMMANDS.values() if e.name.startswith(incomplete)]


def command(name: str, *, examples: Sequence[tuple[str, str]]) -> Callable[[Callable[..., Any]], Verb]:
    """Make a function the command `name`."""
    return click.command(name, cls=Verb, examples=examples)
