def test_store_answers_with_what_became_of_the_text(cli):
    stored = cli("store", "Charges are retried three times.")
    assert stored["status"] == "added"
    assert {"id", "text_id", "seq", "reason", "superseded", "repeated", "warnings"} <= stored.keys()
    again = cli("store", "Charges are retried three times.")
    assert (again["status"], again["id"]) == ("reinforced", stored["id"])


def test_store_makes_the_store_and_says_where_once(cli):
    first = cli.run("store", "one thing to know")
    assert f"made a store at {cli.store}" in first.stderr
    assert cli.run("store", "another thing to know").stderr == ""


def test_store_takes_everything_that_is_known_of_a_text(cli, tmp_path):
    (tmp_path / "notes.md").write_text("one\ntwo\nthree\n", encoding="utf-8")
    stored = cli(
        *("store", "Two comes after one.", "--title", "Counting", "--kind", "procedure", "-t", "maths", "-t", "basics"),
        *("-e", "Two:number", "--category", "numbers", "--meta", "grade=1", "--meta", "done=true", "--salience", "0.7"),
        *("--file", "notes.md", "--lines", "2-3", "--confidence", "0.9", "--project", "school", "--shared"),
        *("--valid-from", "2026-01-01", "--valid-to", "2027-01-01", "--expires", "30d", "--observed-at", "2026-02-01"),
    )
    record = cli("get", stored["id"])
    assert record["tags"] == ["maths", "basics"]
    assert record["entities"] == ["two"]
    assert record["metadata"] == {"grade": 1, "done": True}
    assert record["provenance"]["span"]["line_from"] == 2
    assert record["provenance"]["quote"] == "two\nthree"
    assert record["provenance"]["file_mtime"].endswith("Z")
    assert record["scope"]["visibility"] == "shared"
    assert record["valid_from"] == "2026-01-01T00:00:00Z"
    assert record["salience"] == 0.7


def test_store_reads_standard_input(cli):
    stored = cli("store", "-", stdin="Grüße aus dem Speicher.\n")
    assert cli("get", stored["id"])["text"] == "Grüße aus dem Speicher."


def test_store_refuses_what_is_not_utf8(cli):
    error = cli.error("store", "-", stdin=b"a\xffb", code=2)
    assert "0xff at offset 1" in error["message"]
    assert "iconv" in error["remedy"]


def test_a_relation_that_updates_supersedes(team):
    stored = team("store", "Charges are retried five times.", "--relation", f"updates={team.ids['retry']}")
    assert stored["superseded"] == [team.ids["retry"]]


def test_the_same_key_stores_once(cli):
    first = cli("store", "only once", "--key", "k1")
    assert cli("store", "only once", "--key", "k1") == {**first, "repeated": True}
    assert cli.error("store", "something else", "--key", "k1", code=4)["code"] == "key_conflict"


def test_supersede_by_a_text_takes_over_what_is_not_given(team):
    old = team.ids["flags"]
    done = team("supersede", old, "Feature flags live in the console.", "--reason", "moved", "--salience", "0")
    assert done["old"] == old
    record = team("get", done["id"])
    assert (record["kind"], record["salience"], record["supersedes"]) == ("procedure", 0.0, [old])


def test_supersede_by_a_memory_that_is_there(team):
    done = team("supersede", team.ids["retry"], "--by", team.ids["alerts"])
    assert done["id"] == team.ids["alerts"]
    assert "superseded" in team.text("get", team.ids["retry"])


def test_supersede_needs_one_of_the_two(team):
    assert team.error("supersede", team.ids["retry"], code=2)["code"] == "invalid_input"


def test_annotate_adds_and_takes_away(team):
    done = team("annotate", team.ids["retry"], "--add-tag", "money", "--remove-tag", "billing", "--pin", "core")
    assert (done["tags"], done["pin"]) == (["money"], "core")
    assert team("annotate", team.ids["retry"], "--clear", "pin")["pin"] is None


def test_what_acts_on_a_memory_acts_for_the_user_it_is_given(cli):
    one = cli("store", "Mara keeps the release notes", "--user", "mara")["id"]
    for words in (["forget"], ["annotate", "--pin", "notes"], ["reinforce"], ["supersede"]):
        text = ["Mara kept them"] if words[0] == "supersede" else []
        cli.error(words[0], one, *text, *words[1:], code=3)
        assert cli(words[0], one, *text, *words[1:], "--user", "mara")["seq"]
        if words[0] == "forget":
            cli("restore", one, "--user", "mara")


def test_a_clock_that_is_days_behind_the_log_is_named(cli):
    cli("init", "--now", "2026-05-10")
    cli("store", "The lighthouse was painted white", "--now", "2026-05-10T12:00:00Z")
    late = cli.run("store", "The lighthouse was painted red", "--now", "2026-05-07")
    assert "3 days behind the last event" in late.stderr
    near = cli.run("store", "The lighthouse was painted blue", "--now", "2026-05-10T06:00:00Z")
    assert "behind the last event" not in near.stderr
    assert cli("log")["events"][-1]["time"].startswith("2026-05-10T12")
