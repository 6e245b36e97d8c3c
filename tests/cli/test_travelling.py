"""`timeline`, `diff`, `replay`, `adopt`, and `--as-of` of every reading command, as they are typed."""

import json

import pytest

READING = {
    "recall": ("billing",),
    "explain": ("billing",),
    "get": ("ID",),
    "list": (),
    "history": ("ID",),
    "neighbors": ("ID",),
    "lineage": ("ID",),
    "count": (),
    "stats": (),
    "health": (),
    "constants": (),
    "log": (),
    "timeline": ("ID",),
    "diff": ("@1",),
    "replay": ("--set", "learning_rate=0.9"),
}


def words(team, name):
    return [team.ids["retry"] if word == "ID" else word for word in READING[name]]


@pytest.mark.parametrize("name", READING)
def test_every_reading_command_carries_its_point_and_repeats_it_to_the_byte(team, name):
    asked = ("--json", name, *words(team, name), "--as-of", "@3")
    first = team.run(*asked).stdout
    point = json.loads(first)["as_of"]
    assert point["seq"] == 3
    assert team.run(*asked[:-1], f"@{point['seq']}/{point['time']}").stdout == first


@pytest.mark.parametrize("form", ["@3", "1s", "2099-01-01", "2020-01-01", "ID"])
def test_every_form_of_a_point_is_understood(team, form):
    found = team("count", "--as-of", team.ids["alerts"] if form == "ID" else form)
    wanted = {"@3": 2, "2099-01-01": 4, "2020-01-01": 0, "ID": 2}
    assert found["count"] == wanted.get(form, found["count"])


def test_an_export_ends_where_it_is_told_to(team, tmp_path):
    done = team("export", str(tmp_path / "past.jsonl"), "--as-of", "@3")
    assert (done["head"], done["as_of"]["seq"]) == (3, 3)
    made = type(team)(tmp_path / "past")
    made("import", str(tmp_path / "past.jsonl"))
    assert made("count")["count"] == 2
    assert made("verify")["head"] == 3


def learned(team):
    recall = team("recall", "failed charge")["recall_id"]
    team("feedback", recall, "--outcome", "delivered", "--used", team.ids["retry"])


def test_a_replay_says_what_would_differ_and_that_it_is_no_belief(team):
    learned(team)
    done = team("replay", "--set", "learning_rate=0.9")
    assert done["constants"] == {"learning_rate": [0.2, 0.9]}
    assert [(one["id"], one["state"]) for one in done["memories"]] == [(team.ids["retry"], ["live", "live"])]
    assert done["memories"][0]["effectiveness"] == [pytest.approx(0.6), pytest.approx(0.95)]
    shown = team.text("replay", "--set", "learning_rate=0.9")
    assert shown.startswith("counterfactual  learning_rate 0.2 → 0.9\n")
    assert "shown" in shown
    assert "the constants of their day" in shown


def test_a_replay_is_explained_event_by_event(team):
    learned(team)
    shown = team.text("replay", "--set", "learning_rate=0.9", "--explain", team.ids["retry"])
    (line,) = [line for line in shown.splitlines() if line.startswith("≠")]
    assert "60.0%" in line
    assert "95.0%" in line
    assert "delivered" in line


@pytest.mark.parametrize("wrapped", [True, False])
def test_constants_are_taken_from_a_file_as_they_are_printed(team, tmp_path, wrapped):
    learned(team)
    printed = team("constants")
    if not wrapped:
        printed = {one["name"]: one["value"] for one in printed["constants"]}
        printed["learning_rate"] = 0.9
    else:
        next(one for one in printed["constants"] if one["name"] == "learning_rate")["value"] = 0.9
    (tmp_path / "c.json").write_text(json.dumps(printed))
    done = team("replay", "--constants", str(tmp_path / "c.json"))
    assert done["constants"] == {"learning_rate": [0.2, 0.9]}
    both = team("replay", "--constants", str(tmp_path / "c.json"), "--set", "learning_rate=0.5")
    assert both["constants"] == {"learning_rate": [0.2, 0.5]}


