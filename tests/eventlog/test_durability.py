import os
import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import lmdb
import msgspec
import pytest
from helixlog.errors import Conflict, Corrupted, InvalidInput, NewerFormat, StoreMissing, StoreReadOnly
from helixlog.eventlog import layout, record
from helixlog.eventlog.backup import backup
from helixlog.eventlog.environment import check_size
from helixlog.eventlog.events import Draft, MemoryStored
from helixlog.eventlog.lmdb_log import LmdbLog, exists
from helixlog.eventlog.log import IdempotencyKey
from helixlog.eventlog.transaction import FORMAT, SEALED
from helixlog.eventlog.verify import verify

ACKNOWLEDGING = """
import sys
from helixlog.eventlog.events import DecayTicked, Draft
from helixlog.eventlog.lmdb_log import LmdbLog
log = LmdbLog.open(sys.argv[1])
while True:
    print(log.append([Draft(DecayTicked(clock=1))] * 3, clock=1).last, flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(store, python):
    """An agent's host is killed at any moment; every batch it was told of is there, each whole or not at all."""
    seed = 11
    chance = random.Random(seed)
    acknowledged = 1
    for _round in range(6):
        writer = python.start(ACKNOWLEDGING, store)
        for _ack in range(chance.randrange(1, 15)):
            acknowledged = int(writer.stdout.readline())
        writer.kill()
        acknowledged = int(([acknowledged, *writer.communicate()[0].split()])[-1])
        with LmdbLog.open(store) as log:
            head = log.head.seq
            assert acknowledged <= head <= acknowledged + 3, f"seed {seed}"
            assert (head - 1) % 3 == 0
    assert verify(store).ok


GROWER = """
import sys
from helixlog.eventlog.events import Draft, MemoryStored
from helixlog.eventlog.lmdb_log import LmdbLog
with LmdbLog.open(sys.argv[1]) as log:
    for number in range(30):
        log.append([Draft(MemoryStored(text="x" * 50_000)) for _ in range(3)], clock=1)
        assert sum(1 for _ in log.read()) >= 1 + 3 * (number + 1)
"""


def test_the_map_grows_under_two_processes(store, python):
    with LmdbLog.open(store) as idle:
        assert idle._shared._lmdb.info()["map_size"] == 1 << 20
        writers = [python.start(GROWER, store) for _ in range(2)]
        for writer in writers:
            assert writer.wait(60) == 0, writer.stderr.read()
            writer.communicate()
        assert idle.head.seq == 181, "a reader that was open all along follows"
        assert idle.append([Draft(MemoryStored(text="y"))], clock=1).first == 182
        assert idle._shared._lmdb.info()["map_size"] > 9_000_000
    assert verify(store).ok


def test_one_batch_may_be_larger_than_the_map(store):
    with LmdbLog.open(store) as log:
        log.append([Draft(MemoryStored(text="x" * 3_000_000)) for _ in range(3)], clock=1)
        assert [len(entry.event.text) for entry in log.read(2)] == [3_000_000] * 3


FULL = """
import resource, sys
from helixlog.errors import OutOfSpace
from helixlog.eventlog.events import Draft, MemoryStored
from helixlog.eventlog.lmdb_log import LmdbLog
log = LmdbLog.open(sys.argv[1])
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
count, before = 0, None
try:
    while True:
        log.append([Draft(MemoryStored(text="x" * 20_000))], clock=1)
        count += 1
except OutOfSpace as error:
    assert error.remedy
assert log.head.seq == 1 + count
assert len(list(log.read())) == 1 + count
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert log.append([Draft(MemoryStored(text="room again"))], clock=1).first == 2 + count
print(count)
"""


def test_a_full_disk_loses_nothing_and_the_log_goes_on(store, python):
    assert int(python(FULL, store, 300_000)) > 3
    assert verify(store).ok


READER = """
import os, sys
from helixlog.errors import StoreReadOnly
from helixlog.eventlog.events import DecayTicked, Draft
from helixlog.eventlog.lmdb_log import LmdbLog
if os.geteuid() == 0:
    os.seteuid(65534)
log = LmdbLog.open(sys.argv[1])
assert not log.writable
assert len(list(log.read())) == 1001
try:
    log.append([Draft(DecayTicked(clock=1))], clock=1)
except StoreReadOnly:
    print("refused")
"""


def test_a_folder_that_cannot_be_written_is_read_and_left_alone(filled, python):
    with TemporaryDirectory() as place:
        store = shutil.copytree(filled, Path(place, "store"))
        everything = [Path(place), store, *store.rglob("*")]
        for path in everything:
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = sorted(path.name for path in everything)
        assert python(READER, store) == "refused\n"
        assert sorted(path.name for path in [Path(place), store, *store.rglob("*")]) == before
        for path in everything:
            path.chmod(0o755)


def test_a_log_opened_to_be_read_refuses_to_append(filled, tick):
    with LmdbLog.open(filled, read_only=True) as log:
        assert not log.writable
        with pytest.raises(StoreReadOnly):
            log.append([tick], clock=1)
        assert log.head.seq == 1001


