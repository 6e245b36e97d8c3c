"""Write `docs/cli.md` from the help of every command: python tools/write_cli_docs.py [FILE]."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from helixlog.commands.cli.app import helix
from helixlog.commands.cli.group import WIDTH
from helixlog.commands.cli.session import Session
from helixlog.commands.cli.table import TOPICS

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = """# The command line

Made from `helix --help` and the help of each command by `tools/write_cli_docs.py`.

Every command takes `--json` and then prints exactly one JSON document on standard output, errors included:
`{"error": {"code", "message", "remedy"}}`. Nothing that is no answer is ever printed there; notes, warnings and
progress go to standard error. `-` reads a text from standard input.

| exit code | meaning |
|---|---|
| 0 | done; a recall that finds nothing is an answer too |
| 1 | the machine, the files or an embedder failed |
| 2 | the command line or a value is not understood |
| 3 | no such store, memory or recall |
| 4 | it contradicts what the log holds, or the content may not be stored |
| 5 | the log is damaged |
| 130, 141 | interrupted; the reader of the output went away |
"""


def help_of(command: click.Command, path: str, parent: click.Context | None = None) -> str:
    """The help of one command, as a terminal of a fixed width shows it."""
    ctx = click.Context(
        command,
        info_name=path,
        parent=parent,
        terminal_width=WIDTH,
        help_option_names=["-h", "--help"],
        obj=Session({}),
    )
    return "\n".join(line.rstrip() for line in command.get_help(ctx).splitlines())


def page() -> str:
    """The whole page."""
    root = click.Context(helix, info_name="helix", obj=Session({}))
    parts = [HEAD, f"```text\n{help_of(helix, 'helix')}\n```\n"]
    for topic, entries in TOPICS.items():
        parts.append(f"## {topic}\n")
        for entry in entries:
            command = helix.get_command(root, entry.name)
            if command is not None:
                parts.append(f"### helix {entry.name}\n\n```text\n{help_of(command, entry.name, root)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    target.write_text(page(), encoding="utf-8")
    print(f"wrote {target}")
