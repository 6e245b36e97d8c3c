def test_recall_answers_with_ranked_memories(team):
    found = team("recall", "what happens when a charge fails?")
    assert found["results"][0]["id"] in (team.ids["retry"], team.ids["alerts"])
    assert found["recorded"]
    assert found["recall_id"]
    assert found["empty_reason"] is None
    assert {"seq", "time"} == found["as_of"].keys()


def test_absent_values_stay_in_the_answer(team):
    result = team("recall", "charge")["results"][0]
    assert result["title"] is None
    assert result["hop"] == 0
    assert result["provenance"]["derived_from"] == []
    assert result["provenance"]["file"] is None


def test_an_empty_recall_says_why_and_is_no_failure(team):
    found = team("recall", "zebras on the plain")
    assert (found["results"], found["empty_reason"]) == ([], "nothing_relevant")
    text = team.text("recall", "zebras on the plain")
    assert "Nothing found" in text
    assert "Try this" in text


def test_every_reason_of_an_empty_recall_is_put_in_words(cli):
    from helixlog.commands.cli.recalling import EMPTY

    cli("init")
    assert cli("recall", "anything")["empty_reason"] in EMPTY
    cli("store", "a lone fact about tea")
    assert cli("recall", "tea", "--kind", "nothing")["empty_reason"] in EMPTY
    assert cli("recall", "submarines")["empty_reason"] in EMPTY


def test_a_person_sees_rank_score_effectiveness_and_source(team):
    lines = team.text("recall", "what happens when a charge fails?").splitlines()
    assert lines[0].split()[0] == "1"
    assert "50%" in lines[0]
    assert "(from user, " in lines[2]
    assert lines[-1].startswith("recall ")


def test_a_hop_names_its_relation(team):
    team("link", team.ids["retry"], team.ids["owner"], "--relation", "led_to")
    hop = [one for one in team("recall", "retries of a failed charge")["results"] if one["hop"]]
    assert [(one["id"], one["relation"]) for one in hop] == [(team.ids["owner"], "led_to")]
    assert f"↳ led_to {team.ids['retry']}" in team.text("recall", "retries of a failed charge")


def test_the_past_is_asked_for_and_not_recorded(team):
    before = team("recall", "failed charge")
    team("store", "A failed charge is now refunded at once.")
    past = team("recall", "failed charge", "--as-of", f"@{before['as_of']['seq']}/{before['as_of']['time']}")
    assert [one["id"] for one in past["results"]] == [one["id"] for one in before["results"]]
    assert not past["recorded"]
    assert past["recall_id"] is None


def test_filters_narrow(team):
    assert [one["id"] for one in team("recall", "flags config", "--kind", "procedure")["results"]] == [
        team.ids["flags"]
    ]
    assert team.ids["retry"] not in [
        one["id"] for one in team("recall", "failed charge", "--suppress", team.ids["retry"])["results"]
    ]


def test_other_constants_make_a_counterfactual(team):
    found = team("recall", "failed charge", "--set", "hop_discount=0.5", "--set", "keyword_admission=false")
    assert found["counterfactual"]
    assert not found["recorded"]
    assert team.error("recall", "failed charge", "--set", "nonsense=1", code=2)["code"] == "invalid_input"
    assert team.error("recall", "failed charge", "--set", "nonsense", code=2)["code"] == "usage"


def test_nothing_is_recorded_when_asked_not_to(team):
    assert not team("recall", "failed charge", "--no-record")["recorded"]


def test_a_query_comes_from_standard_input(team):
    assert team("recall", "-", stdin="failed charge\n")["results"]


def test_explain_shows_every_factor(team):
    done = team("explain", "failed charge", "-n", "1")
    names = {factor["name"] for factor in done["results"][0]["factors"]}
    assert {"rrf", "effectiveness", "recency", "velocity"} <= names
    assert "recency" in team.text("explain", "failed charge")


def test_explain_runs_a_recall_again_by_the_beginning_of_its_id(team):
    recall_id = team("recall", "failed charge")["recall_id"]
    for asked in ([recall_id], ["--recall-id", recall_id]):
        done = team("explain", *asked)
        assert (done["recall_id"], done["same_order"]) == (recall_id, True)


def test_explain_says_why_a_memory_is_absent(team):
    assert team("explain", "failed charge", "--id", team.ids["owner"])["absent"]
    assert "Not among the results" in team.text("explain", "failed charge", "--id", team.ids["owner"])
