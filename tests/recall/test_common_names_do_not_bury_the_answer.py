"""A tag that half of the store carries is a word like any other, not a name that the query asks for."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.commands.memory import Memory
from helixlog.recall.candidates import uncommon

ANSWER = "The text of the release notes is written on Thursday by Mara."


def filled(path, embedder="static", tag="text") -> Memory:
    memory = Memory(path, embedder=embedder)
    memory.store(ANSWER)
    for number in range(60):
        memory.store(f"Chapter {number} speaks of weather station {number * 7}.", tags=[tag])
    return memory


def test_what_is_asked_for_word_for_word_comes_first(tmp_path):
    with filled(tmp_path) as memory:
        assert memory.recall(ANSWER, record=False).results[0].text == ANSWER


def test_a_query_that_is_the_name_finds_its_carriers(tmp_path):
    with filled(tmp_path) as memory:
        assert memory.recall("text", record=False, limit=50).results[-1].tags == ("text",)


def test_a_common_name_counts_where_nothing_else_fits(tmp_path):
    with filled(tmp_path, embedder="none", tag="meteo") as memory:
        found = memory.recall("meteo readings wanted today", record=False, limit=100).results
        assert {result.tags for result in found} == {("meteo",)}
        assert len(found) == 60


@pytest.mark.parametrize(
    ("visible", "most"), [(0, 10), (60, 10), (109, 10), (110, 11), (300, 30), (499, 49), (500, 50), (9_000, 50)]
)
def test_a_name_is_common_beyond_a_tenth_of_what_is_visible_but_from_ten_to_fifty(visible, most):
    allowed = np.arange(10_000) < visible
    assert [uncommon(carriers, allowed) for carriers in range(1_000)] == [carriers <= most for carriers in range(1_000)]
