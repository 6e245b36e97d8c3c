import pytest


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ops.md").write_text(
        "# Ops\n\n- Backups run at noon every day.\n- The pager rotates on Mondays.\n", encoding="utf-8"
    )
    return folder


def test_import_makes_a_store_and_repeats_nothing(cli, notes):
    done = cli("import", str(notes), "-t", "imported", "--project", "ops")
    assert done["added"] == cli("count")["count"] > 0
    again = cli("import", str(notes), "-t", "imported", "--project", "ops")
    assert (again["added"], again["skipped"]) == (0, done["added"])
    assert "there before" in cli.text("import", str(notes), "-t", "imported", "--project", "ops")


def test_a_dry_run_stores_nothing_and_makes_no_store(cli, notes):
    done = cli("import", str(notes), "--dry-run")
    assert done["dry_run"]
    assert done["added"] > 0
    assert not cli.store.exists()
    cli("init")
    assert cli("import", str(notes), "--dry-run")["added"] == done["added"]
    assert cli("count")["count"] == 0


def test_an_export_without_a_store_makes_the_same_store(team, tmp_path):
    exported = team("export", str(tmp_path / "log.jsonl"))
    other = str(tmp_path / "other")
    assert team("import", str(tmp_path / "log.jsonl"), "--store", other, "--dry-run")["added"] == 4
    assert team("import", str(tmp_path / "log.jsonl"), "--store", other)["added"] == 4
    again = team("export", str(tmp_path / "again.jsonl"), "--store", other)
    assert again["digest"] == exported["digest"]


def test_an_export_into_a_store_is_merged(team, tmp_path):
    team("export", str(tmp_path / "log.jsonl"))
    other = str(tmp_path / "other")
    team("store", "Something else entirely.", "--store", other)
    assert team("import", str(tmp_path / "log.jsonl"), "--store", other)["added"] == 4
    assert team("count", "--store", other)["count"] == 5


def test_what_cannot_be_imported_makes_no_store(cli, tmp_path):
    assert cli.error("import", str(tmp_path / "nothing"), code=3)["code"] == "not_found"
    assert cli.error("import", str(tmp_path / "nothing"), "--kind", "markdown", code=3)["code"] == "not_found"
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert cli.error("import", str(tmp_path / "picture.png"), code=2)["code"] == "invalid_input"
    assert not cli.store.exists()


def test_an_import_of_the_older_system_does_not_advise_itself(cli, tmp_path):
    cli.env["HELIX_STORE"] = None
    (tmp_path / ".helix").mkdir()
    (tmp_path / ".helix" / "helix.db").touch()
    assert "passed over" not in cli.run("import", str(tmp_path / "nothing"), code=3).stderr
