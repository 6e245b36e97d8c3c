"""Where nothing fits the answer is empty and says why; it is never filled up."""

from __future__ import annotations

import pytest


def why(memory, words="anything", **options):
    answer = memory.recall(words, record=False, **options)
    assert (answer.results == ()) == (answer.empty_reason is not None)
    return answer.empty_reason


def test_an_empty_store(memory):
    assert why(memory) == "empty_store"


def test_nothing_that_the_asker_may_see_holds(memory, told):
    stored = memory.store(told.at("The crane lifts steel", 0.9), user="bob")
    assert why(memory, user="bob") is None
    memory.forget(stored.id, user="bob")
    assert why(memory, user="bob") == "nothing_visible"


def test_what_others_keep_is_told_from_an_empty_store_by_nobody(memory, told):
    assert (why(memory), why(memory, user="eve")) == ("empty_store", "empty_store")
    stored = memory.store(told.at("The crane lifts steel", 0.9), user="bob")
    assert (why(memory), why(memory, user="eve")) == ("empty_store", "empty_store")
    memory.forget(stored.id, user="bob")
    assert (why(memory), why(memory, user="eve", kind="episode")) == ("empty_store", "empty_store")


@pytest.mark.parametrize("filters", [{"kind": "episode"}, {"tags": ["red"]}, {"project": "ship"}, {"valid_at": 1}])
def test_the_filters_leave_nothing(memory, told, filters):
    memory.store(told.at("The crane lifts steel", 0.9))
    assert why(memory, **filters) == "nothing_left_by_filters"


def test_nothing_is_relevant(memory, told):
    memory.store(told.at("The crane lifts steel", 0.34))
    assert why(memory) == "nothing_relevant"
    assert why(memory, min_relevance=0.3) is None


def test_before_the_genesis_there_is_an_empty_store(memory, told):
    memory.store(told.at("The crane lifts steel", 0.9))
    assert why(memory, as_of="2001-01-01") == "empty_store"
    assert why(memory, as_of="@1") == "empty_store"
