"""Stores of every format ever written are read, asked of their past and written to; a newer one is refused."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from helixlog.commands.copying import restore_backup
from helixlog.commands.memory import Memory
from helixlog.errors import NewerFormat
from helixlog.eventlog import record
from helixlog.eventlog.transaction import FORMAT
from helixlog.eventlog.verify import verify

FIXTURES = Path(__file__).parents[1] / "fixtures"
FROZEN = sorted(path.name for path in FIXTURES.iterdir() if (path / "helixlog.json").is_file())

_spec = importlib.util.spec_from_file_location("freeze", FIXTURES / "freeze.py")
freeze = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(freeze)
NOW = freeze.BEGIN + 300 * freeze.DAY


@pytest.fixture(params=FROZEN)
def frozen(request, tmp_path):
    """A copy of a frozen store, and what the release that wrote it answered."""
    expected = json.loads((FIXTURES / f"{request.param}.json").read_text("utf-8"))
    return shutil.copytree(FIXTURES / request.param, tmp_path / "store"), expected


def opened(folder, now=0):
    return Memory(folder, create=False, clock=lambda: now)


def test_every_format_has_a_store():
    assert f"format-{record.FORMAT}" in FROZEN


def test_it_verifies_and_answers_what_it_answered(frozen):
    store, expected = frozen
    assert verify(store).ok
    with opened(store) as memory:
        assert freeze.answers(memory) == {**expected, "format": record.FORMAT}
        memory.rebuild()
        assert freeze.answers(memory) == {**expected, "format": record.FORMAT}
        assert memory.verify(projections=True).ok


def test_it_goes_on(frozen):
    store, expected = frozen
    with opened(store, NOW) as memory:
        assert memory.recall("what does the harbour crane lift").results
        assert memory.store("Written by this release.").seq > expected["head"]
        again = memory.store("The harbour crane lifts forty tonnes.", tags=["crane"], entities=["Lima"], key="crane-1")
        assert again.repeated, "keys act once, for ever"
    assert verify(store).ok


def test_it_can_be_backed_up_restored_and_exported(frozen, tmp_path):
    store, expected = frozen
    with opened(store) as memory:
        memory.backup(tmp_path / "backup")
        memory.export(tmp_path / "log.jsonl")
    assert restore_backup(tmp_path / "backup", tmp_path / "again").digest == expected["digest"]


def test_a_store_newer_than_the_program_is_refused_by_name(frozen):
    store, _ = frozen
    mark = store / "helixlog.json"
    plain = mark.read_bytes()
    newer = {**msgspec.json.decode(plain), "format": record.FORMAT + 1}
    mark.write_bytes(msgspec.json.encode(newer))
    with pytest.raises(NewerFormat, match=f"format {record.FORMAT + 1}"):
        opened(store)
    mark.write_bytes(plain)
    with opened(store) as memory:
        memory.eventlog.environment.write(lambda txn: txn.put(FORMAT, str(record.FORMAT + 1).encode()))
    with pytest.raises(NewerFormat, match=f"format {record.FORMAT + 1}"):
        opened(store)


def test_without_the_check_a_newer_store_would_be_opened(frozen, monkeypatch):
    store, _ = frozen
    with opened(store) as memory:
        memory.eventlog.environment.write(lambda txn: txn.put(FORMAT, str(record.FORMAT + 1).encode()))
    monkeypatch.setattr("helixlog.eventlog.environment.FORMAT", record.FORMAT + 1)
    with opened(store) as memory:
        assert memory.eventlog.head.seq
