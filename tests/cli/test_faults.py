"""Every fault has a code, a message and a remedy, and the exit code of its kind."""

import pytest
from helixlog.commands.cli import output
from helixlog.commands.memory import Memory
from helixlog.errors import HelixlogError
from helixlog.eventlog.events import MemoryAnnotated


def kinds(kind=HelixlogError):
    yield kind
    for child in kind.__subclasses__():
        yield from kinds(child)


@pytest.mark.parametrize("kind", sorted(set(kinds()), key=lambda kind: kind.__name__))
def test_every_error_is_mapped(cli, kind, monkeypatch):
    def fail(*_):
        raise kind("what happened", remedy="what to do")

    monkeypatch.setattr("helixlog.commands.cli.session.Session.memory", fail)
    error = cli.error("count", code=kind.exit_code)
    assert error == {"code": kind.code, "message": "what happened", "remedy": "what to do"}
    result = cli.run("count", code=kind.exit_code)
    assert result.stderr == "error: what happened\n  try: what to do\n"
    assert result.stdout == ""


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["recall"],
        ["recall", "a", "b"],
        ["list", "--limit", "many"],
        ["list", "--nonsense"],
        ["--nonsense"],
        ["feedback", "--outcome"],
        ["store", "x", "--meta", "novalue"],
    ],
)
def test_a_command_line_that_is_not_understood(cli, args):
    error = cli.error(*args, code=2)
    assert error["code"] == "usage"
    assert "--help" in error["remedy"]
    result = cli.run(*args, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")


def test_json_is_taken_before_and_after_the_command(cli):
    assert cli.run("--json", "nonsense", code=2).stdout == cli.run("nonsense", "--json", code=2).stdout
    cli("init")
    assert cli.run("--json", "count", "--as-of", "@1").stdout == cli.run("count", "--as-of", "@1", "--json").stdout


def test_options_of_helix_may_follow_the_command(team):
    assert team("count", "--store", str(team.store))["count"] == 4
    assert team.error("count", "--store", str(team.store) + "-other", code=3)["code"] == "store_missing"


def test_a_name_that_is_no_command_brings_those_it_resembles(cli):
    assert "Did you mean recall" in cli.error("recal", code=2)["message"]


@pytest.mark.parametrize(
    "args",
    [
        ["recall", "x"],
        ["get", "01kc3v9q"],
        ["list"],
        ["count"],
        ["log"],
        ["stats"],
        ["health"],
        ["constants"],
        ["verify"],
        ["export", "x.jsonl"],
        ["feedback", "01kc3v9q", "--outcome", "delivered"],
        ["rebuild"],
        ["decay"],
    ],
)
def test_only_store_makes_a_missing_store(cli, args):
    error = cli.error(*args, code=3)
    assert error["code"] == "store_missing"
    assert "helix init" in error["remedy"]
    assert not cli.store.exists()


def test_a_folder_that_is_a_file(cli):
    cli.store.touch()
    assert cli.error("store", "x", code=2)["code"] == "invalid_input"


def test_a_malformed_time(team):
    assert team.error("count", "--as-of", "yesterday-ish", code=2)["code"] == "invalid_input"
    assert team.error("store", "x", "--now", "later", code=2)["code"] == "invalid_input"


def test_now_is_the_clock_but_never_below_the_head(cli):
    stored = cli("store", "a fact of the future", "--now", "2090-05-05")
    assert cli("get", stored["id"])["recorded_at"] == "2090-05-05T00:00:00Z"
    later = cli("store", "a fact from before", "--now", "2001-01-01")
    assert cli("get", later["id"])["recorded_at"] >= "2090-05-05"


def test_an_embedder_that_is_not_the_stores(team):
    assert team.error("recall", "x", "--embedder", "minilm", code=4)["code"] == "embedder_mismatch"
    assert team.error("recall", "x", "--embedder", "nonsense", code=2)["code"] == "invalid_input"


def test_the_environment_names_the_embedder_of_new_stores_only(team):
    team.env["HELIX_EMBEDDER"] = "none"
    assert team("recall", "failed charge")["results"][0]["relevance"] is not None
    assert team("init")["embedder"] == "static"
    assert team("init", str(team.store) + "-new")["embedder"] is None


def test_quiet_has_no_notes(cli):
    assert cli.run("-q", "store", "a quiet fact").stderr == ""


def test_an_interrupt_is_quiet(cli, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("helixlog.commands.cli.session.Session.memory", interrupt)
    result = cli.run("count", code=130)
    assert (result.stdout, result.stderr) == ("", "")


def test_control_characters_never_reach_a_terminal(cli):
    assert "U+001B" in cli.error("store", "a fact", "--source", "user:\x1b[31mred", code=2)["message"]
    stored = cli("store", "a fact")
    with Memory(cli.store) as memory:  # as a log may hold it from before they were refused
        memory.append([MemoryAnnotated(memory=stored["id"], pin="\x1b[31mred")])
    assert "red" in cli.text("get", stored["id"])
    assert "\x1b" not in cli.text("get", stored["id"])


def test_structs_of_the_log_keep_their_defaults_in_answers():
    from helixlog.eventlog.events import Span

    assert output.plain_values({"spans": (Span(),)})["spans"][0].keys() == set(Span.__struct_fields__)
