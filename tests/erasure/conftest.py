"""Stores to erase from, and what must not be found in their files."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "laws")]

BEGIN = 1_750_000_000_000_000_000


class Clock:
    """A clock that moves a second each time it is asked."""

    def __init__(self):
        self.now = BEGIN

    def __call__(self):
        self.now += DAY // 86_400
        return self.now


@pytest.fixture
def open_memory(tmp_path):
    """`open_memory(name)` opens a store of the test; the same name is the same store."""
    with contextlib.ExitStack() as opened:

        def open_(name="store", **options):
            return opened.enter_context(Memory(tmp_path / name, **{"embedder": "static", "clock": Clock(), **options}))

        yield open_


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def contents():
    """`contents(folder)`: all bytes of all files in a folder, and their names."""
    return lambda folder: b"\0".join(
        part
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
        for part in (path.name.encode(), path.read_bytes())
    )


@pytest.fixture
def child():
    """`child(code, *arguments)` starts Python in a process of its own, with `pipes` to talk to it."""
    started = []

    def start(code, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()
