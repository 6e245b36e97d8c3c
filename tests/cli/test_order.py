import pytest


def test_merge_and_split_undo_each_other(team):
    merged = team("merge", team.ids["retry"], team.ids["alerts"], "--reason", "one matter")
    assert (merged["id"], merged["merged_from"]) == (team.ids["retry"], [team.ids["alerts"]])
    split = team("split", team.ids["alerts"])
    assert (split["id"], split["split_from"]) == (team.ids["alerts"], team.ids["retry"])
    assert "merged" in team.text("merge", team.ids["retry"], team.ids["alerts"])
    assert "split" in team.text("split", team.ids["alerts"])


def test_forget_hides_and_restore_brings_back(team):
    assert team("forget", team.ids["retry"], "--reason", "gone")["state"] == "forgotten"
    assert team.ids["retry"] not in [one["id"] for one in team("recall", "failed charge")["results"]]
    assert team.error("forget", team.ids["retry"], code=4)["code"] == "conflict"
    assert team("restore", team.ids["retry"])["state"] == "live"
    assert team.error("restore", team.ids["retry"], code=4)["code"] == "conflict"
    assert "forgotten" in team.text("forget", team.ids["retry"])
    assert "restored" in team.text("restore", team.ids["retry"])


def test_link_is_seen_by_neighbors_and_taken_back(team):
    team("link", team.ids["retry"], team.ids["owner"], "--relation", "led_to", "--weight", "0.5")
    found = team("neighbors", team.ids["retry"], "--relation", "led_to")
    assert [(one["id"], one["weight"]) for one in found["neighbors"]] == [(team.ids["owner"], 0.5)]
    assert "led_to →" in team.text("neighbors", team.ids["retry"])
    assert len(team("unlink", team.ids["retry"], team.ids["owner"])["removed"]) == 1
    assert team.error("unlink", team.ids["retry"], team.ids["owner"], code=3)["code"] == "not_found"
    assert "linked" in team.text("link", team.ids["retry"], "entity:Billing")
    assert "unlinked" in team.text("unlink", team.ids["retry"], "entity:Billing")


def test_lineage_goes_both_ways(team):
    team("link", team.ids["alerts"], team.ids["retry"], "--relation", "led_to")
    team("link", team.ids["retry"], team.ids["flags"], "--relation", "led_to")
    hops = {one["id"]: one["hop"] for one in team("lineage", team.ids["retry"])["nodes"]}
    assert hops == {team.ids["alerts"]: -1, team.ids["retry"]: 0, team.ids["flags"]: 1}
    assert "here" in team.text("lineage", team.ids["retry"], "--hops", "1")


@pytest.mark.parametrize("verb", ["decay", "prune", "expire"])
def test_a_dry_run_records_nothing(team, verb):
    head = team("log")["head"]
    assert team(verb, "--dry-run")["seq"] is None
    assert "nothing recorded" in team.text(verb, "--dry-run")
    assert team("log")["head"] == head
    assert team(verb)["seq"] == head + 1
    assert f"@{head + 2}" in team.text(verb)


def test_decay_reports_what_time_took_off(team):
    team("feedback", "--id", team.ids["retry"], "--outcome", "delivered")
    done = team("--now", "2100-01-01", "decay", "--dry-run")
    assert [one["id"] for one in done["settled"]] == [team.ids["retry"]]
    assert "60%" in team.text("--now", "2100-01-01", "decay", "--dry-run")


def test_prune_hides_what_failed_and_recall_deep_finds_it(team):
    for _ in range(5):
        team("feedback", "--id", team.ids["retry"], "--outcome", "blocked")
    assert [one["id"] for one in team("prune", "--dry-run")["hidden"]] == [team.ids["retry"]]
    assert team.ids["retry"] in team.text("prune")
    assert team.ids["retry"] not in [one["id"] for one in team("recall", "failed charge")["results"]]
    assert team.ids["retry"] in [one["id"] for one in team("recall", "failed charge", "--deep")["results"]]


def test_expire_names_what_is_over(cli):
    stored = cli("store", "The sale ends soon.", "--expires", "1d")
    assert [one["id"] for one in cli("expire", "--dry-run", "--now", "2100-01-01")["expired"]] == [stored["id"]]
    assert stored["id"] in cli.text("expire", "--dry-run", "--now", "2100-01-01")
