"""A rebuild of a large store writes the tantivy index that its keyword searches then use; a small one does without."""

from __future__ import annotations

from helixlog.commands.memory import Memory
from helixlog.projections.text.accelerator import TREE, Threshold
from helixlog.projections.text.index import TextIndex


def trees(folder) -> list:
    return list((folder / "projections").glob(f"{TextIndex.name}-v*/*/{TREE}"))


def filled(folder) -> Memory:
    memory = Memory(folder, embedder="static")
    for number in range(12):
        memory.store(f"Depot {number} ships crate {number * 11} on time.")
    return memory


def test_a_rebuild_of_a_large_store_writes_it_and_answers_the_same(tmp_path, monkeypatch):
    with filled(tmp_path) as memory:
        before = memory.recall("crate on time", record=False).results
        monkeypatch.setattr(TextIndex, "accelerated_from", Threshold(documents=10, postings=1))
        monkeypatch.setattr("helixlog.projections.text.index.INDEXED_FROM", 10)
        memory.rebuild()
        assert trees(tmp_path)
        assert memory.recall("crate on time", record=False).results == before


def test_a_small_store_does_without(tmp_path):
    with filled(tmp_path) as memory:
        memory.rebuild()
        assert not trees(tmp_path)
