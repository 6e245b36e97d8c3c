import os
import threading

import pytest
from helixlog.errors import ForeignProcess, StorageError, StoreBusy
from helixlog.eventlog import layout
from helixlog.eventlog.events import DecayTicked, Draft
from helixlog.eventlog.group import Committer
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.verify import verify

APPENDER = """
import sys
from helixlog.eventlog.events import DecayTicked, Draft
from helixlog.eventlog.lmdb_log import LmdbLog
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with LmdbLog.open(folder) as log:
    for number in range(count):
        log.append([Draft(DecayTicked(clock=number), f"{name}-{number}")], clock=number)
"""


def test_eight_processes_lose_nothing(store, python):
    processes = [python.start(APPENDER, store, f"p{name}", 50) for name in range(8)]
    for process in processes:
        assert process.wait(60) == 0, process.stderr.read()
        process.communicate()
    with LmdbLog.open(store) as log:
        ids = [entry.id for entry in log.read(2)]
    assert sorted(ids) == sorted(f"p{name}-{number}" for name in range(8) for number in range(50))
    for name in range(8):
        own = [each for each in ids if each.startswith(f"p{name}-")]
        assert own == [f"p{name}-{number}" for number in range(50)]
    assert verify(store).ok


def test_the_head_follows_other_processes_and_is_looked_up_once_a_commit(store, python, monkeypatch):
    with LmdbLog.open(store) as log:
        assert log.head.seq == 1
        process = python.start(APPENDER, store, "p", 3)
        assert process.wait(60) == 0, process.stderr.read()
        process.communicate()
        assert log.head.seq == 4
        monkeypatch.setattr(log.environment, "read", lambda _: pytest.fail("nothing was committed since"))
        assert log.head.seq == 4


def test_a_head_that_was_looked_up_during_a_commit_is_not_taken_for_the_one_after_it(store, monkeypatch):
    with LmdbLog.open(store) as log:
        generation, last = log.environment.committed()
        with monkeypatch.context() as patched:
            patched.setattr(log.environment, "committed", lambda: (generation, last + 1))
            assert log.head.seq == 1
        log.append([Draft(DecayTicked(clock=2))], clock=2)
        assert log.environment.committed() == (generation, last + 1)
        assert log.head.seq == 2


def transactions(log):
    return log.environment.committed()[1]


def together(count, work):
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_threads_share_transactions_and_lose_nothing(store):
    with LmdbLog.open(store) as log:
        before = transactions(log)

        def work(name):
            for number in range(10):
                appended = log.append([Draft(DecayTicked(clock=number), f"t{name}-{number}")], clock=number)
                assert log.get(appended.first).id == f"t{name}-{number}"

        together(16, work)
        assert log.head.seq == 161
        assert transactions(log) - before < 120, "some commits carried several appends"
    assert verify(store).ok


def test_one_request_that_fails_fails_alone(store):
    outcomes, failed = {}, {}

    def work(number):
        def decide(_log):
            if number % 3 == 0:
                raise ZeroDivisionError(number)
            return [Draft(DecayTicked(clock=number), f"d{number}")]

        try:
            outcomes[number] = log.append_with(decide, clock=1).first
        except ZeroDivisionError as error:
            failed[number] = error.args

    with LmdbLog.open(store) as log:
        together(12, work)
        assert failed == {number: (number,) for number in range(0, 12, 3)}
        assert sorted(outcomes) == [number for number in range(12) if number % 3]
        assert sorted(outcomes.values()) == list(range(2, 10))
        assert all(log.get(seq).id == f"d{number}" for number, seq in outcomes.items())


def test_a_lock_that_stays_taken_is_busy_within_the_wait(store, tick):
    holder = layout.WriteLock(store / "log")
    holder.acquire(1)
    with LmdbLog.open(store) as log:
        with pytest.raises(StoreBusy):
            log.append([tick], clock=1, wait=0.05)
        assert log.head.seq == 1, "readers do not wait"
        holder.release()
        assert log.append([tick], clock=1, wait=0.05).first == 2
    holder.close()


def test_a_thread_waits_no_longer_than_it_said_for_another(store, tick):
    entered, leave = threading.Event(), threading.Event()

    def slow(_log):
        entered.set()
        leave.wait(10)
        return [tick]

    with LmdbLog.open(store) as log:
        leader = threading.Thread(target=log.append_with, args=(slow,), kwargs={"clock": 1})
        leader.start()
        entered.wait(10)
        with pytest.raises(StoreBusy):
            log.append([tick], clock=1, wait=0.05)
        leave.set()
        leader.join()
        assert log.append([tick], clock=1).first == 3


class Unlocked:
    """The lock of a log that only this process uses."""

    def acquire(self, wait):
        pass

    def release(self):
        pass


def test_an_interrupted_leader_passes_the_lead_on():
    def interrupted(_batch):
        raise KeyboardInterrupt

    committer = Committer(Unlocked(), interrupted)
    for _again in range(2):
        with pytest.raises(KeyboardInterrupt):
            committer.submit(None, 1)


def test_those_an_interrupted_leader_led_are_told_that_the_outcome_is_open():
    inside, others = threading.Event(), []

    def commit(batch):
        if not inside.is_set():
            inside.set()
            while len(committer._waiting) < 3:
                inside.wait(0.001)
            return
        others.append(len(batch))
        raise KeyboardInterrupt

    def work(_number):
        try:
            committer.submit(None, 10)
        except (KeyboardInterrupt, StorageError, AssertionError) as error:
            outcomes.append(type(error).__name__)

    outcomes = []
    committer = Committer(Unlocked(), commit)
    together(4, work)
    assert others == [3]
    assert sorted(outcomes) == ["AssertionError", "KeyboardInterrupt", "StorageError", "StorageError"]
    assert not committer._led


def test_handles_of_one_process_share_the_files(store, tick):
    first, second = LmdbLog.open(store), LmdbLog.open(store.parent / "." / "store")
    first.append([tick], clock=1)
    first.close()
    assert second.append([tick], clock=1).first == 3
    second.close()


def in_child(work):
    """Run `work` in a fork; whether it ended well."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_handle_survives_a_fork_in_parent_and_child(store, tick):
    with LmdbLog.open(store) as log:
        assert in_child(lambda: None)
        assert log.get(1).seq == 1
        assert in_child(lambda: (log.get(1), log.append([tick], clock=1), log.close()))
        assert log.append([tick], clock=1).first == 3
        assert in_child(lambda: log.append([tick], clock=1))
        assert log.head.seq == 4
    assert verify(store).ok


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_while_other_threads_read_and_write_harms_nobody(store, tick):
    stop = threading.Event()

    def work(number):
        while not stop.is_set():
            if number % 2:
                log.append([tick], clock=1)
            else:
                assert len(list(log.read())) >= 1

    with LmdbLog.open(store) as log:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _again in range(5):
                assert in_child(lambda: (log.append([tick], clock=1), list(log.read())))
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert verify(store).ok


def test_a_fork_from_inside_a_transaction_is_refused_in_the_child(store, tick):
    outcomes = []

    def use():
        with pytest.raises(ForeignProcess):
            log.get(1)

    def decide(_log):
        outcomes.append(in_child(use))
        return [tick]

    with LmdbLog.open(store) as log:
        assert log.append_with(decide, clock=1).first == 2
        assert outcomes == [True]
        assert log.append([tick], clock=1).first == 3
