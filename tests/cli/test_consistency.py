"""Every command has the same manners, and the same words as the method of the same name."""

import importlib.util
import inspect
import shlex
from pathlib import Path

import click
import pytest
from helixlog.commands.cli.app import helix
from helixlog.commands.cli.session import Session
from helixlog.commands.cli.table import COMMANDS
from helixlog.commands.doctor import doctor
from helixlog.commands.init import init
from helixlog.commands.memory import Memory
from helixlog.commands.opened import OpenStore

ROOT = Path(__file__).resolve().parents[2]
OF_HELIX = {f"helix_{name}" for name in ("store", "embedder", "now", "allow", "no_color", "quiet", "json")}
NO_METHOD = {"completion", "demo"}  # of the shell, and of the command line itself
METHODS = {"init": init, "import": Memory.import_, "doctor": doctor}
NOT_OPTIONS = {
    "*": {"progress"},  # a bar
    "store": {"prior"},  # what was learned elsewhere is for imports
    "doctor": {"folder", "clock", "api_key"},  # --store and --now of `helix`; the environment
    "init": {"path", "embedder", "clock", "api_key"},  # FOLDER, --embedder and --now of `helix`; the environment
}
NOT_ARGUMENTS = {
    "erase": {"yes"},  # a caller of the method has said so
    "init": {"folder"},  # `path`
    "restore": {"into", "as_of"},  # of `restore_backup`
    "feedback": {"none_used"},  # `used=[]`
    "replay": {"opens"},  # `Memory.as_of` with other constants
}
NO_COMMAND = {"close", "as_of"}
OTHER_DEFAULTS = {"recall": {"channel"}, "supersede": {"source", "origin"}}  # who is asking; those of `store`
COMMAND_NAMES = list(COMMANDS)


def command(name):
    return helix.get_command(click.Context(helix), name)


def help_of(name):
    return command(name).get_help(click.Context(command(name), help_option_names=["-h", "--help"]))


def arguments(name):
    """Parameters of the method, those of a `**options: Unpack[...]` included."""
    method = METHODS.get(name) or getattr(Memory, name)
    found = {}
    for argument in inspect.signature(method).parameters.values():
        if argument.kind is inspect.Parameter.VAR_KEYWORD:
            from helixlog.commands.supersede import TextOptions

            found.update(dict.fromkeys(TextOptions.__annotations__, inspect.Parameter.empty))
        elif argument.name != "self":
            found[argument.name] = argument.default
    return found


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_takes_json_before_and_after(name):
    options = {option for param in command(name).params for option in param.opts}
    assert {"--json", "--store", "--embedder", "--now", "--allow", "--no-color", "-q"} <= options
    assert "--json" in help_of(name)


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_summary_is_the_first_line_of_the_help(name):
    assert inspect.cleandoc(command(name).help).splitlines()[0] == COMMANDS[name].summary
    assert command(name).name == name


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_has_examples_that_can_be_typed(name):
    examples = command(name).examples
    assert examples
    for purpose, line in examples:
        assert purpose
        assert f"helix {name}" in line
        words = shlex.split(
            line[line.index("helix ") :].split(" | ")[0].split(" > ")[0].split(" < ")[0].removesuffix(')"')
        )
        asked = list(words[1 : words.index("&&")] if "&&" in words else words[1:])
        with helix.make_context("helix", asked, obj=Session({}), resilient_parsing=False) as ctx:
            found, parsed, rest = helix.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
            assert found == name
            parsed.make_context(name, rest, parent=ctx).close()


@pytest.mark.parametrize("name", [name for name in COMMAND_NAMES if name not in NO_METHOD])
def test_options_are_the_arguments_of_the_method(name):
    options = {param.name for param in command(name).params} - OF_HELIX - NOT_ARGUMENTS.get(name, set())
    wanted = set(arguments(name)) - NOT_OPTIONS["*"] - NOT_OPTIONS.get(name, set())
    assert options == wanted


@pytest.mark.parametrize("name", [name for name in COMMAND_NAMES if name not in NO_METHOD])
def test_defaults_are_those_of_the_method(name):
    wanted = arguments(name)
    for param in command(name).params:
        if param.name in OTHER_DEFAULTS.get(name, set()) | OF_HELIX | NOT_ARGUMENTS.get(name, set()):
            continue
        if isinstance(param, click.Option) and param.name in wanted:
            shown = param.get_default(click.Context(command(name)))
            shown = shown if isinstance(shown, int | float | str | tuple | list) else None  # click's own mark for none
            default = wanted[param.name]
            if default is inspect.Parameter.empty:
                assert param.required or not shown
            else:
                assert (shown or None) == (default or None)


def test_every_verb_of_memory_has_a_command():
    verbs = {name for name, value in vars(Memory).items() if inspect.isfunction(value) and not name.startswith("_")}
    own = {name for name in vars(OpenStore) if not name.startswith("_")}
    assert {verb.rstrip("_") for verb in verbs - own - NO_COMMAND} <= set(COMMANDS)


def test_the_page_of_commands_is_current():
    spec = importlib.util.spec_from_file_location("write_cli_docs", ROOT / "tools" / "write_cli_docs.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == tool.page(), "run `python tools/write_cli_docs.py`"
