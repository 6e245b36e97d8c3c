"""To embed a query may take long; what another process took away meanwhile is in no answer."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("verb", ["erase", "forget"])
def test_what_was_taken_away_while_the_query_was_embedded_is_not_shown(memory, open_memory, told, monkeypatch, verb):
    gone, kept = (memory.store(told.at(text, 0.9)).id for text in ("The crane lifts", "Sand is wet"))
    assert {one.id for one in memory.recall("anything", hops=0).results} == {gone, kept}
    other, embed = open_memory(), memory.embed_query

    def slow(*asked):
        getattr(other, verb)(gone)
        return embed(*asked)

    monkeypatch.setattr(memory, "embed_query", slow)
    assert [one.id for one in memory.recall("anything", hops=0).results] == [kept]
