def test_get_takes_the_beginning_of_an_id(team):
    assert team("get", team.ids["retry"][:22])["id"] == team.ids["retry"]
    text = team.text("get", team.ids["owner"])
    assert "Jonas owns the search index." in text
    assert "never yet" in text


def test_get_of_an_ambiguous_or_unknown_id(team):
    assert team.error("get", team.ids["retry"][:4], code=2)["code"] == "ambiguous_id"
    assert team.error("get", "zzzzzzzz", code=3)["code"] == "not_found"


def test_list_goes_page_by_page(team):
    seen, cursor = [], []
    while True:
        page = team("list", "-n", "3", *cursor)
        seen += [one["id"] for one in page["memories"]]
        if page["next"] is None:
            break
        cursor = ["--cursor", page["next"]]
    assert seen == list(reversed(team.ids.values()))
    assert "more: --cursor" in team.text("list", "-n", "3")


def test_list_filters_by_state_kind_tag_and_entity(team):
    team("forget", team.ids["retry"])
    assert [one["id"] for one in team("list", "--state", "forgotten")["memories"]] == [team.ids["retry"]]
    assert [one["id"] for one in team("list", "-t", "billing")["memories"]] == [team.ids["alerts"]]
    assert [one["id"] for one in team("list", "--entity", "jonas")["memories"]] == [team.ids["owner"]]
    assert "No memory fits" in team.text("list", "--kind", "nothing")


def test_history_has_effectiveness_after_every_event(team):
    team("feedback", "--id", team.ids["retry"], "--outcome", "delivered")
    done = team("history", team.ids["retry"])
    assert [(one["type"], round(one["effectiveness"], 3)) for one in done["events"]] == [
        ("memory_stored", 0.5),
        ("feedback_given", 0.6),
    ]
    assert "feedback_given" in team.text("history", team.ids["retry"])


def test_log_is_filtered(team):
    team("forget", team.ids["retry"])
    assert [one["type"] for one in team("log", "-n", "2")["events"]] == ["memory_stored", "memory_forgotten"]
    assert len(team("log", "--type", "memory_stored")["events"]) == 4
    assert len(team("log", "--id", team.ids["retry"])["events"]) == 2
    assert [one["seq"] for one in team("log", "--after", "1", "-n", "2")["events"]] == [2, 3]
    assert "head @6" in team.text("log")
    assert "No event fits" in team.text("log", "--type", "prune_ticked")


def test_count_by_state(team):
    team("forget", team.ids["retry"])
    counted = team("count")
    assert (counted["count"], counted["by_state"]["forgotten"]) == (3, 1)
    assert "forgotten" in team.text("count")


def test_stats_are_plots(team):
    team("feedback", "--id", team.ids["retry"], "--outcome", "delivered")
    assert team("stats")["memories"] == 4
    text = team.text("stats")
    assert "events of the log" in text
    assert "####" in text


def test_health_names_the_commonest_of_many_tags(cli):
    for number in range(15):
        cli("store", f"Shelf {number} holds jars.", "--tag", "jars", "--tag", f"shelf-{number:02}")
    text = " ".join(cli.text("health").split())
    assert "jars 15, shelf-00 1," in text
    assert "shelf-10 1, and 4 more" in text
    assert len(cli("health")["by_tag"]) == 16


def test_health_names_every_part(team):
    found = team("health")
    assert {one["name"] for one in found["checks"]} >= {"log", "embedder", "projections"}
    assert found["status"] in team.text("health")


def test_constants_have_unit_range_and_meaning(team):
    names = {one["name"]: one for one in team("constants")["constants"]}
    assert names["rrf_k"]["value"] == 60
    assert names["rrf_k"]["unit"] == "rank"
    assert "rrf_k" in team.text("constants")
