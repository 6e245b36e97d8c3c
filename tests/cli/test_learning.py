import pytest


def test_feedback_for_a_recall_lifts_what_was_used(team):
    recall_id = team("recall", "failed charge")["recall_id"]
    done = team("feedback", recall_id, "--outcome", "delivered", "--used", team.ids["retry"])
    change = {one["id"]: one for one in done["updated"]}
    assert change[team.ids["retry"]]["after"] == pytest.approx(0.6)
    assert change[team.ids["retry"]]["causal"]
    assert not change[team.ids["alerts"]]["causal"]
    assert {"id", "before", "after", "causal", "weight"} <= done["updated"][0].keys()


def test_feedback_by_id_takes_a_similarity(team):
    done = team("feedback", "--id", f"{team.ids['retry']}=0.1", "--id", team.ids["alerts"], "--outcome", "blocked")
    assert [one["causal"] for one in done["updated"]] == [False, True]


def test_feedback_measures_against_a_context(team):
    done = team(
        "feedback", "--id", team.ids["owner"], "--outcome", "delivered", "--context", "-", stdin="cooking pasta"
    )
    assert not done["updated"][0]["causal"]


def test_feedback_that_none_was_used(team):
    recall_id = team("recall", "failed charge")["recall_id"]
    done = team("feedback", recall_id, "--outcome", "delivered", "--none-used")
    assert not any(one["causal"] for one in done["updated"])


def test_a_malformed_similarity_is_a_usage_fault(team):
    assert team.error("feedback", "--id", "x=high", "--outcome", "delivered", code=2)["code"] == "usage"
    assert team.error("feedback", "--id", f"{team.ids['retry']}=7", "--outcome", "delivered", code=2)


def test_an_unknown_recall_is_not_found(team):
    assert team.error("feedback", "01zzzzzz", "--outcome", "delivered", code=3)["code"] == "not_found"


def test_an_unknown_outcome_is_refused(team):
    assert team.error("feedback", "--id", team.ids["retry"], "--outcome", "great", code=2)["code"] == "usage"


def test_feedback_shows_before_and_after(team):
    text = team.text("feedback", "--id", team.ids["retry"], "--outcome", "delivered")
    assert "50%" in text
    assert "60%" in text
    assert "+10.0" in text


def test_reinforce_counts(team):
    assert team("reinforce", team.ids["retry"], "--note", "in a review")["accesses"] == 1
    assert "used 2 times" in team.text("reinforce", team.ids["retry"])
