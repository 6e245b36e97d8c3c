"""score = rrf x (.5 + .5 adjusted) x recency x (1 + min(.10, .02 velocity)), worked out here by hand."""

from __future__ import annotations

import pytest


@pytest.fixture
def three(memory, told):
    """By vector: first, second; by keyword: second, third; by name: third."""
    texts = (("Cranes lift steel", 0.9), ("A lighthouse for ships", 0.7), ("The lighthouse was sold", 0.1))
    ids = [memory.store(told.at(text, cosine)).id for text, cosine in texts[:2]]
    return [*ids, memory.store(told.at(*texts[2]), entities=["lighthouse"]).id]


def by_id(memory, answer):
    return {memory.view().beliefs.texts.id_of(hit.root): hit for hit in answer.hits}


def test_fused_ranks_are_added_up_over_the_lists(memory, ask, three):
    answer = ask("lighthouse", limit=10)
    hits = by_id(memory, answer)
    first, second, third = (answer.ranks(hits[one]) for one in three)
    assert first == {"vector": 1}
    assert second == {"vector": 2, "keyword": second["keyword"]}
    assert third == {"keyword": third["keyword"], "entity": 1}
    assert {second["keyword"], third["keyword"]} == {1, 2}
    assert hits[three[0]].rrf == 1 / 61  # a list that does not hold it adds nothing
    assert hits[three[1]].rrf == pytest.approx(1 / 62 + 1 / (60 + second["keyword"]), abs=1e-15)
    assert hits[three[2]].rrf == pytest.approx(1 / 61 + 1 / (60 + third["keyword"]), abs=1e-15)
    assert all(hit.score == hit.rrf * 0.75 for hit in hits.values())


def test_weights_of_the_lists_are_constants(memory, three):
    weights = {"vector_weight": 2.0, "keyword_weight": 0.0, "entity_weight": 0.0, "rrf_k": 9.0}
    other = memory.view().beliefs.constants.altered(weights)
    found = memory.recall("lighthouse", constants=other, hops=0)
    assert found.counterfactual
    scores = {one.id: one.score for one in found.results}
    assert scores[three[0]] == pytest.approx(0.75 * 2 / 10)
    assert scores[three[1]] == pytest.approx(0.75 * 2 / 11)
    assert scores[three[2]] == 0.0


def score_of(ask, words="crane"):
    (hit,) = ask(words).hits
    return hit


@pytest.fixture
def one(memory, told):
    return memory.store(told.at("Cranes lift steel", 0.9), source="user").id


RRF = 2 / 61


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize(
    ("days", "factor"),
    [(0, 1.0), (0.99, 1.0), (1, 0.997), (10, 0.97), (49.5, 0.853), (50, 0.85), (1000, 0.85)],
)
def test_recency_falls_by_whole_days_to_its_floor(ask, clock, days, factor):
    clock.at(days)
    hit = score_of(ask)
    assert hit.recency == pytest.approx(factor, abs=1e-15)
    assert hit.score == pytest.approx(RRF * 0.75 * factor, abs=1e-15)


def test_an_outcome_lifts_effectiveness_and_velocity_and_refreshes(memory, ask, clock, one):
    clock.at(30)
    memory.feedback(ids=[one], outcome="delivered")
    hit = score_of(ask)
    assert (hit.effectiveness, hit.velocity, hit.recency_days) == (pytest.approx(0.6), 1, 0)
    assert hit.score == pytest.approx(RRF * (0.5 + 0.5 * 0.6) * 1.02, abs=1e-15)


def test_velocity_is_a_window_and_has_a_cap(memory, ask, clock, one):
    for _ in range(7):
        memory.feedback(ids=[one], outcome="partial")
    assert score_of(ask).activity == 1.10
    clock.at(13.9)
    assert score_of(ask).velocity == 7
    clock.at(14)
    assert (score_of(ask).velocity, score_of(ask).activity) == (0, 1.0)


def test_effectiveness_is_adjusted_by_how_often_it_was_a_cause(memory, ask, one):
    memory.feedback(ids=[one], outcome="delivered")
    for _ in range(3):
        memory.feedback(ids=[(one, 0.1)], outcome="delivered")
    hit = score_of(ask)
    assert hit.adjusted == pytest.approx(hit.effectiveness * 0.33)
    assert hit.score == pytest.approx(RRF * (0.5 + 0.5 * hit.adjusted) * 1.02, abs=1e-15)


def test_of_equals_the_newer_comes_first(memory, told, shown):
    texts = [f"Pier {number} is open" for number in range(5)]
    for text in texts:
        memory.store(told.at(text, 0.5, towards=1))
    assert shown("anything") == texts[::-1]
    assert shown("anything", limit=2) == texts[:2:-1]


def test_salience_lifts_only_where_it_has_a_weight(memory, told, shown):
    plain, salient = (told.at(f"Pier {name} is open", 0.5, towards=1) for name in ("One", "Two"))
    memory.store(salient, salience=1.0)
    memory.store(plain, salience=0.0)
    assert shown("anything") == [plain, salient]
    weighed = memory.view().beliefs.constants.altered({"salience_weight": 1.0})
    assert shown("anything", constants=weighed) == [salient, plain]
