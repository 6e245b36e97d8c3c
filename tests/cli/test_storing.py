import io
import json

import pytest


def test_init_makes_a_store_here(cli, tmp_path):
    cli.env["HELIX_STORE"] = None
    made = cli("init")
    assert made["created"]
    assert made["store"] == str(tmp_path / ".helix")
    assert made["embedder"] == "static"
    assert not cli("init")["created"]


def test_init_of_a_named_folder_with_an_embedder(cli, tmp_path):
    made = cli("init", str(tmp_path / "elsewhere"), "--embedder", "none", "--owner", "ada")
    assert (made["embedder"], made["fingerprint"]) == (None, None)
    assert "there is a store already" in cli.text("init", str(tmp_path / "elsewhere"), "--embedder", "none")


def test_init_over_a_store_of_another_embedder_is_a_conflict(team):
    assert team.error("init", "--embedder", "none", code=4)["code"] in ("conflict", "embedder_mismatch")


def test_verify_of_a_sound_store(team):
    assert team("verify") == {"ok": True, "head": 5, "problems": []}
    assert team("verify", "--projections")["ok"]
    assert "sound" in team.text("verify")


def test_verify_of_a_damaged_store_exits_with_5(team):
    (data,) = team.store.glob("log/**/data.mdb")
    damaged = bytearray(data.read_bytes())
    spot = damaged.find(b"Feature flags live")
    damaged[spot : spot + 4] = b"XXXX"
    data.write_bytes(damaged)
    report = team("verify", code=5)
    assert not report["ok"]
    assert report["problems"]


def test_rebuild_changes_no_answer(team):
    before = team("recall", "failed charge", "--no-record")
    assert team("rebuild")["seq"] == 5
    assert "rebuilt" in team.text("rebuild")
    assert team("recall", "failed charge", "--no-record")["results"] == before["results"]


def test_reembed_with_none_recalls_by_words(team):
    assert team("reembed", "none", "--dry-run")["seq"] is None
    assert team("reembed", "none", "--reason", "to see")["fingerprint"] is None
    assert team("recall", "failed charge")["results"]
    assert team.error("reembed", "none", code=4)["code"] == "conflict"
    assert "changed" in team.text("reembed", "static")


def test_export_to_a_file_and_to_standard_output(team, tmp_path):
    done = team("export", str(tmp_path / "log.jsonl"))
    assert done["head"] == 5
    written = (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    assert len(written.splitlines()) == 6
    result = team.run("export", "-")
    assert result.stdout == written
    assert "exported 5 events" in result.stderr


def test_export_does_not_write_over_a_file(team, tmp_path):
    (tmp_path / "log.jsonl").touch()
    assert team.error("export", str(tmp_path / "log.jsonl"), code=4)["code"] == "conflict"


def test_export_mixes_no_json_answer_into_its_lines(team):
    assert team.error("export", "-", code=2)["code"] == "usage"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(cli, shell):
    assert "_HELIX_COMPLETE" in cli.text("completion", shell)
    assert cli("completion", shell)["shell"] == shell


def test_completion_offers_commands_without_importing_them():
    from click.shell_completion import ShellComplete
    from helixlog.commands.cli.app import helix
    from helixlog.commands.cli.session import Session

    class Words(ShellComplete):
        name, source_template = "words", ""

    complete = Words(helix, {"obj": Session({})}, "helix", "_HELIX_COMPLETE")
    assert [item.value for item in complete.get_completions([], "re")] == [
        "recall",
        "reinforce",
        "restore",
        "replay",
        "rebuild",
        "reembed",
    ]
    assert "--as-of" in [item.value for item in complete.get_completions(["recall"], "--a")]


def test_a_store_of_the_older_system_is_named(cli, tmp_path):
    cli.env["HELIX_STORE"] = None
    (tmp_path / ".helix").mkdir()
    (tmp_path / ".helix" / "helix.db").touch()
    result = cli.run("recall", "anything", code=3)
    assert f"helix import {tmp_path / '.helix'}" in result.stderr


def test_a_broken_document_is_never_printed(team):
    assert json.load(io.StringIO(team.run("count", "--json").stdout))["count"] == 4
