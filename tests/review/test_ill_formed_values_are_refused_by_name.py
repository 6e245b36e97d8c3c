"""What cannot be stored or read is refused with InvalidInput or NotFound, never with an error of a library."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.errors import InvalidInput, NotFound
from helixlog.eventlog.events import Prior, Relation

DIGITS = "9" * 5_000

STORED = {
    "uses beyond 32 bits": {"prior": Prior(effectiveness=0.5, uses=3_000_000_000)},
    "prior that is a dict": {"prior": {"effectiveness": 0.5}},
    "relation of one word": {"relations": [("extends",)]},
    "relation that is a string": {"relations": ["no"]},
    "metadata that is a list": {"metadata": ["a"]},
    "tags that are a number": {"tags": 5},
    "sources that are one string": {"derived_from": "abc"},
    "file name with a NUL": {"file": "a\0b"},
    "file that is a folder": {"file": "/"},
    "lines with many digits": {"file": __file__, "lines": DIGITS},
    "source that is a number": {"source": 5},
    "age with many digits": {"observed_at": f"{DIGITS}d"},
    "time that is a float": {"observed_at": 1.5},
}


@pytest.mark.parametrize("values", STORED.values(), ids=STORED)
def test_store_refuses(memory, values):
    head = memory.eventlog.head
    with pytest.raises(InvalidInput):
        memory.store("a text", **values)
    assert memory.eventlog.head == head


@pytest.mark.parametrize("confidence", [float("nan"), 7.0, -0.1])
def test_the_confidence_of_a_relation_is_a_share(memory, confidence):
    target = memory.store("a text").id
    with pytest.raises(InvalidInput):
        memory.store("another", relations=[Relation(relation="extends", target=target, confidence=confidence)])


RECALLED = {
    "user that is a list": {"user": ["bob"]},
    "unknown channel": {"channel": "radio"},
    "half a surrogate pair in the goal": {"goal": "\ud800"},
    "ids that are one string": {"suppress": "abc"},
    "half a surrogate pair in an id": {"suppress": ["\ud800"]},
    "age with many digits": {"as_of": f"{DIGITS}d"},
    "time that is a float": {"as_of": 1.5},
}


@pytest.mark.parametrize("values", RECALLED.values(), ids=RECALLED)
def test_recall_refuses(memory, values):
    with pytest.raises(InvalidInput):
        memory.recall("text", **values)


@pytest.mark.parametrize("recall_id", ["\ud800", 5, ""])
def test_feedback_finds_no_recall_under_what_is_no_id(memory, recall_id):
    with pytest.raises(NotFound):
        memory.feedback(recall_id, outcome="delivered")


def test_metadata_may_be_empty_strings(memory):
    stored = memory.store("a text", metadata={"note": "", "zero": 0, "no": False})
    assert memory.get(stored.id).metadata == {"note": "", "zero": 0, "no": False}


@pytest.mark.parametrize("path", ["", " ", "a\0b", "~nobody-of-this-name/x"])
def test_a_store_is_not_made_where_no_folder_is_named(monkeypatch, tmp_path, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput):
        Memory(path, embedder="none")
    assert not any(tmp_path.iterdir())
