"""Options that several commands share. The name of each is that of the method's argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
PREFIX = "helix_"
"""Before the names of the options of `helix`, so that a command may have an argument of the same name."""


def stack(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator, shown in the order given."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _set(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Put an option of `helix` where every command reads it; given twice, the last one counts."""
    if value not in (None, False, ()) and param.name is not None:
        setattr(ctx.obj, param.name.removeprefix(PREFIX), value)


def of_helix(*, hidden: bool) -> list[click.Parameter]:
    """The options of `helix` itself. After a command they are taken as well, but only `--json` is in its help."""

    def option(*names: str, hidden: bool = hidden, **attrs: Any) -> click.Option:  # noqa: ANN401
        name = PREFIX + names[-1].removeprefix("--").replace("-", "_")
        return click.Option([name, *names], hidden=hidden, expose_value=False, callback=_set, **attrs)

    return [
        option("--store", metavar="PATH", help="The store's folder.  [env: HELIX_STORE]"),
        option(
            "--embedder",
            metavar="NAME",
            help="Embedder: minilm, static, none ...  [env, for a new store: HELIX_EMBEDDER]",
        ),
        option("--now", metavar="TIME", help="Act as if it were this time."),
        option(
            "--allow",
            metavar="CATEGORY",
            multiple=True,
            help="Store what the gate refuses as prompt_injection, credential_generic, invisible_unicode or "
            "exfiltration; may be repeated.",
        ),
        option("--no-color", is_flag=True, help="Plain output.  [env: NO_COLOR]"),
        option("-q", "--quiet", is_flag=True, help="No notes and no progress."),
        option("--json", is_flag=True, hidden=False, help="Answer with one JSON document."),
    ]


user = click.option("--user", metavar="NAME", help="Who asks; the store's owner if not given.")
actor = click.option("--user", metavar="NAME", help="Who acts; the store's owner if not given.")
scope = stack(
    user,
    click.option("--project", metavar="NAME", help="Only this project."),
    click.option("--session", metavar="ID", help="Only this session."),
    click.option("--agent", metavar="ID", help="Only this agent."),
    click.option("--container", metavar="NAME", help="Only this container."),
)
as_of = click.option(
    "--as-of", metavar="POINT", help="As of then: a time, an age such as 7d, @SEQ, @SEQ/TIME, or an id."
)
changes = click.option(
    "changes",
    "--set",
    metavar="NAME=VALUE",
    multiple=True,
    help="Suppose this value of a constant; may be repeated.",
)
constants = click.option("--constants", metavar="FILE", help="Suppose the constants in this JSON file; - is stdin.")
kind = click.option("--kind", metavar="WORD", help="Only this kind.")
tags = click.option("tags", "-t", "--tag", metavar="TAG", multiple=True, help="Only with this tag; may be repeated.")
reason = click.option("--reason", metavar="TEXT", help="Why, for the record.")
key = click.option("--key", metavar="KEY", help="The same key with the same content acts once, for ever.")
dry_run = click.option("--dry-run", is_flag=True, help="Only say what would happen.")
memory = click.argument("memory", metavar="ID")


def limit(default: int) -> Callable[[Any], Any]:
    """`--limit`."""
    return click.option(
        "-n", "--limit", type=int, metavar="N", default=default, show_default=True, help="Most to show."
    )


def recalls(default: int) -> Callable[[Any], Any]:
    """`--recalls`."""
    return click.option(
        "--recalls",
        type=int,
        metavar="N",
        default=default,
        show_default=True,
        help="Ask at most the last N recorded questions again; 0: none.",
    )
