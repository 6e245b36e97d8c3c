"""A new store is made of a backup, whole or as it was on a day; no store is ever wound back."""

from __future__ import annotations

import msgspec
import pytest
from helixlog.commands.copying import restore_backup
from helixlog.errors import Conflict, InvalidInput, StoreMissing
from helixlog.eventlog.events import DecayTicked
from helixlog.eventlog.log import IdempotencyKey


@pytest.fixture
def january(memory, tmp_path, days):
    """A note a day, and a backup at the end."""
    for day in range(1, 11):
        days.day = day
        memory.store(f"On day {day} the harbour crane was moved to berth {day * 3}.", tags=["crane"])
        if day == 4:
            memory.feedback(ids=[memory.list(limit=1).memories[0].id], outcome="delivered", context="move the crane")
    memory.backup(tmp_path / "backup")
    return memory


def answer(memory, **options):
    said = memory.recall("where was the harbour crane moved", record=False, **options)
    return msgspec.json.encode(msgspec.to_builtins(said.results))


def test_a_restored_store_is_the_store(january, restored):
    again = restored()
    assert again.eventlog.head == january.eventlog.head
    assert again.catalog.digests() == january.catalog.digests()
    assert not (again.folder / "backup.json").exists(), "it is a store, not a backup"
    again.store("It goes on from here.")


@pytest.mark.parametrize("day", [1, 4, 7])
def test_as_of_a_day_it_answers_what_the_store_answers_of_that_day(january, restored, day):
    asked = f"2026-01-{day:02}"
    again = restored(asked)
    assert again.eventlog.head.digest == january.eventlog.chain_at(again.eventlog.head.seq)
    assert again.list(limit=1).memories[0].recorded_at.startswith(asked)
    point = f"@{again.eventlog.head.seq}/2026-01-{day:02}T23:00:00Z"
    assert answer(again, as_of=point) == answer(january, as_of=point)
    assert again.verify(projections=True).ok


@pytest.mark.usefixtures("january")
def test_an_event_and_an_age_are_points_as_well(restored):
    assert restored("@3").eventlog.head.seq == 3
    assert restored("3d").eventlog.head.seq == restored("2026-01-07").eventlog.head.seq


def test_nothing_is_ever_wound_back(january, tmp_path, days):
    head = january.eventlog.head
    for into in (tmp_path / "store", tmp_path / "backup"):
        with pytest.raises(Conflict):
            restore_backup(tmp_path / "backup", into, as_of="2026-01-02", clock=days)
    assert january.eventlog.head == head


@pytest.mark.usefixtures("january")
def test_what_cannot_be_restored_is_refused_by_name_and_leaves_nothing(tmp_path, days):
    (tmp_path / "file.jsonl").touch()
    refused = [
        (StoreMissing, tmp_path / "nowhere", None),
        (StoreMissing, tmp_path / "file.jsonl", None),
        (InvalidInput, tmp_path / "backup", "2025-12-31"),
        (InvalidInput, tmp_path / "backup", "@99"),
        (InvalidInput, tmp_path / "backup", "no point"),
    ]
    for error, backup, as_of in refused:
        with pytest.raises(error) as caught:
            restore_backup(backup, tmp_path / "into", as_of=as_of, clock=days)
        assert caught.value.remedy
    assert not (tmp_path / "into").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".new")] == []


def test_half_of_what_one_command_appended_is_refused(memory, tmp_path, days):
    memory.append([DecayTicked(clock=number) for number in range(4)], key=IdempotencyKey("k", b"c"))
    memory.backup(tmp_path / "backup")
    with pytest.raises(InvalidInput, match="@2 to @5"):
        restore_backup(tmp_path / "backup", tmp_path / "into", as_of="@3", clock=days)
    assert restore_backup(tmp_path / "backup", tmp_path / "into", as_of="@5", clock=days).head == 5
