"""A writer waits for the lock only so long, and then says who has it and since when; readers never wait."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from helixlog.commands.memory import Memory
from helixlog.errors import StoreBusy
from helixlog.eventlog import layout

HOLDER = """
import sys
from pathlib import Path
from helixlog.eventlog.layout import WriteLock
lock = WriteLock(Path(sys.argv[1]) / "log")
lock.acquire(10)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def held(tmp_path):
    """A store whose write lock another process holds."""
    with Memory(tmp_path / "store", embedder="static") as memory:
        memory.store("The crane stands at berth 3.")
        command = [sys.executable, "-c", HOLDER, tmp_path / "store"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout.readline() == "held\n"
            yield memory, holder
            holder.kill()


def test_the_error_names_the_holder_and_since_when(held):
    memory, holder = held
    with pytest.raises(StoreBusy) as caught:
        memory.append([], wait=0.05)
    assert f"process {holder.pid} has held it since" in caught.value.message
    (since,) = re.findall(r"since (\S+)$", caught.value.message)
    age = datetime.now(UTC) - datetime.fromisoformat(since)
    assert -2 < age.total_seconds() < 600
    assert caught.value.remedy


def test_readers_do_not_wait(held, monkeypatch):
    memory, _ = held
    monkeypatch.setattr(layout.WriteLock, "acquire", lambda *_: pytest.fail("a reader took the lock"))
    assert memory.recall("where does the crane stand", record=False).results
    assert memory.get(memory.list().memories[0].id).state == "live"


def test_a_recall_that_cannot_be_recorded_says_so_and_answers(held):
    memory, _ = held
    said = memory.recall("where does the crane stand")
    assert said.results
    assert said.recorded is False


def test_the_lock_of_a_killed_holder_is_free(held):
    memory, holder = held
    holder.kill()
    holder.wait()
    assert memory.store("The llama stands at berth 9.").status == "added"


def test_a_lock_that_nobody_named_is_still_an_error(held):
    memory, _ = held
    (memory.folder / "log" / "lock").write_bytes(b"")
    with pytest.raises(StoreBusy, match="another process holds it"):
        memory.append([], wait=0.01)
