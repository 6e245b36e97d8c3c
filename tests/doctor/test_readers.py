"""A reader that goes on and on stops nobody, and what it costs is said; the slots of the dead are cleared."""

from __future__ import annotations

from helixlog.commands import ailments
from helixlog.commands.doctor import doctor
from helixlog.eventlog.events import DecayTicked
from helixlog.eventlog.readers import ActiveReader, Readers


def ticks(memory, count):
    for number in range(count):
        memory.append([DecayTicked(clock=number)])


def size(tmp_path):
    return (tmp_path / "store" / "log" / "g1" / "data.mdb").stat().st_size


def test_a_reader_that_stays_does_not_stop_writers_and_its_cost_is_said(memory, reading, tmp_path, clock, monkeypatch):
    memory.store("A note.")
    process = reading()
    head = memory.eventlog.head.seq
    ticks(memory, 60)
    assert memory.eventlog.head.seq == head + 60
    monkeypatch.setattr(ailments, "LONG_READ", 50)
    said = doctor(tmp_path / "store", clock=clock)
    assert said.readers.oldest == ActiveReader(process.pid, 60)
    assert said.readers.idle_pages > 60, "each commit leaves pages behind that may not be used again"
    (finding,) = said.findings
    assert (finding.name, finding.level, said.status) == ("readers", "warning", "attention")
    assert str(process.pid) in finding.where
    assert "60 commits" in finding.message


def test_health_reports_the_oldest_reader(memory, reading):
    memory.store("A note.")
    process = reading()
    ticks(memory, 3)
    (check,) = (check for check in memory.health().checks if check.name == "readers")
    assert check.ok
    assert f"process {process.pid} has been reading for 3 commits" in check.detail


def test_pages_are_used_again_once_the_reader_is_gone(memory, reading, tmp_path):
    memory.store("A note.")
    process = reading()
    ticks(memory, 100)
    while_reading = size(tmp_path)
    process.communicate("\n")
    ticks(memory, 100)
    assert size(tmp_path) - while_reading < while_reading / 4


def test_slots_of_killed_processes_are_found_and_cleared(memory, reading, tmp_path, clock):
    memory.store("A note.")
    for process in [reading() for _ in range(3)]:
        process.kill()
        process.communicate()
    first = doctor(tmp_path / "store", clock=clock)
    assert first.readers.stale == 3
    assert [(one.name, one.level) for one in first.findings] == [("readers", "note")]
    assert first.status == "sound"
    assert doctor(tmp_path / "store", clock=clock).readers == Readers(
        active=(), stale=0, pages=first.readers.pages, idle_pages=first.readers.idle_pages, page_size=4096
    )


def test_a_dead_reader_that_is_not_cleared_keeps_its_pages(memory, reading, tmp_path):
    """What clearing is for: without it the file grows as if the dead still read."""
    memory.store("A note.")
    process = reading()
    process.kill()
    process.communicate()
    before = size(tmp_path)
    ticks(memory, 100)
    kept = size(tmp_path) - before
    memory.eventlog.view(lambda transaction: transaction.readers())
    before = size(tmp_path)
    ticks(memory, 100)
    assert size(tmp_path) - before < kept / 4
