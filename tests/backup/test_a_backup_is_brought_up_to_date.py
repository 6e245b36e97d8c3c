"""A second backup into the same folder adds what is new, in one step, and only to a backup of this very log."""

from __future__ import annotations

import threading

import pytest
from helixlog.errors import Conflict, Corrupted, StoreBusy
from helixlog.eventlog import backup as module
from helixlog.eventlog import layout
from helixlog.eventlog.events import DecayTicked
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.verify import verify


def head_of(folder):
    with LmdbLog.open(folder, read_only=True) as log:
        return log.head


def test_it_adds_what_is_new_and_nothing_when_nothing_is(memory, tmp_path):
    memory.store("The first note.")
    first = memory.backup(tmp_path / "backup")
    assert (first.head, first.added, first.whole, first.time) == (2, 2, True, "2026-01-01T12:00:00Z")
    for number in range(5):
        memory.store(f"Note {number} about the harbour.", key=f"k{number}")
    second = memory.backup(tmp_path / "backup")
    assert (second.head, second.added, second.whole) == (7, 5, False)
    assert second.digest == memory.eventlog.head.digest.hex()
    assert memory.backup(tmp_path / "backup").added == 0
    with LmdbLog.open(tmp_path / "backup") as log:
        assert list(log.raw(1, 7)) == list(memory.eventlog.raw(1, 7))
    assert verify(tmp_path / "backup").ok


def test_it_is_consistent_while_others_write(memory, tmp_path):
    stop = threading.Event()

    def write():
        while not stop.is_set():
            memory.append([DecayTicked(clock=1)] * 3)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        heads = [memory.backup(tmp_path / "backup") for _again in range(3)]
    finally:
        stop.set()
        writer.join()
    assert [(one.head - 1) % 3 for one in heads] == [0, 0, 0], "a batch is there whole or not at all"
    assert heads[0].head < heads[-1].head < memory.eventlog.head.seq + 1
    assert memory.eventlog.chain_at(heads[-1].head) == head_of(tmp_path / "backup").digest


def test_a_backup_that_was_written_to_is_left_alone(memory, tmp_path, opened):
    memory.store("The first note.")
    memory.backup(tmp_path / "backup")
    opened(tmp_path / "backup").store("Written into the backup.")
    memory.store("Written into the store.")
    before = head_of(tmp_path / "backup")
    with pytest.raises(Conflict, match="written to"):
        memory.backup(tmp_path / "backup")
    assert head_of(tmp_path / "backup") == before


def test_backups_of_other_stores_and_live_stores_are_left_alone(memory, tmp_path, opened, restored):
    memory.store("The first note.")
    other = opened(tmp_path / "other")
    other.backup(tmp_path / "backup-of-other")
    memory.backup(tmp_path / "backup")
    again = restored()
    memory.store("Another.")
    for target in (tmp_path / "backup-of-other", tmp_path / "store", again.folder):
        with pytest.raises(Conflict):
            memory.backup(target)
    assert again.eventlog.head.seq == 2


def test_a_store_that_was_put_back_is_behind_its_backup(memory, tmp_path, restored):
    for number in range(3):
        memory.store(f"Note {number}.")
    memory.backup(tmp_path / "backup")
    older = restored("@2")
    with pytest.raises(Conflict):
        older.backup(tmp_path / "backup")
    assert head_of(tmp_path / "backup").seq == 4


def test_a_damaged_backup_and_a_damaged_store_are_named(memory, tmp_path):
    memory.store("A canary in the backup.")
    memory.backup(tmp_path / "backup")
    data = tmp_path / "backup" / "log" / "g1" / "data.mdb"
    data.write_bytes(data.read_bytes().replace(b"A canary in", b"A canarx in"))
    memory.store("Another.")
    with pytest.raises(Corrupted, match="@2 digest"):
        memory.backup(tmp_path / "backup")
    live = tmp_path / "store" / "log" / "g1" / "data.mdb"
    live.write_bytes(live.read_bytes().replace(b"A canary in", b"A canarx in"))
    with pytest.raises(Corrupted, match="@2 digest"):
        memory.backup(tmp_path / "fresh")
    assert not (tmp_path / "fresh").exists()


def test_without_the_check_a_damaged_copy_would_be_kept(memory, tmp_path, monkeypatch):
    memory.store("A canary in the store.")
    live = tmp_path / "store" / "log" / "g1" / "data.mdb"
    live.write_bytes(live.read_bytes().replace(b"A canary in", b"A canarx in"))
    monkeypatch.setattr(module, "_proved", lambda *_: None)
    memory.backup(tmp_path / "fresh")
    assert not verify(tmp_path / "fresh").ok


def test_two_backups_at_once_wait_for_each_other(memory, tmp_path, monkeypatch):
    memory.store("The first note.")
    memory.backup(tmp_path / "backup")
    memory.store("Another.")
    monkeypatch.setattr(module, "WAIT", 0.05)
    lock = layout.WriteLock(tmp_path / "backup" / "log")
    lock.acquire(1)
    try:
        with pytest.raises(StoreBusy, match="process"):
            memory.backup(tmp_path / "backup")
    finally:
        lock.close()
    assert memory.backup(tmp_path / "backup").added == 1


def bytes_of(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_what_was_erased_since_is_gone_from_the_backup(memory, tmp_path):
    canary = memory.store("A canary that shall be forgotten for good.").id
    memory.store("Another note.")
    memory.backup(tmp_path / "backup")
    assert b"A canary that" in bytes_of(tmp_path / "backup")
    memory.erase(canary)
    memory.store("Later.")
    done = memory.backup(tmp_path / "backup")
    assert (done.whole, done.head) == (True, 5)
    assert b"A canary that" not in bytes_of(tmp_path / "backup")
    assert verify(tmp_path / "backup").ok


def test_a_backup_that_only_appended_would_keep_what_was_erased(memory, tmp_path, monkeypatch):
    canary = memory.store("A canary that shall be forgotten for good.").id
    memory.backup(tmp_path / "backup")
    memory.erase(canary)
    monkeypatch.setattr(module, "ERASURE", "nothing")
    memory.backup(tmp_path / "backup")
    assert b"A canary that" in bytes_of(tmp_path / "backup")


def test_a_restore_as_of_before_an_erasure_does_not_undo_it(memory, tmp_path, restored):
    canary = memory.store("A canary that shall be forgotten for good.").id
    memory.store("Another note.")
    memory.erase(canary)
    memory.backup(tmp_path / "backup")
    again = restored("@3")
    assert b"A canary" not in bytes_of(again.folder)
    assert (again.eventlog.head.seq, again.count().count) == (4, 1)
    assert again.verify(projections=True).ok


def test_a_backup_broken_off_is_the_backup_it_was(memory, tmp_path, monkeypatch):
    memory.store("The first note.")
    memory.backup(tmp_path / "backup")
    for number in range(4):
        memory.store(f"Note {number}.")
    calls, add = [], module.filling.add

    def failing(transaction, raws):
        calls.append(raws)
        if len(calls) == 3:
            raise KeyboardInterrupt
        add(transaction, raws)

    monkeypatch.setattr(module.filling, "add", failing)
    with pytest.raises(KeyboardInterrupt):
        memory.backup(tmp_path / "backup")
    monkeypatch.undo()
    assert head_of(tmp_path / "backup").seq == 2
    assert memory.backup(tmp_path / "backup").added == 4
