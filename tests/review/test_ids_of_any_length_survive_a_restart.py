"""An event's own id has up to 64 characters (a UUID has 36), also in projections that were published."""

from __future__ import annotations

from pathlib import Path

from helixlog.eventlog.events import Draft, MemoryStored

UUID = "0190a3d4-7e1c-7b5a-9c3d-0123456789ab"


def test_a_uuid_is_found_and_shown_whole_after_publishing(open_memory):
    memory = open_memory()
    memory.append([Draft(MemoryStored(text="kept under a UUID"), UUID)])
    assert memory.catalog.publish()
    again = open_memory()
    assert Path(again.folder, "projections").is_dir()
    assert again.get(UUID).id == UUID
    assert again.recall("kept", record=False).results[0].id == UUID
