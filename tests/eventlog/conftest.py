"""Stores, events and damage for the log's tests."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helixlog.eventlog.events import DecayTicked, Draft, MemoryStored, StoreCreated
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.log import IdempotencyKey
from helixlog.eventlog.memory_log import MemoryLog

DATA = Path("log", "g1", "data.mdb")


@pytest.fixture
def genesis():
    return StoreCreated(store_id="s", tenant="t", format=1, constants={"DUPLICATE": 0.9})


@pytest.fixture
def entropy():
    """Seeded chance, so that two logs get the same salts."""
    return random.Random(7).randbytes


def memory(number):
    return Draft(MemoryStored(text=f"canary-{number:05d} " * 8), f"m{number}")


@pytest.fixture
def stored():
    """`stored(n)` is a draft of a memory with the own id m<n>, `stored(n, m)` a list of them."""
    return lambda number, end=None: memory(number) if end is None else [memory(each) for each in range(number, end)]


@pytest.fixture
def tick():
    return Draft(DecayTicked(clock=1))


@pytest.fixture(params=["memory", "lmdb"])
def log(request, tmp_path, genesis, entropy):
    if request.param == "memory":
        yield MemoryLog.create(genesis, clock=100, entropy=entropy)
        return
    with LmdbLog.create(tmp_path / "store", genesis, clock=100, entropy=entropy) as made:
        yield made


@pytest.fixture
def store(tmp_path, genesis):
    """A new store's folder; nothing has it open."""
    LmdbLog.create(tmp_path / "store", genesis, clock=100).close()
    return tmp_path / "store"


@pytest.fixture(scope="session")
def example_store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example") / "store"
    genesis = StoreCreated(store_id="s", tenant="t", format=1, constants={"DUPLICATE": 0.9})
    with LmdbLog.create(folder, genesis, clock=100) as opened:
        for batch in range(10):
            drafts = [memory(number) for number in range(batch * 100 + 1, batch * 100 + 101)]
            opened.append(drafts, clock=200 + batch, key=IdempotencyKey(f"k{batch}", b"c"))
    return folder


@pytest.fixture
def filled(example_store, tmp_path):
    """A store of 1,001 events: the genesis and memories m1 to m1000, in keyed batches of 100."""
    return shutil.copytree(example_store, tmp_path / "filled")


@pytest.fixture
def python():
    """`python(code, *arguments)` runs code in a process of its own; `python.start` does not wait."""

    def start(code, *arguments, **options):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run(code, *arguments, **options):
        process = start(code, *arguments, **options)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        return out

    run.start = start
    return run


@pytest.fixture
def flip():
    """`flip(folder, text)` flips one bit in the middle of the first place the text is in the file."""

    def damage(folder, text):
        data = bytearray((folder / DATA).read_bytes())
        data[data.index(text) + len(text) // 2] ^= 4
        (folder / DATA).write_bytes(data)

    return damage
