"""A store of its own for every test, and `helix` to run on it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from helixlog.commands.cli.app import helix

CLEAN = {
    "HELIX_STORE": None,
    "HELIX_EMBEDDER": "static",
    "NO_COLOR": None,
    "FORCE_COLOR": None,
    "_HELIX_COMPLETE": None,
}


class Helix:
    """Runs command lines on one store."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.env = {**CLEAN, "HELIX_STORE": str(store), "XDG_DATA_HOME": str(store.parent / "data")}

    def run(self, *args, stdin=None, code=0):
        """The result, which has the exit code asked for and no traceback."""
        result = CliRunner().invoke(helix, args, input=stdin, env=self.env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    def __call__(self, *args, stdin=None, code=0):
        """What `--json` answers: exactly one document."""
        stdout = self.run("--json", *args, stdin=stdin, code=code).stdout
        assert stdout.endswith("\n")
        assert stdout.count("\n") == 1
        return json.loads(stdout)

    def text(self, *args, stdin=None, code=0):
        """What a person reads."""
        return self.run(*args, stdin=stdin, code=code).stdout

    def error(self, *args, stdin=None, code):
        """The error in the JSON answer."""
        return self(*args, stdin=stdin, code=code)["error"]


@pytest.fixture
def cli(tmp_path, monkeypatch):
    """`helix` on an empty folder, with the fast embedder."""
    monkeypatch.chdir(tmp_path)
    return Helix(tmp_path / "store")


@pytest.fixture
def team(cli):
    """`helix` on a store of four memories; `ids` by a short name."""
    cli.ids = {
        name: cli("store", *words)["id"]
        for name, words in {
            "retry": ("The billing service retries a failed charge three times.", "-t", "billing"),
            "alerts": ("Failed charges are reported in the channel billing-alerts.", "-t", "billing"),
            "flags": ("Feature flags live in config/flags.yaml.", "-e", "Flags", "--kind", "procedure"),
            "owner": ("Jonas owns the search index.", "-e", "Jonas:person"),
        }.items()
    }
    return cli
