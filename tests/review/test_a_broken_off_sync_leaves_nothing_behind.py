"""An interrupt in the middle of a catch-up (Ctrl-C in a notebook) costs that call, and no later one."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev
from helixlog.projections import beliefs


def test_the_next_call_answers_as_if_nothing_had_happened(open_memory, monkeypatch):
    writer, reader = open_memory(), open_memory()
    writer.store("one thing")
    assert reader.count().count == 1
    writer.store("another thing")
    writer.forget(writer.store("a thing to forget").id)
    writer.store("a later thing")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setitem(beliefs.RULES, ev.MemoryForgotten, interrupted)
        with pytest.raises(KeyboardInterrupt):
            reader.recall("thing", record=False)
    assert reader.catalog.digests() == writer.catalog.digests()
    assert len(reader.recall("thing", record=False).results) == 3
