import threading

import pytest
from helixlog.errors import Conflict
from helixlog.eventlog.backup import backup
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.verify import verify


def test_a_copy_is_the_log_at_its_head(filled, tmp_path):
    (filled / "helixlog.json").write_text("{}")
    with LmdbLog.open(filled) as log:
        head = backup(log, tmp_path / "copy", beside=("helixlog.json", "not-there")).head
        with LmdbLog.open(tmp_path / "copy") as copy:
            assert copy.head == log.head == head
            assert copy.secret == log.secret
            assert list(copy.raw(1, 1001)) == list(log.raw(1, 1001))
    names = sorted(path.name for path in (tmp_path / "copy").iterdir())
    assert names == ["backup.json", "helixlog.json", "log", "secret"]
    assert verify(tmp_path / "copy").ok


def test_a_copy_made_while_others_write_is_whole(store, tmp_path, stored):
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            log.append(stored(number, number + 50), clock=1)
            number += 50

    with LmdbLog.open(store) as log:
        writer = threading.Thread(target=write)
        writer.start()
        heads = [backup(log, tmp_path / f"copy{number}").head for number in range(3)]
        stop.set()
        writer.join()
        for number, head in enumerate(heads):
            assert (head.seq - 1) % 50 == 0
            assert log.chain_at(head.seq) == head.digest
            assert verify(tmp_path / f"copy{number}").ok


def test_a_copy_overwrites_nothing(filled, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    with LmdbLog.open(filled) as log:
        for target in (tmp_path / "there", tmp_path / "there" / "file", filled):
            with pytest.raises(Conflict):
                backup(log, target)
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


def test_a_store_can_be_copied_into_an_empty_folder(filled, tmp_path):
    (tmp_path / "empty").mkdir()
    with LmdbLog.open(filled) as log:
        assert backup(log, tmp_path / "empty").head.seq == 1001
