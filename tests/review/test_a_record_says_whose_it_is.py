"""Scope and origin of a memory are those of its first text, by which it is filtered, whichever text leads."""

from __future__ import annotations


def test_the_record_has_the_scope_that_filters_find_it_by(memory):
    root = memory.store("the same words", session="s1", agent="a1").id
    assert memory.store("the same words", session="s2", agent="a2", origin="imported").id == root
    record = memory.get(root)
    assert (record.scope.session, record.scope.agent, record.origin) == ("s1", "a1", "normal")
    assert [one.id for one in memory.recall("words", session="s1", record=False).results] == [root]
