"""What every log promises, held on the one in memory and the one on disk."""

import pytest
from helixlog.errors import Conflict, InvalidInput, KeyConflict, NotFound, TransactionConflict
from helixlog.eventlog.events import DecayTicked, Draft, MemoryStored
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.log import Appended, IdempotencyKey
from helixlog.eventlog.memory_log import MemoryLog

KEY = IdempotencyKey("key", b"content")


def test_a_log_begins_with_its_genesis(log, genesis):
    assert log.head.seq == 1
    assert log.get(1).event == genesis
    assert log.get(1).recorded_at == 100


def test_a_batch_gets_consecutive_numbers_and_is_read_back(log, stored):
    drafts = stored(1, 4)
    assert log.append(drafts, clock=200) == Appended(2, 4, 200)
    assert [(entry.seq, entry.id, entry.event) for entry in log.read(2)] == [
        (seq, draft.id, draft.event) for seq, draft in enumerate(drafts, 2)
    ]


def test_both_logs_write_the_same_bytes(tmp_path, genesis, stored):
    def zeros(count):
        return bytes(count)

    on_disk = LmdbLog.create(tmp_path / "same", genesis, clock=100, entropy=zeros)
    in_memory = MemoryLog.create(genesis, clock=100, entropy=zeros)
    for log in (on_disk, in_memory):
        log.append(stored(1, 5), clock=200, key=KEY)
    assert list(on_disk.raw(1, 5)) == list(in_memory.raw(1, 5))
    on_disk.close()


def test_ranges_are_inclusive_and_end_at_the_head(log, stored):
    log.append(stored(1, 6), clock=200)
    assert [entry.seq for entry in log.read(3, 4)] == [3, 4]
    assert [entry.seq for entry in log.read(5, 99)] == [5, 6]
    assert list(log.read(7)) == list(log.read(5, 4)) == []
    assert list(log.read(2, checked=False)) == list(log.read(2))
    with pytest.raises(InvalidInput):
        log.read(0)


def test_a_read_ends_at_the_head_it_began_with(log, stored):
    reading = log.read()
    next(reading)
    log.append(stored(1, 3), clock=200)
    assert list(reading) == []


def test_events_by_number_come_in_the_order_asked(log, stored):
    log.append(stored(1, 4), clock=200)
    assert [entry.seq for entry in log.get_many([4, 2, 4])] == [4, 2, 4]
    assert log.get_many([]) == []
    for seq in (0, -1, 5):
        with pytest.raises(NotFound):
            log.get(seq)


def test_time_never_runs_backwards_and_the_clock_is_kept(log, tick):
    log.append([tick], clock=300)
    log.append([tick], clock=250)
    late = log.get(3)
    assert (late.recorded_at, late.clock) == (300, 250)
    assert log.get(2).clock == 300


def test_the_last_event_at_a_time(log, tick):
    for clock in (200, 300, 250, 400):
        log.append([tick], clock=clock)
    assert [log.seq_at(time) for time in (99, 100, 199, 200, 299, 300, 399, 400, 999)] == [0, 1, 1, 2, 2, 4, 4, 5, 5]


def test_a_batch_is_all_or_nothing(log, stored):
    with pytest.raises(InvalidInput):
        log.append([*stored(1, 3), Draft(MemoryStored(text=5))], clock=200)
    assert log.head.seq == 1
    assert log.resolve("m") == []


def test_an_empty_batch_is_refused(log):
    with pytest.raises(InvalidInput):
        log.append([], clock=200)


def test_a_clock_beyond_64_bits_is_refused(log, tick):
    with pytest.raises(InvalidInput):
        log.append([tick], clock=1 << 63)


def test_an_own_id_is_used_once(log, stored):
    log.append([stored(1)], clock=200)
    with pytest.raises(Conflict, match="event 2"):
        log.append([stored(1)], clock=200)
    with pytest.raises(Conflict, match="event 4"):
        log.append([stored(2), stored(3), stored(3)], clock=200)
    with pytest.raises(InvalidInput):
        log.append([Draft(DecayTicked(clock=1), "No Id")], clock=200)


def test_ids_are_found_by_prefix_whatever_the_case(log, stored):
    log.append([stored(12), stored(1), stored(123), stored(2)], clock=200)
    assert log.resolve("M12") == [("m12", 2), ("m123", 4)]
    assert log.resolve("m1", limit=1) == [("m1", 3)]
    assert log.resolve("m", limit=9) == [("m1", 3), ("m12", 2), ("m123", 4), ("m2", 5)]
    assert log.resolve("x") == log.resolve("m3") == log.resolve("\u00e9") == []


def test_the_chain_digest_is_that_of_the_head_it_was(log, stored):
    digests = [bytes(32), log.head.digest]
    for number in range(3):
        log.append([stored(number)], clock=200)
        digests.append(log.head.digest)
    assert [log.chain_at(seq) for seq in range(5)] == digests
    with pytest.raises(NotFound):
        log.chain_at(5)


def test_an_expected_head_that_moved_is_a_conflict(log, tick):
    log.append([tick], clock=200, expected_head=1)
    with pytest.raises(TransactionConflict, match="head is 2, not 1"):
        log.append([tick], clock=200, expected_head=1)


def test_a_repeated_key_answers_what_the_first_call_did(log, tick, stored):
    first = log.append([tick, tick], clock=200, key=KEY)
    log.append([stored(1)], clock=300)
    again = log.append([tick, tick], clock=400, key=KEY, expected_head=1)
    assert (again.first, again.last, again.recorded_at, again.repeated) == (first.first, first.last, 200, True)
    assert log.head.seq == 4


def test_a_key_with_other_content_is_a_conflict(log, tick):
    log.append([tick], clock=200, key=KEY)
    with pytest.raises(KeyConflict, match="event 2"):
        log.append([tick], clock=200, key=IdempotencyKey("key", b"other"))
    assert log.head.seq == 2


def test_a_key_is_not_in_the_log_in_clear(log, tick):
    log.append([tick], clock=200, key=IdempotencyKey("canary-key", b"canary-content"))
    assert not any(b"canary" in raw for raw in log.raw(1, 2))


def test_a_failed_or_empty_batch_leaves_its_key_unused(log, tick):
    assert log.append_with(lambda _log: [], clock=200, key=KEY).last == 1
    with pytest.raises(InvalidInput):
        log.append([Draft(MemoryStored(text=5))], clock=200, key=KEY)
    assert not log.append([tick], clock=200, key=KEY).repeated


def test_decide_sees_the_head_it_is_appended_to(log, stored):
    log.append([stored(1)], clock=200)
    seen = {}

    def decide(reader):
        seen.update(head=reader.head.seq, last=reader.get(2).id, ids=reader.resolve("m"), run=len(list(reader.read())))
        return [stored(reader.head.seq)]

    assert log.append_with(decide, clock=200).first == 3
    assert seen == {"head": 2, "last": "m1", "ids": [("m1", 2)], "run": 2}


def test_an_error_in_decide_leaves_the_log_unchanged(log, tick):
    def decide(_reader):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        log.append_with(decide, clock=200)
    assert log.head.seq == 1
    assert log.append([tick], clock=200).first == 2


def test_a_log_can_be_closed_twice(log):
    log.close()
    log.close()
