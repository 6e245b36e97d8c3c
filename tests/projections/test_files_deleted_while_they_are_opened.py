"""Generations that another process publishes may delete what this one has checked and is about to open."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.projections import saved


@pytest.fixture
def folder(tmp_path):
    with Memory(tmp_path / "store", embedder="static") as memory:
        memory.store("The parser cache lives in /var/tmp/parser.")
        assert memory.catalog.publish()
    return tmp_path / "store"


def publishing(folder, times):
    """`Table.mapped`, before which another handle has published so many generations."""
    real, left = saved.Table.mapped, [times]

    def mapped(*arguments):
        while left[0]:
            left[0] -= 1
            with Memory(folder, create=False, embedder="static") as other:
                other.store(f"Note {left[0]} of another process.")
                assert other.catalog.publish()
        return real(*arguments)

    return mapped


def test_the_newer_generation_is_opened_instead(folder, monkeypatch):
    monkeypatch.setattr(saved.Table, "mapped", publishing(folder, 3))
    with Memory(folder, create=False, embedder="static") as memory:
        assert memory.count().count == 4
        assert memory.catalog.published == memory.eventlog.head.seq


def test_where_there_is_no_newer_one_the_log_is_folded(folder, monkeypatch):
    def mapped(*_):
        raise FileNotFoundError("texts.npy")

    monkeypatch.setattr(saved.Table, "mapped", mapped)
    with Memory(folder, create=False, embedder="static") as memory:
        assert memory.count().count == 1
