"""Shortcuts give what the long way gives."""

from __future__ import annotations

import pytest
from helixlog.commands import creating
from helixlog.commands.evidence import _describe
from helixlog.eventlog.events import MemoryStored, Scope, Vectors
from helixlog.projections.ledger.texts import forms_of, partition_of


def reversed_chain(memories):
    found = {}
    for old, successors in memories.successors.items():
        for new in successors:
            found.setdefault(new, set()).add(old)
    return found


def test_predecessors_are_the_successors_the_other_way_round(memory):
    ids = [memory.store(f"text {number}").id for number in range(8)]
    memories = memory.view().beliefs.memories

    def check():
        kept = memory.view().beliefs.memories
        assert {new: old for new, old in kept.predecessors.items() if old} == reversed_chain(kept)

    assert memories.predecessors == {}
    memory.supersede(ids[0], by=ids[1])
    check()
    memory.supersede(ids[2], by=ids[1])
    memory.supersede(ids[1], by=ids[3])
    check()
    memory.restore(ids[0])
    check()
    memory.restore(ids[2])
    memory.merge(ids[2], ids[4])
    memory.supersede(ids[4], by=ids[5])
    memory.restore(ids[2])
    memory.split(ids[4])
    check()
    memory.supersede(ids[6], by=ids[7])
    memory.restore(ids[6])
    memory.merge(ids[6], ids[7])
    check()
    memory.rebuild()
    check()
    assert memory.get(ids[3]).supersedes == (ids[1],)


def test_a_form_with_vectors_of_another_embedder_is_no_repeat(open_memory):
    memory = open_memory("static", embedder="static")
    memory.store("Llamas eat hay")
    vectors = {name: Vectors(fingerprint=name, dims=1, rows=(b"\0\x3c",)) for name in ("static", "other")}
    known = memory.view().beliefs.fingerprint
    vectors[known] = Vectors(fingerprint=known, dims=1, rows=(b"\0\x3c",))
    batch = [MemoryStored(text="Llamas eat hay", vectors=vectors[name]) for name in (known, "other", "other")]
    assert [one.new.repeat for one in _describe(memory.catalog, batch)] == [True, False, True]


def test_every_repeat_counts_and_the_first_few_are_listed(open_memory):
    memory = open_memory("static", embedder="static")
    seqs = [memory.store("Llamas eat hay").seq for _ in range(40)]
    evidence = memory.event(seqs[-1]).event.evidence
    assert (evidence.exact, evidence.exact_total) == (tuple(seqs[:32]), 39)


def test_forms_tell_partitions_titles_and_dates_apart():
    said = [{}, {"title": "t"}, {"observed_at": 1}, {"scope": Scope(project="p")}]
    events = [MemoryStored(text=" Llamas  eat hay", **one) for one in said]
    forms = [forms_of(event, partition_of(event.scope, None)) for event in events]
    assert len({form for _, form, _ in forms}) == 4
    assert len({exact for exact, _, _ in forms}) == 2
    assert {length for *_, length in forms} == {14}
    assert forms[0][:2] == (forms[0][0], forms[0][0])


def test_the_key_of_an_embedder_reaches_it_when_a_store_is_made(tmp_path, monkeypatch):
    given = []

    class Stop(Exception):
        pass

    def load(_name, *, api_key=None):
        given.append(api_key)
        raise Stop

    monkeypatch.setattr(creating, "load", load)
    with pytest.raises(Stop):
        creating.open_log(
            tmp_path / "s", create=True, read_only=False, embedder="openai:m", clock=lambda: 1, api_key="secret"
        )
    assert given == ["secret"]
