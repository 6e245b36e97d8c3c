"""Faults that users of other memories reported, as inputs to this one, through its public face."""

from __future__ import annotations

import time

import numpy as np
import pytest
from helixlog.errors import EmbedderError, EmbedderMismatch

DISK = "Shelf is 36 inches wide. error: disk quota exceeded"
TYPED = (
    "error: disk",
    'shelf 36"',
    "note:",
    "C:\\temp",
    "https://example.org/a?b=1",
    "AND",
    "don't",
    "(",
    "*",
    '"',
    "-",
)


@pytest.fixture
def real(open_memory):
    return open_memory("real", embedder="static")


@pytest.fixture
def words_only(open_memory):
    return open_memory("words", embedder="none")


def texts(memory, query, **options):
    return [one.text for one in memory.recall(query, record=False, hops=0, **options).results]


@pytest.mark.parametrize("query", TYPED)
def test_what_people_type_is_never_a_query_language(words_only, query):
    words_only.store(DISK)
    found = texts(words_only, query)
    assert found == ([DISK] if query in TYPED[:2] else [])


@pytest.mark.parametrize("query", ["迁移", "数据库", "会議", "migration"])
def test_words_inside_a_run_of_characters_are_found(words_only, query):
    sentences = ("明天上午讨论数据库迁移方案", "今日は設計会議をした", "migration 计划 ready")
    for sentence in sentences:
        words_only.store(sentence)
    assert texts(words_only, query) == [sentence for sentence in sentences if query in sentence]


def test_bad_vectors_never_reach_a_score(memory, told, shown):
    good = [told.at(text, cosine) for text, cosine in (("one pier", 0.5), ("two piers", 0.7), ("three piers", 0.9))]
    memory.store("...")
    told.rows["###"] = np.full((1, 8), np.nan, np.float32)
    with pytest.raises(EmbedderError):
        memory.store("###")
    for text in good:
        memory.store(text)
    assert shown("anything") == good[::-1]
    assert shown("...") == good[::-1]


def test_vectors_of_two_embedders_are_never_mixed(open_memory, memory, told):
    for number in range(5):
        memory.store(told.at(f"Pier {number} is open", 0.9))
    head = memory.eventlog.head
    other = open_memory("store", embedder=type(told)("another"))
    with pytest.raises(EmbedderMismatch, match=r"told-.*another-"):
        other.recall("anything")
    assert memory.eventlog.head == head


def test_the_last_sentence_of_a_long_text_is_found_by_meaning(open_memory):
    """The text is four windows long; but for its last sentence no window of it has to do with the question."""
    memory = open_memory("long", embedder="minilm")
    filler = " ".join(f"In week {week} the weather was mild and the river stood low." for week in range(60))
    long = f"{filler} The archive key is kept by the night librarian."
    for text in (long, filler, "Bread is baked before sunrise"):
        memory.store(text)
    by_meaning = {one.text: one.relevance for one in memory.recall("who has the key to the archive at night").results}
    assert list(by_meaning) == [long]
    assert by_meaning[long] > memory.view().beliefs.constants.threshold(memory.view().beliefs.fingerprint).min_relevance
    assert texts(memory, "night librarian") == [long]


PAIRS = (
    ("Code freeze starts on 15 October", "Code freeze starts on 16 October", "16 October"),
    ("The service needs Python 3.11", "The service needs Python 3.12", "Python 3.12"),
    ("Travel budget is 4,000 euro", "Travel budget is 40,000 euro", "40,000"),
    ("Ticket 1841 is fixed", "Ticket 1814 is fixed", "1814"),
    ("Direct pushes to main are allowed", "Direct pushes to main are not allowed", "pushes not allowed"),
    ("Direct pushes to main are never allowed", "Direct pushes to main are allowed", "pushes to main"),
    ("We use the old gateway", "We no longer use the old gateway", "no longer use the old gateway"),
    ("The suite is not slow", "The cache is not shared", "not shared"),
)


@pytest.mark.parametrize(("first", "second", "query"), PAIRS)
def test_facts_that_differ_in_one_word_are_both_kept(real, first, second, query):
    stored = [real.store(text) for text in (first, second)]
    assert [one.status for one in stored] == ["added", "added"]
    assert [real.get(one.id).text for one in stored] == [first, second]
    assert second in texts(real, query)
    assert not any(one.superseded for one in stored)


@pytest.fixture(params=["UTC", "Asia/Tokyo"])
def _zone(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_zone")
def test_a_time_without_a_zone_is_utc_whatever_the_machine_says(open_memory, told, clock):
    clock.now = 1_740_823_200_000_000_000  # 2025-03-01T10:00Z
    memory = open_memory()
    given = ("2025-03-01T10:00", "2025-03-01T10:00+09:00", "2025-03-01T10:00Z")
    ids = [
        memory.store(told.at(f"Pier {number} is open", 0.9), observed_at=when).id for number, when in enumerate(given)
    ]
    seen = [memory.get(one).observed_at for one in ids]
    assert seen == ["2025-03-01T10:00:00Z", "2025-03-01T01:00:00Z", "2025-03-01T10:00:00Z"]
    counts = [len(memory.recall("pier", as_of=when, record=False).results) for when in given]
    assert counts == [3, 0, 3]
