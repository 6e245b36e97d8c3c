import math

import pytest
from helixlog.errors import InvalidInput, NotFound
from helixlog.eventlog.events import Endpoint, MemoriesLinked


@pytest.fixture
def told(memory):
    """A store in which deploys were asked for and helped."""
    memory.texts = {
        "script": memory.store("The deploy script lives in tools/deploy.sh", entities=["deploy.sh"]).id,
        "failed": memory.store("The deploy script failed on Friday").id,
        "fruit": memory.store("Bananas are yellow fruit").id,
    }
    ends = {"source": Endpoint(id=memory.texts["script"]), "target": Endpoint(id=memory.texts["fruit"])}
    memory.append([MemoriesLinked(**ends, relation="led_to")])
    recalled = memory.recall("deploy script")
    memory.feedback(recalled.recall_id, outcome="delivered", used=[memory.texts["script"]])
    return memory


def product(result):
    return math.prod(factor.value for factor in result.factors if not factor.part)


def factor(result, name):
    return next(one for one in result.factors if one.name == name)


def test_the_factors_multiply_to_the_score_that_recall_gives(told):
    explained = told.explain("deploy script")
    recalled = told.recall("deploy script", record=False)
    assert [one.score for one in explained.results] == pytest.approx([one.score for one in recalled.results], rel=1e-9)
    assert [product(one) for one in explained.results] == pytest.approx([one.score for one in explained.results])


def test_every_factor_names_the_events_behind_it(told):
    best = told.explain("deploy script").results[0]
    feedback = told.log(type="feedback_given").events[0].seq
    assert best.id == told.texts["script"]
    for name in ("effectiveness", "recency", "velocity"):
        assert factor(best, name).events == (feedback,)
    assert factor(best, "cosine").events == (2,)
    assert {term["term"] for term in best.terms} == {"deploy", "script"}
    assert sum(term["contribution"] for term in best.terms) == pytest.approx(factor(best, "bm25").value)


def test_a_hop_names_its_edge_and_the_event_that_made_it(told):
    hop = next(one for one in told.explain("deploy script").results if one.hop)
    linked = told.log(type="memories_linked").events[0].seq
    assert (hop.id, hop.relation, hop.via) == (told.texts["fruit"], "led_to", told.texts["script"])
    assert factor(hop, "rrf").events == (linked,)
    assert "led_to" in factor(hop, "rrf").formula


def test_a_recorded_recall_run_again_at_its_point_gives_what_was_recorded(told):
    recalled = told.recall("deploy script", limit=2)
    told.feedback(recalled.recall_id, outcome="blocked")
    told.store("The deploy script was rewritten in Rust and lives elsewhere")
    explained = told.explain(recall_id=recalled.recall_id)
    assert explained.same_order is True
    assert [one.id for one in explained.results] == [one.id for one in recalled.results]
    assert [one.score for one in explained.results] == [one.score for one in recalled.results]
    assert explained.as_of == recalled.as_of


def test_the_filters_of_a_recorded_recall_are_kept(told):
    recalled = told.recall("deploy script", suppress=[told.texts["script"]], hops=0, min_relevance=0.1)
    explained = told.explain(recall_id=recalled.recall_id)
    assert explained.same_order is True
    assert told.texts["script"] not in {one.id for one in explained.results}


def test_why_a_memory_is_not_among_the_results(told):
    fruit = told.texts["fruit"]
    assert "no list admits it" in told.explain("deploy script", id=fruit, hops=0).absent
    assert "rank 2" in told.explain("deploy script", id=told.texts["failed"], limit=1, hops=0).absent
    assert "filters" in told.explain("deploy script", id=fruit, kind="preference").absent
    told.forget(fruit)
    assert told.explain("deploy script", id=fruit).absent == "it is forgotten"
    found = told.explain("deploy script", id=told.texts["script"])
    assert (found.absent, len(found.results)) == (None, 1)


def test_nothing_is_recorded(told):
    head = told.eventlog.head.seq
    told.explain("deploy script")
    assert told.eventlog.head.seq == head


def test_one_of_query_and_recall_is_asked_for(told):
    for arguments in ({}, {"query": "x", "recall_id": "y"}):
        with pytest.raises(InvalidInput):
            told.explain(**arguments)


def test_another_users_recall_and_memories_are_not_found(told):
    hidden = told.store("Bob's deploy script", user="bob")
    recalled = told.recall("deploy script", user="bob")
    with pytest.raises(NotFound):
        told.explain(recall_id=recalled.recall_id)
    with pytest.raises(NotFound):
        told.explain("deploy script", id=hidden.id)
    assert hidden.id in {one.id for one in told.explain(recall_id=recalled.recall_id, user="bob").results}
