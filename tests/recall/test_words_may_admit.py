"""Far from the query in meaning, a text is shown only where its words are strong evidence."""

from __future__ import annotations

import pytest

NOISE = [f"The weather in town {number} was noted by the harbour office" for number in range(30)]


@pytest.fixture
def filled(memory, told, store_all):
    store_all([told.at(text, 0.1) for text in NOISE])
    memory.store(told.at("The pool gave ECONNREFUSED at noon", 0.05))
    memory.store(told.at("See src/net/pool.ts for the retry", 0.05))
    return memory


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ECONNREFUSED", "The pool gave ECONNREFUSED at noon"),
        ("why does the harbour office report ECONNREFUSED in every town", "The pool gave ECONNREFUSED at noon"),
        ("what is in pool.ts", "See src/net/pool.ts for the retry"),
        ("src/net/pool.ts", "See src/net/pool.ts for the retry"),
    ],
)
def test_a_rare_exact_word_admits(shown, words, found):
    assert shown(words)[0] == found
    assert not set(shown(words, limit=50)) & set(NOISE)


@pytest.mark.usefixtures("filled")
def test_a_common_word_beside_a_rare_one_admits_nothing(shown):
    assert shown("office ECONNREFUSED", limit=50) == ["The pool gave ECONNREFUSED at noon"]


def test_the_gate_can_be_closed_to_words(filled):
    closed = filled.view().beliefs.constants.altered({"keyword_admission": False})
    assert filled.recall("ECONNREFUSED", constants=closed).results == ()


def test_below_the_relevance_asked_for_words_still_admit(filled, told, shown):
    filled.store(told.at("Lighthouse keepers sleep by day", 0.5))
    assert shown("asleep") == ["Lighthouse keepers sleep by day"]
    assert shown("asleep", min_relevance=0.6) == []
    assert shown("lighthouse keepers", min_relevance=0.6) == ["Lighthouse keepers sleep by day"]


@pytest.mark.usefixtures("filled")
def test_a_text_without_a_vector_is_found_by_its_words(memory, shown):
    stored = memory.store("... Zanzibar ...")
    assert any("without a vector" in warning for warning in stored.warnings)
    assert shown("Zanzibar") == ["... Zanzibar ..."]


def test_how_rare_an_identifier_must_be_is_a_constant(filled, told, store_all):
    """On its own it carries less than half of the query's weight, and two of 34 texts have it."""
    store_all([told.at(f"Port {number} is closed by E1841", 0.05) for number in ("A", "B")])
    words = "when will the lighthouse keeper Ferdinand look at E1841"
    assert filled.recall(words, hops=0, record=False).results == ()
    wide = filled.view().beliefs.constants.altered({"rare_share": 0.1})
    assert len(filled.recall(words, hops=0, constants=wide).results) == 2