def test_a_file_cut_short_is_refused_before_it_is_read(filled):
    data = filled / "log" / "g1" / "data.mdb"
    for keep in (data.stat().st_size - 1, data.stat().st_size // 2, 8192, 4096, 100, 0):
        os.truncate(data, keep)
        with pytest.raises(Corrupted) as caught:
            LmdbLog.open(filled)
        assert caught.value.remedy
    data.unlink()
    with pytest.raises(Corrupted):
        LmdbLog.open(filled)


UNCHECKED = """
import sys
from helixlog.eventlog import environment
from helixlog.eventlog.lmdb_log import LmdbLog
environment.check_size = lambda path, opened: None
list(LmdbLog.open(sys.argv[1]).read())
"""


def test_a_file_that_grows_while_its_size_is_checked_is_not_taken_for_one_cut_short(filled):
    data = filled / "log" / "g1" / layout.DATA

    class Growing:
        """An environment into which another process appends just before its last page is read."""

        def info(self):
            os.truncate(data, data.stat().st_size + (1 << 20))
            return {"last_pgno": data.stat().st_size // 4096 - 1}

        def stat(self):
            return {"psize": 4096}

    check_size(data.parent, Growing())


def test_without_the_size_check_a_file_cut_short_kills_the_process(filled, python):
    data = filled / "log" / "g1" / "data.mdb"
    os.truncate(data, data.stat().st_size // 2)
    process = python.start(UNCHECKED, filled)
    process.communicate(timeout=60)
    assert process.returncode < 0


def test_a_store_that_is_not_there(tmp_path):
    assert not exists(tmp_path)
    with pytest.raises(StoreMissing):
        LmdbLog.open(tmp_path)


def test_a_store_is_created_once(store, genesis):
    assert exists(store)
    with pytest.raises(Conflict):
        LmdbLog.create(store, genesis, clock=1)
    with LmdbLog.open(store) as log:
        assert log.head.seq == 1


def test_a_creation_that_fails_leaves_nothing_half_made(tmp_path, genesis):
    with pytest.raises(InvalidInput):
        LmdbLog.create(tmp_path / "new", genesis, clock=1 << 63)
    assert not exists(tmp_path / "new")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["secret"]
    LmdbLog.create(tmp_path / "new", genesis, clock=1).close()


CREATOR = """
import sys
from helixlog.errors import Conflict
from helixlog.eventlog.events import DecayTicked, Draft, StoreCreated
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.log import IdempotencyKey
try:
    log = LmdbLog.create(sys.argv[1], StoreCreated(store_id="s", tenant="t", format=1, constants={}), clock=1)
    print("made")
except Conflict:
    log = LmdbLog.open(sys.argv[1])
log.append([Draft(DecayTicked(clock=1))], clock=1, key=IdempotencyKey("same", b""))
"""


def test_of_several_creators_one_wins_and_all_share_its_secret(tmp_path, python):
    creators = [python.start(CREATOR, tmp_path / "new") for _ in range(4)]
    outputs = [creator.communicate(timeout=60) for creator in creators]
    assert "".join(out for out, _err in outputs) == "made\n", outputs
    with LmdbLog.open(tmp_path / "new") as log:
        assert log.head.seq == 2


def test_the_secret_is_the_owners_alone_and_keys_the_digests(store, tick):
    assert (store / "secret").stat().st_mode & 0o777 == 0o600
    with LmdbLog.open(store) as log:
        log.append([tick], clock=1, key=IdempotencyKey("k", b"c"))
        assert log.secret == (store / "secret").read_bytes()
    (store / "secret").write_bytes(b"short")
    with LmdbLog.open(store) as log:
        assert log.head.seq == 2, "reading needs no secret"
        with pytest.raises(Corrupted):
            log.append([tick], clock=1, key=IdempotencyKey("k", b"c"))


def change(folder, generation, name, value):
    with (
        lmdb.open(str(folder / "log" / generation)) as environment,
        environment.begin(write=True) as txn,
    ):
        txn.put(name, value)


def test_a_newer_format_is_refused_by_name(store):
    change(store, "g1", FORMAT, str(record.FORMAT + 1).encode())
    with pytest.raises(NewerFormat, match=f"format {record.FORMAT + 1}"):
        LmdbLog.open(store)


def next_generation(store):
    """What an erasure leaves if it is cut off between the seal and the pointer."""
    with LmdbLog.open(store) as log:
        backup(log, store.parent / "copy")
    shutil.copytree(store.parent / "copy" / "log" / "g1", store / "log" / "g2")


def test_an_open_log_follows_a_seal_and_loses_no_append(store, tick):
    with LmdbLog.open(store) as log:
        next_generation(store)
        with log._shared._lmdb.begin(write=True) as txn:
            txn.put(SEALED, b"g2")
        assert log.append([tick], clock=1).first == 2
        assert log.head.seq == 2
    with LmdbLog.open(store) as again:
        assert again.head.seq == 2
    assert layout.current(store / "log") == "g2"


def test_open_finishes_a_sealed_change_and_drops_one_that_was_not(store):
    next_generation(store)
    LmdbLog.open(store).close()
    assert layout.current(store / "log") == "g1"
    assert not (store / "log" / "g2").exists()

    shutil.copytree(store.parent / "copy" / "log" / "g1", store / "log" / "g2")
    change(store, "g1", SEALED, b"g2")
    LmdbLog.open(store).close()
    assert layout.current(store / "log") == "g2"
    assert not (store / "log" / "g1").exists()


def test_an_event_of_a_newer_release_does_not_stop_anything(store):
    with LmdbLog.open(store) as log:
        header = record.Header(2, 200, None, "dream_dreamt", 1)
        raw = record.write(log.head.digest, header, b"s" * 16, msgspec.msgpack.encode({"type": "dream_dreamt"}))
        log._shared.write(lambda transaction: transaction.put(b"r" + (2).to_bytes(8, "big"), raw))
        assert [type(entry.event).__name__ for entry in log.read()] == ["StoreCreated", "UnknownEvent"]
    assert verify(store).ok
