import io
import stat

import pytest
from helixlog.commands.copying import restore_export
from helixlog.commands.memory import Memory
from helixlog.commands.projections import digests
from helixlog.errors import Conflict, Corrupted, InvalidInput, NotFound


@pytest.fixture
def told(memory):
    stored = memory.store("The deploy script lives in tools/deploy.sh", tags=["ops"])
    memory.store("Bob's note.", user="bob")
    recalled = memory.recall("deploy script")
    memory.feedback(recalled.recall_id, outcome="delivered")
    memory.forget(stored.id)
    return memory


def test_an_export_restored_where_no_store_is_gives_the_same_log(told, tmp_path, clock):
    exported = told.export(tmp_path / "log.jsonl")
    restored = restore_export(tmp_path / "log.jsonl", tmp_path / "again")
    assert (restored.head, restored.digest) == (exported.head, told.eventlog.head.digest.hex())
    with Memory(tmp_path / "again", embedder="static", clock=clock) as again:
        assert digests(again.catalog) == digests(told.catalog)
        assert again.export(out := io.BytesIO()).path is None
    assert out.getvalue() == (tmp_path / "log.jsonl").read_bytes()


def test_an_export_is_private_and_overwrites_nothing(told, tmp_path):
    told.export(tmp_path / "log.jsonl")
    assert stat.S_IMODE((tmp_path / "log.jsonl").stat().st_mode) == 0o600
    with pytest.raises(Conflict):
        told.export(tmp_path / "log.jsonl")


def test_a_damaged_export_leaves_nothing_behind(told, tmp_path):
    told.export(tmp_path / "log.jsonl")
    whole = (tmp_path / "log.jsonl").read_bytes()
    (tmp_path / "log.jsonl").write_bytes(whole.replace(b"tools/deploy.sh", b"tools/deplox.sh"))
    with pytest.raises((Corrupted, InvalidInput)):
        restore_export(tmp_path / "log.jsonl", tmp_path / "again")
    assert not (tmp_path / "again" / "helixlog.json").exists()


def test_a_file_that_is_not_there_is_not_found(told, tmp_path):
    with pytest.raises(NotFound):
        restore_export(tmp_path / "nothing.jsonl", tmp_path / "again")
    with pytest.raises(NotFound):
        told.import_(tmp_path / "nothing.jsonl", kind="helixlog")


def test_a_store_is_not_overwritten_by_a_restore(told, tmp_path):
    told.export(tmp_path / "log.jsonl")
    with pytest.raises(Conflict):
        restore_export(tmp_path / "log.jsonl", tmp_path / "store")


def test_a_backup_is_a_store_of_its_own(told, tmp_path, clock):
    told.backup(tmp_path / "copy")
    told.store("Later.")
    with Memory(tmp_path / "copy", create=False, embedder="static", clock=clock) as copy:
        assert copy.eventlog.head.seq == told.eventlog.head.seq - 1
        assert copy.verify().ok
        assert copy.recall("deploy script", deep=True).as_of
    with pytest.raises(Conflict):
        told.backup(tmp_path / "copy")
