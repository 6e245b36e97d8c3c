"""`completion`."""

from __future__ import annotations

import click

from .blocks import Prose
from .group import command
from .session import Session

SHELLS = ("bash", "zsh", "fish")


@command(
    "completion",
    examples=[
        ("bash, in ~/.bashrc", 'eval "$(helix completion bash)"'),
        ("zsh, in ~/.zshrc", 'eval "$(helix completion zsh)"'),
        ("fish, once", "helix completion fish > ~/.config/fish/completions/helix.fish"),
    ],
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_obj
def completion(session: Session, /, shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from .app import COMPLETION, helix

    kind = get_completion_class(shell)
    script = "" if kind is None else kind(helix, {}, "helix", COMPLETION).source()
    if session.json:
        session.answer({"shell": shell, "script": script}, lambda _: [Prose(script)])
    else:
        click.echo(script)
