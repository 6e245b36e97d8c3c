"""An export, an import and a backup of a log that was erased from are the same log, holes and all."""

import io

import pytest
from helixlog.commands.copying import restore_export
from helixlog.commands.memory import Memory
from helixlog.errors import Conflict
from helixlog.eventlog import export as exporting


@pytest.fixture
def erased(memory):
    one = memory.store("The vault of zanzibarquux opens with a key.")
    memory.store("Jonas owns the search index.")
    memory.recall("what opens the vault of zanzibarquux?")
    memory.erase(one.id)
    return one.id


@pytest.mark.usefixtures("erased")
def test_an_export_comes_back_as_the_same_log(memory, tmp_path, contents):
    done = memory.export(tmp_path / "out.jsonl")
    assert b"zanzibarquux" not in (tmp_path / "out.jsonl").read_bytes()
    restore_export(tmp_path / "out.jsonl", tmp_path / "copy")
    with Memory(tmp_path / "copy") as copy:
        assert copy.eventlog.head.digest.hex() == done.digest
        assert copy.verify(projections=True).ok
        assert [one.id for one in copy.list(state="all").memories] == [one.id for one in memory.list().memories]
        assert [one.content for one in copy.log().events] == [one.content for one in memory.log().events]
    assert b"zanzibarquux" not in contents(tmp_path / "copy")


@pytest.mark.usefixtures("erased")
def test_a_backup_is_the_same_log_and_can_be_erased_from(memory, tmp_path, contents):
    memory.backup(tmp_path / "copy")
    assert b"zanzibarquux" not in contents(tmp_path / "copy")
    with Memory(tmp_path / "copy") as copy:
        assert copy.eventlog.head == memory.eventlog.head
        assert copy.verify(projections=True).ok
        (other,) = copy.list().memories
        copy.erase(other.id)
        assert copy.verify(projections=True).ok


def test_an_export_that_an_erasure_overtook_is_refused_and_not_left_behind(memory, tmp_path, monkeypatch):
    one = memory.store("The vault of zanzibarquux opens with a key.")
    memory.store("Jonas owns the search index.")
    to_line = exporting.lines.to_line

    def slowly(raw):
        if exporting.record.read(raw).header.seq == 3:
            memory.erase(one.id)
        return to_line(raw)

    monkeypatch.setattr(exporting.lines, "to_line", slowly)
    with pytest.raises(Conflict, match="erased"):
        memory.export(tmp_path / "out.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    monkeypatch.undo()
    out = io.BytesIO()
    memory.export(out)
    assert b"zanzibarquux" not in out.getvalue()
