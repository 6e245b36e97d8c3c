"""NDCG, MRR and the calibration error of small histories, by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from helixlog.replay.tuning.objectives import Judge


def judge(story, k=5):
    return Judge(story.evidence(), story.memory.view().beliefs.constants, k)


def measured(story, k=5):
    return judge(story, k).measure(story.memory.view().beliefs.constants)


def test_one_relevant_memory_gives_one_over_its_rank(story):
    """Nothing has been learned, so the ranks are those that were shown: newest first."""
    ids = story.store("The pump needs oil.", "The pump needs a seal.", "The pump needs a valve.")
    shown = [result.id for result in story.judge("pump", [ids[0]]).results]
    rank = shown.index(ids[0]) + 1
    assert rank == 3
    assert measured(story).mrr == pytest.approx([1 / 3])
    assert measured(story).ndcg == pytest.approx([1 / log2(4)])


def test_ndcg_looks_at_k_ranks(story):
    ids = story.store("The pump needs oil.", "The pump needs a seal.", "The pump needs a valve.")
    story.judge("pump", [ids[0]])
    assert measured(story, k=2).ndcg == pytest.approx([0.0])


def test_two_relevant_memories_share_the_ideal(story):
    ids = story.store("The pump needs oil.", "The pump needs a seal.", "The pump needs a valve.")
    story.judge("pump", [ids[2], ids[0]])
    assert measured(story).ndcg == pytest.approx([(1 + 1 / log2(4)) / (1 + 1 / log2(3))])
    assert measured(story).mrr == pytest.approx([1.0])


def test_ties_are_broken_as_recall_breaks_them(story):
    """With equal scores the newer memory is first, whatever the order in the arrays."""
    ids = story.store("The pump needs oil.", "The pump needs a seal.")
    story.judge("pump", [ids[1]])
    evidence = story.evidence()
    shown = evidence.showings
    backwards = shown.at(np.arange(len(shown.rrf))[::-1])
    for order in (shown, backwards):
        even = evidence._replace(showings=order._replace(rrf=np.full(2, 0.01)))
        held = story.memory.view().beliefs.constants
        assert Judge(even, held, 5).measure(held).mrr == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("used", "outcome"),
    [([], "delivered"), ([0, 1], "delivered"), ([0], "blocked"), ([0], "partial")],
    ids=["no cause", "nothing but causes", "a bad outcome", "a middling outcome"],
)
def test_a_recall_without_both_kinds_is_not_judged(story, used, outcome):
    ids = story.store("The pump needs oil.", "The pump needs a seal.")
    story.judge("pump", [ids[place] for place in used], outcome)
    assert len(judge(story).feedbacks("ndcg")) == 0


def test_what_the_feedback_says_nothing_of_is_left_out(story):
    """Without a word on use and without vectors nothing is known of any memory."""
    story.store("The pump needs oil.", "The pump needs a seal.")
    recalled = story.memory.recall("pump", hops=0)
    story.memory.feedback(recalled.recall_id, outcome="delivered")
    assert len(judge(story).feedbacks("ndcg")) == 0
    assert len(judge(story).feedbacks("calibration")) == 0


def test_two_feedbacks_on_one_recall_are_two_queries(story):
    ids = story.store("The pump needs oil.", "The pump needs a seal.")
    recalled = story.judge("pump", [ids[0]])
    story.memory.feedback(recalled.recall_id, outcome="delivered", used=[ids[1]])
    assert measured(story).mrr == pytest.approx([0.5, 1.0])


def test_the_calibration_error_is_the_squared_distance_to_the_next_outcome(story):
    (only,) = story.store("The pump needs oil.")
    for outcome in ("delivered", "partial"):
        story.memory.feedback(ids=[only], used=[only], outcome=outcome)
    assert measured(story).calibration == pytest.approx([(0.5 - 1.0) ** 2, (0.6 - 0.3) ** 2])


def test_a_feedback_with_many_causes_weighs_as_much_as_any(story):
    ids = story.store("The pump needs oil.", "The valve is new.")
    story.memory.feedback(ids=[ids[0]], used=[ids[0]], outcome="delivered")
    story.memory.feedback(ids=ids, used=ids, outcome="blocked")
    assert measured(story).calibration == pytest.approx([0.25, (0.6**2 + 0.5**2) / 2])


def test_measures_are_shares(pump):
    for values in measured(pump):
        assert len(values)
        assert ((values >= 0.0) & (values <= 1.0)).all()
