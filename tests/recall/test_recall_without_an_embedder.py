"""Without an embedder a store answers by words and names, with every filter in force; and says when one is missing."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def plain(open_memory):
    store = open_memory("plain", embedder="none")
    store.store("The crane lifts steel", tags=["red"], entities=["Lima"], project="ship")
    store.store("The crane was sold to Lima", user="bob")
    store.store("The crane rests on Sunday", kind="episode")
    return store


@pytest.mark.parametrize(
    ("words", "options", "found"),
    [
        ("crane", {}, {"The crane lifts steel", "The crane rests on Sunday"}),
        ("crane", {"kind": "episode"}, {"The crane rests on Sunday"}),
        ("crane", {"project": "ship"}, {"The crane lifts steel"}),
        ("crane", {"user": "bob"}, {"The crane was sold to Lima"}),
        ("lima", {}, {"The crane lifts steel"}),
        ("red", {"tags": ["red"]}, {"The crane lifts steel"}),
        ("crane", {"min_effectiveness": 0.6}, set()),
        ("crane", {"as_of": "@2"}, {"The crane lifts steel"}),
    ],
)
def test_words_and_names_find_under_every_filter(plain, words, options, found):
    answer = plain.recall(words, record=False, **options)
    assert {one.text for one in answer.results} == found
    assert all(one.relevance is None for one in answer.results)
    assert answer.degraded is None


def test_a_store_whose_embedder_is_not_installed_says_so_and_answers_by_words(open_memory, told):
    with open_memory("store") as memory:
        memory.store(told.at("The crane lifts steel", 0.9))
        memory.store(told.at("Ships wait", 0.9), entities=["Lima"])
    again = open_memory("store", embedder=None)
    answer = again.recall("crane", record=False, hops=0)
    assert [one.text for one in answer.results] == ["The crane lifts steel"]
    assert "words and names" in answer.degraded
    assert [one.text for one in again.recall("Lima", record=False, hops=0).results] == ["Ships wait"]


def test_a_query_without_a_direction_is_answered_by_words(memory, told, monkeypatch):
    memory.store(told.at("The crane lifts steel", 0.9))
    monkeypatch.setattr(told, "embed_query", lambda _: np.zeros(8, np.float32))
    assert [one.text for one in memory.recall("crane", record=False).results] == ["The crane lifts steel"]
    assert memory.recall("nothing of it", record=False).empty_reason == "nothing_relevant"
