"""The command `helix` itself: options of every command, faults and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from ...errors import HelixlogError
from .group import WIDTH, LazyGroup
from .options import of_helix
from .output import report
from .session import Session

INTERRUPTED = 130
PIPE_CLOSED = 141
COMPLETION = "_HELIX_COMPLETE"


def _give_up_on_output() -> None:
    """What cannot be written any more goes nowhere, lest Python complains of it on its way out."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class App(LazyGroup):
    """Runs a command, and turns every fault into a message and an exit code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.params = [*of_helix(hidden=False), *self.params]

    def main(self, args: Sequence[str] | None = None, *_: object, **extra: Any) -> NoReturn:  # noqa: ANN401
        """Run, and leave the process. `obj` may be a `Session` of one's own."""
        argv = list(sys.argv[1:] if args is None else args)
        session = extra.get("obj") or Session(extra.get("environ", os.environ))
        sys.exit(self.run(argv, session))

    def run(self, argv: list[str], session: Session) -> int:
        """Run a command line; its exit code."""
        session.json = session.json or asks_for_json(argv)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        try:
            code = self.attempt(argv, session)
            sys.stdout.flush()
        except BrokenPipeError:
            _give_up_on_output()
            return PIPE_CLOSED
        except OSError as error:
            report(session, "failed", _os_message(error), "check that the disk has room and the path can be used")
            _give_up_on_output()
            return 1
        finally:
            session.close()
        return code

    def attempt(self, argv: list[str], session: Session) -> int:
        """Run a command line and tell its faults; the store stays open for the next. Its exit code."""
        try:
            self.dispatch(argv, session)
        except click.exceptions.Exit as left:
            return left.exit_code
        except (KeyboardInterrupt, click.Abort):
            return INTERRUPTED
        except HelixlogError as error:
            report(session, error.code, error.message, error.remedy)
            return error.exit_code
        except click.UsageError as error:
            report(session, "usage", " ".join(error.format_message().split()).rstrip("."), usage_remedy(error))
            return 2
        except click.ClickException as error:
            report(session, "failed", error.format_message(), "see `helix --help`")
            return error.exit_code
        return 0

    def dispatch(self, argv: list[str], session: Session) -> None:
        """Run a command line and let its faults through; the store stays open for the next."""
        with self.make_context("helix", argv, obj=session) as ctx:
            self.invoke(ctx)


def asks_for_json(argv: Sequence[str]) -> bool:
    """Whether `--json` is among the options; asked before they are parsed, for faults in parsing."""
    return "--json" in (argv[: argv.index("--")] if "--" in argv else argv)


def usage_remedy(error: click.UsageError) -> str:
    """What to do about a command line that is not understood."""
    path = error.ctx.command_path if error.ctx is not None else "helix"
    if "unexpected extra argument" in error.format_message():
        return f"put a text of several words in quotes; see `{path} --help`"
    return f"see `{path} --help`"


def _os_message(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value:
        from .blocks import Line
        from .version import version

        ctx.obj.answer({"version": version()}, lambda _: [Line(f"helix {version()}")])
        ctx.exit()


@click.group(
    "helix",
    cls=App,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
    epilog="Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict or rejected, 5 integrity.",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
@click.pass_context
def helix(ctx: click.Context) -> None:
    """An event-sourced memory: store what matters, ask for it, say what helped.

    The options below may also follow the command. The store is --store, else HELIX_STORE, else the nearest .helix
    folder upwards, else the one in your data folder.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run() -> int:
    """Run with the arguments of this process; the exit code."""
    instruction = os.environ.get(COMPLETION)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(helix, {"obj": Session(os.environ)}, "helix", COMPLETION, instruction)
    return helix.run(sys.argv[1:], Session(os.environ))
