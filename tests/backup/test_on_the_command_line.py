"""`helix backup FOLDER`, and `helix restore` of a backup beside that of a memory."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from helixlog.commands.cli.app import helix


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = {"HELIX_STORE": str(tmp_path / "store"), "HELIX_EMBEDDER": "static"}

    def run_(*words, code=0):
        done = CliRunner().invoke(helix, ["--json", *words], env=env)
        assert done.exit_code == code, (done.stdout, done.stderr)
        return json.loads(done.stdout)

    return run_


def test_a_store_is_backed_up_and_restored(run):
    run("store", "The crane stands at berth 3.")
    assert run("backup", "b") == {**run("backup", "b"), "added": 2, "whole": True}
    run("store", "The llama stands at berth 9.")
    assert run("backup", "b")["added"] == 1
    made = run("restore", "b", "--into", "again", "--as-of", "@2")
    assert (made["head"], made["path"], made["backup"]) == (2, "again", "b")
    assert run("count", "--store", "again")["count"] == 1
    assert run("count")["count"] == 2


def test_a_memory_is_still_restored_by_its_id(run):
    own = run("store", "The crane stands at berth 3.")["id"]
    run("forget", own)
    assert run("restore", own, "--reason", "it is needed")["state"] == "live"


def test_what_belongs_to_one_is_refused_with_the_other(run):
    run("store", "The crane stands at berth 3.")
    run("backup", "b")
    assert "--as-of" in run("restore", "b", "--as-of", "@2", code=2)["error"]["message"]
    assert "--reason" in run("restore", "b", "--into", "c", "--reason", "why", code=2)["error"]["message"]
    assert "--into" in run("restore", "./b", code=2)["error"]["message"]
    run("restore", "b", "--into", "store", code=4)
