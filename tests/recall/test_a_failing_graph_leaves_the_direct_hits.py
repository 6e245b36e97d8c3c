"""Where the graph cannot be read, recall gives what it found without it, and says so."""

from __future__ import annotations

import pytest
from helixlog.errors import Corrupted
from helixlog.projections.graph.edges import Graph

FAILURES = [
    IndexError("row 9 of 3"),
    KeyError("weight"),
    ValueError("not a table"),
    Corrupted("torn", remedy="rebuild"),
]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_direct_hits_are_given_without_the_graph(memory, told, monkeypatch, failure, weight):
    ids = [memory.store(told.at(text, cosine)).id for text, cosine in (("The crane lifts", 0.9), ("Sand is wet", 0.0))]
    memory.link(*ids)
    constants = memory.view().beliefs.constants.altered({"relation_weight": weight})
    whole = memory.recall("anything", constants=constants)
    assert ([one.hop for one in whole.results], whole.degraded) == ([0, 1], None)

    def fail(*_):
        raise failure

    monkeypatch.setattr(Graph, "settle", fail)
    found = memory.recall("anything", constants=constants)
    assert [one.id for one in found.results] == ids[:1]
    assert "the graph could not be read" in found.degraded


def test_rows_that_lead_out_of_the_store_are_such_a_failure(memory, told):
    ids = [memory.store(told.at(text, cosine)).id for text, cosine in (("The crane lifts", 0.9), ("Sand is wet", 0.0))]
    memory.link(*ids)
    memory.view().beliefs.graph.table["target"][0] = 10**6
    found = memory.recall("anything", record=False)
    assert ([one.id for one in found.results], found.degraded is None) == (ids[:1], False)


def test_any_other_error_is_not_hidden(memory, told, monkeypatch):
    memory.store(told.at("The crane lifts steel", 0.9))
    monkeypatch.setattr(Graph, "settle", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        memory.recall("anything", record=False)
