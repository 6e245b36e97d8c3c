"""An edge to another direct hit lifts a score by the relation weight, which is 0 unless it is set."""

from __future__ import annotations

import pytest

ONE, TWO, THREE = "Pier One is open", "Pier Two is open", "Pier Six is open"


@pytest.fixture
def piers(memory, told):
    return [memory.store(told.at(text, cosine)).id for text, cosine in ((ONE, 0.9), (TWO, 0.5), (THREE, 0.5))]


@pytest.fixture
def weighed(memory):
    return memory.view().beliefs.constants.altered({"relation_weight": 1.0})


def factors(memory, constants, text):
    results = memory.explain("anything", constants=constants).results
    found = next(one for one in results if one.text == text)
    return found.score, {one.name: one.value for one in found.factors if not one.part}


def test_the_tied_pass_the_others_once_ties_have_a_weight(memory, shown, piers, weighed):
    memory.link(piers[0], piers[1], weight=0.5)
    assert shown("anything") == [ONE, THREE, TWO]
    assert shown("anything", constants=weighed) == [ONE, TWO, THREE]


def test_without_a_weight_there_is_no_such_factor_and_with_one_it_is_explained(memory, piers, weighed):
    before = factors(memory, None, TWO)
    memory.link(piers[0], piers[1], weight=0.5)
    memory.link(piers[1], piers[2], weight=0.25)
    assert factors(memory, None, TWO) == before
    assert "relation" not in before[1]
    assert factors(memory, weighed, TWO)[1]["relation"] == 1.5
    assert factors(memory, weighed, THREE)[1]["relation"] == 1.25
    score, product = factors(memory, weighed, TWO)
    whole = 1.0
    for value in product.values():
        whole *= value
    assert score == pytest.approx(whole, abs=1e-15)


def test_a_hop_is_lifted_by_its_edge_to_a_direct_hit(memory, told, piers, weighed):
    far = memory.store(told.at("Sand is delivered on Monday", 0.0)).id
    memory.link(piers[0], far, weight=0.5)
    assert factors(memory, weighed, "Sand is delivered on Monday")[1]["relation"] == 1.5


def test_an_edge_to_what_is_hidden_or_no_direct_hit_lifts_nothing(memory, told, piers, weighed):
    hidden = memory.store(told.at("Pier Ten is open", 0.8)).id
    far = memory.store(told.at("Sand is delivered on Monday", 0.0)).id
    for other in (hidden, far):
        memory.link(piers[1], other)
    memory.forget(hidden)
    assert factors(memory, weighed, TWO)[1]["relation"] == 1.0
