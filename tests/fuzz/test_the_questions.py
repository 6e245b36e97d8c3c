"""Questions, ids, points, times and filters of anything: an answer, or an error of our own."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from hypothesis import strategies as st
from trials import ROUNDS, survive, values, words


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory(tmp_path_factory.mktemp("fuzz") / "store", embedder="static") as opened:
        for text in ("The shop closes at nine", "Deploys are on Mondays", "明天讨论数据库迁移"):
            opened.store(text, tags=["ops"])
        yield opened


@ROUNDS
def test_a_query(memory, rounds):
    assert survive(memory.recall, words, rounds)[0]
    survive(memory.explain, words, rounds)


@ROUNDS
@pytest.mark.parametrize(
    "option",
    ["as_of", "valid_at", "kind", "project", "user", "limit", "hops", "min_relevance", "tags", "suppress", "goal"],
)
def test_an_option_of_a_query(memory, rounds, option):
    survive(lambda value: memory.recall("when does the shop close", **{option: value}), values, rounds)


@ROUNDS
@pytest.mark.parametrize(
    "verb", ["get", "history", "neighbors", "lineage", "forget", "restore", "reinforce", "erase", "split"]
)
def test_an_id(memory, rounds, verb):
    survive(getattr(memory, verb), words.filter(lambda one: not one.strip().startswith("0")), rounds)


@ROUNDS
@pytest.mark.parametrize("option", ["cursor", "state", "order", "limit", "entity", "tags", "as_of"])
def test_an_option_of_a_list(memory, rounds, option):
    survive(lambda value: memory.list(**{option: value}), values, rounds)


@ROUNDS
@pytest.mark.parametrize(
    "option",
    [
        "title",
        "kind",
        "tags",
        "entities",
        "metadata",
        "source",
        "lines",
        "confidence",
        "valid_from",
        "expires_at",
        "salience",
        "key",
    ],
)
def test_an_option_of_a_new_text(memory, rounds, option):
    survive(lambda value: memory.store("The invoice is due", **{option: value}), values, min(rounds, 300))


@ROUNDS
def test_a_new_text(memory, rounds):
    assert survive(memory.store, words, min(rounds, 500))[0]
    assert memory.verify().ok


@ROUNDS
def test_a_context(memory, rounds):
    first = memory.list(limit=1).memories[0].id
    survive(lambda text: memory.feedback(outcome="delivered", ids=[first], context=text), words, min(rounds, 500))


@ROUNDS
def test_an_option_of_the_log(memory, rounds):
    for option in ("since", "until", "after", "type", "id", "limit"):
        survive(lambda value, option=option: memory.log(**{option: value}), st.one_of(words, values), rounds)
