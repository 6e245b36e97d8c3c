"""Every file of a store is 0600 and every folder 0700, whatever the umask says."""

from __future__ import annotations

import os
import stat

import pytest
from helixlog.commands.copying import restore_backup, restore_export
from helixlog.commands.memory import Memory


@pytest.fixture(params=[0o022, 0o000], ids=["022", "000"])
def lax(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def others(folder):
    """What below a folder, or the folder itself, others than the owner may reach."""
    wanted = {True: 0o700, False: 0o600}
    paths = [folder, *folder.rglob("*")]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths}
    return {str(path): oct(mode) for path, mode in modes.items() if mode != wanted[path.is_dir()]}


@pytest.fixture
def store(lax, tmp_path):  # noqa: ARG001 - the umask of the test
    """A store with everything a store may have beside its log: generations of every projection, two of them."""
    with Memory(tmp_path / "deep" / "store", embedder="static") as memory:
        for text in ("The shop closes at nine", "Deploys are on Mondays"):
            memory.store(text)
            memory.recall("when does the shop close")
            memory.catalog.publish(lasting=True)
        memory.rebuild()
    return tmp_path / "deep" / "store"


def test_a_store(store):
    assert len(list(store.rglob("*"))) > 20
    assert others(store) == {}
    assert others(store.parent) == {}


def test_a_store_after_an_erasure(store):
    with Memory(store) as memory:
        memory.erase(memory.list().memories[0].id)
        memory.catalog.publish(lasting=True)
    assert others(store) == {}


def test_an_export_and_the_store_made_of_it(store, tmp_path):
    with Memory(store) as memory:
        memory.export(tmp_path / "out.jsonl")
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600
    restore_export(tmp_path / "out.jsonl", tmp_path / "again")
    with Memory(tmp_path / "again") as again:
        again.store("Invoices are kept for ten years")
    assert others(tmp_path / "again") == {}


def test_a_backup_the_next_one_and_the_store_made_of_it(store, tmp_path):
    with Memory(store) as memory:
        memory.backup(tmp_path / "backup")
        memory.store("Invoices are kept for ten years")
        memory.backup(tmp_path / "backup")
        assert others(tmp_path / "backup") == {}
        memory.erase(memory.list().memories[0].id)
        memory.backup(tmp_path / "backup")
    assert others(tmp_path / "backup") == {}
    restore_backup(tmp_path / "backup", tmp_path / "whole")
    restore_backup(tmp_path / "backup", tmp_path / "earlier", as_of="@2")
    assert others(tmp_path / "whole") == {}
    assert others(tmp_path / "earlier") == {}


def test_an_import_of_an_export_leaves_no_copy_behind(store, tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with Memory(store) as memory, Memory(tmp_path / "other", embedder="static") as other:
        memory.export(tmp_path / "out.jsonl")
        other.import_(tmp_path / "out.jsonl")
        other.import_(tmp_path / "out.jsonl", dry_run=True)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert others(tmp_path / "other") == {}


def test_a_file_that_is_open_to_others_would_be_seen(store):
    (store / "helixlog.json").chmod(0o644)
    assert list(others(store).values()) == ["0o644"]
