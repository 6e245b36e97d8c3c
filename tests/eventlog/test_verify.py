import os
import random
import shutil
from pathlib import Path

import pytest
from helixlog.errors import Corrupted
from helixlog.eventlog import record
from helixlog.eventlog import verify as module
from helixlog.eventlog.events import Draft, ErasedRecord, MemoryErased
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.transaction import ID, KEY, record_key
from helixlog.eventlog.verify import verify

DATA = Path("log", "g1", "data.mdb")


def change(folder, work):
    with LmdbLog.open(folder) as log:
        log._shared.write(work)


def found(folder):
    return [(problem.seq, problem.kind) for problem in verify(folder).problems]


def test_a_sound_log_has_no_problems_and_progress_is_told(filled):
    told = []
    report = verify(filled, lambda done, of: told.append((done, of)))
    assert (report.ok, report.head, report.problems) == (True, 1001, [])
    assert told == [(256, 1001), (512, 1001), (768, 1001), (1001, 1001)]


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bits_are_named_by_their_record(filled, flip, seed):
    numbers = sorted(random.Random(seed).sample(range(1, 1001), 3))
    for number in numbers:
        flip(filled, f"canary-{number:05d} ".encode() * 8)
    assert found(filled) == [(number + 1, "digest") for number in numbers]


def test_reading_names_the_flipped_record_too_unless_told_not_to_look(filled, flip):
    flip(filled, b"canary-00500 " * 8)
    with LmdbLog.open(filled) as log:
        with pytest.raises(Corrupted, match="record 501"):
            list(log.read())
        with pytest.raises(Corrupted, match="record 501"):
            log.get(501)
        assert log.get(502).id == "m501"
        assert sum(1 for _ in log.read(checked=False)) == 1001


@pytest.mark.parametrize("seed", range(2))
def test_a_zeroed_page_is_reported_and_what_is_behind_it_still_read(filled, seed, tmp_path):
    shutil.copytree(filled, tmp_path / "copy")
    data = bytearray((filled / DATA).read_bytes())
    page = data.index(f"canary-{random.Random(seed).randrange(100, 900):05d}".encode()) // 4096
    data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    (tmp_path / "copy" / DATA).write_bytes(data)
    report = verify(tmp_path / "copy")
    assert not report.ok
    assert report.head == 1001
    numbers = [problem.seq for problem in report.problems if problem.seq]
    assert {problem.kind for problem in report.problems} <= {"crash", "unreadable"}
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "just the records of that page"
    assert len(numbers) < 32


def test_a_file_cut_short_is_reported(filled):
    os.truncate(filled / DATA, (filled / DATA).stat().st_size // 2)
    report = verify(filled)
    assert [(problem.seq, problem.kind) for problem in report.problems] == [(0, "unreadable")]


@pytest.mark.parametrize("seed", range(3))
def test_noise_anywhere_never_harms_the_caller(filled, seed):
    chance = random.Random(seed)
    data = bytearray((filled / DATA).read_bytes())
    for _damage in range(3):
        place = chance.randrange(len(data))
        data[place : place + 16] = chance.randbytes(16)
    (filled / DATA).write_bytes(data[: (filled / DATA).stat().st_size])
    assert isinstance(verify(filled).ok, bool)


def test_a_missing_record_is_named(filled):
    change(filled, lambda transaction: transaction._txn.delete(record_key(400)))
    assert found(filled) == [(399 + 1, "missing"), (400, "index")]


def test_a_record_in_anothers_place_is_named(filled):
    def swap(transaction):
        transaction.put(record_key(400), transaction.records_at([401])[0])

    change(filled, swap)
    assert (400, "misplaced") in found(filled)
    assert (400, "digest") in found(filled)


def test_the_last_record_cannot_be_cut_off_unseen_by_its_ids(filled):
    change(filled, lambda transaction: transaction._txn.delete(record_key(1001)))
    assert found(filled) == [(1001, "index")]


def test_ids_and_keys_that_point_wrongly_or_not_are_named(filled):
    def damage(transaction):
        transaction.put(ID + b"m5", (7).to_bytes(8, "big"))
        transaction._txn.delete(KEY + next(transaction.entries(KEY))[0])

    change(filled, damage)
    kinds = found(filled)
    assert (6, "index") in kinds
    assert (7, "index") in kinds
    assert len(kinds) == 3


@pytest.mark.parametrize("told", [True, False])
def test_an_altered_payload_must_be_one_that_an_erasure_lists(filled, told):
    new = (b"t" * 16, b"\x82\xa4type\xadmemory_stored\xa4text\xa1x")
    with LmdbLog.open(filled) as log:
        listed = (ErasedRecord(seq=10, commitment=b""), ErasedRecord(seq=11, commitment=record.commit(*new)))
        log.append([Draft(MemoryErased(memories=("m9",), rewritten=listed if told else ()))], clock=999)

        def erase(transaction):
            ten, eleven = transaction.records_at([10, 11])
            transaction.put(record_key(10), record.destroyed(ten))
            transaction.put(record_key(11), record.rewritten(eleven, *new))

        log._shared.write(erase)
    assert found(filled) == ([] if told else [(10, "erasure"), (11, "erasure")])


def test_a_child_that_cannot_start_is_a_report(filled, monkeypatch):
    monkeypatch.setattr(module.sys, "executable", shutil.which("false"))
    assert [problem.kind for problem in verify(filled).problems] == ["crash"]


def test_no_store_is_a_report(tmp_path):
    assert found(tmp_path) == [(0, "unreadable")]