@pytest.mark.parametrize(
    ("asked", "code", "error"),
    [
        (("replay",), 2, "invalid_input"),
        (("replay", "--set", "nonsense=1"), 2, "invalid_input"),
        (("replay", "--set", "causal"), 2, "usage"),
        (("replay", "--set", "causal=0.5", "--check"), 2, "invalid_input"),
        (("replay", "--constants", "missing.json"), 3, "not_found"),
        (("replay", "--set", "causal=0.5", "--open"), 2, "usage"),
        (("replay", "--set", "causal=0.5", "--explain", "01kzzzzzzzzzzzzzzz"), 3, "not_found"),
        (("timeline",), 2, "invalid_input"),
        (("timeline", "01kzzzzzzzzzzzzzzz"), 3, "not_found"),
        (("diff",), 2, "invalid_input"),
        (("adopt", "--reason", "x"), 2, "invalid_input"),
        (("adopt", "--set", "learning_rate=0.2", "--reason", "x"), 4, "conflict"),
        (("adopt", "--set", "learning_rate=0.3", "--reason", "x", "--evaluation", "missing.json"), 3, "not_found"),
        (("count", "--as-of", "@99"), 2, "invalid_input"),
        (("count", "--as-of", "yesterday"), 2, "invalid_input"),
    ],
)
def test_mistakes_are_named_with_their_remedy(team, asked, code, error):
    head = team("log")["head"]
    found = team.error(*asked, code=code)
    assert found["code"] == error
    assert found["remedy"]
    assert team("log")["head"] == head


def test_a_file_that_holds_no_constants_is_refused(team, tmp_path):
    for text in ("{", "[1]", '"x"'):
        (tmp_path / "c.json").write_text(text)
        assert team.error("replay", "--constants", str(tmp_path / "c.json"), code=2)["code"] == "invalid_input"


def test_a_check_exits_with_five_where_a_projection_is_not_what_the_log_says(team, monkeypatch):
    assert "sound" in team.text("replay", "--check")
    from helixlog.projections.catalog import Catalog

    right = Catalog.digests

    def wrong(self):
        found = right(self)
        return found if "helixlog-" in str(self.root) else found | {"text": "0" * 64}

    monkeypatch.setattr(Catalog, "digests", wrong)
    shown = team.run("replay", "--check", code=5).stdout
    assert "1 projection not what the log says" in shown
    assert "helix rebuild" in shown


def test_an_open_replay_answers_each_line_and_writes_nothing(team):
    learned(team)
    head = team("log")["head"]
    lines = f"failed charge\n:count\n\n:forget {team.ids['retry']}\n:get {team.ids['retry']} --json\n:get 'x\n"
    done = team.run("replay", "--set", "learning_rate=0.9", "--open", stdin=lines)
    assert done.stdout.count("counterfactual  learning_rate 0.2 → 0.9") == 2
    assert "4  live memories" in done.stdout
    assert "cannot be written" in done.stderr
    assert '"effectiveness":0.95' in done.stdout
    assert team("log")["head"] == head


def test_adopting_is_seen_at_once_and_not_before(team, tmp_path):
    learned(team)
    (tmp_path / "why.json").write_text('{"better": true}')
    done = team("adopt", "--set", "learning_rate=0.9", "--reason", "tuned", "--evaluation", str(tmp_path / "why.json"))
    assert done["constants"] == {"learning_rate": [0.2, 0.9]}
    assert team("get", team.ids["retry"])["effectiveness"] == pytest.approx(0.95)
    assert team("get", team.ids["retry"], "--as-of", f"@{done['seq'] - 1}")["effectiveness"] == pytest.approx(0.6)
    (event,) = team("log", "--type", "constants_adopted")["events"]
    assert (event["data"]["reason"], event["data"]["evaluation"]) == ("tuned", {"better": True})


def test_a_timeline_has_a_bar_and_a_line_for_each_interval(team):
    team("supersede", team.ids["owner"], "Mara owns the search index.", "--reason", "new job")
    shown = team.text("timeline", team.ids["owner"])
    assert shown.count("=") > 10
    assert "superseded by" in shown
    assert "new job" in shown
    assert "└ " in shown
    found = team("timeline", team.ids["owner"])
    assert [one["depth"] for one in found["beliefs"]] == [0, 1]
    assert "Nothing was ever believed" in team.text("timeline", "-t", "nothing")


def test_a_diff_lists_what_changed(team):
    team("forget", team.ids["flags"], "--reason", "moved to the wiki")
    shown = team.text("diff", "@5")
    assert "forgotten: moved to the wiki" in shown
    assert "Nothing changed." in team.text("diff", "@5", "@5")
