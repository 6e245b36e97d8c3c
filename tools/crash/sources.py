"""The sources of faults that `run.py` draws from.

To add one, put a file `faults.py` into a folder of tests with

    SOURCES = [Source("name", "what it does", one_round)]

`one_round(seed, scratch)` does its worst with nothing but the seed, in an empty folder of its own, and returns a
`Tally`; each of its losses says what is needed to see it again. A folder in `SUITES` without such a file is run with
pytest, long tests included: each test is a fault that was tried, each failure a loss, hypothesis gets the seed. A test
that knows better what it tried may append lines of JSON, such as {"inputs": 1000}, to the file named by the
environment variable HELIXLOG_TALLY; HELIXLOG_SEED has the seed.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from .hindering import full, grow, rights
from .images import cuts
from .kills import kills, steps
from .tally import Round, Tally

TESTS = Path(__file__).resolve().parents[2] / "tests"
SUITES = {
    "museum": "damaged stores, with a pinned verdict each",
    "concurrency": "interleavings of writers, publishers, readers and rebuilds",
    "fuzz": "inputs made to break parsers, decoders and verbs",
}


class Source(NamedTuple):
    """A source of faults: its name on the command line, what it does in a line, and one round of it."""

    name: str
    about: str
    round: Round


OWN = (
    Source("kills", "kill -9 at random moments, over every verb that writes", kills),
    Source("steps", "kill -9 before named steps between two durable ones", steps),
    Source("images", "power cuts, from recorded system calls, over the whole folder", cuts),
    Source("full", "disks that fill up: file size, small disk, address space", full),
    Source("rights", "folders that may not be written or read, or are gone", rights),
    Source("growth", "a map that must grow while others write and read, and one is killed", grow),
)


def sources() -> dict[str, Source]:
    """Every source, by its name."""
    found = {one.name: one for one in OWN}
    for folder in sorted(TESTS.iterdir()):
        if (folder / "faults.py").is_file():
            found |= {one.name: one for one in _registered(folder / "faults.py")}
        elif folder.name in SUITES and any(folder.glob("test_*.py")):
            suite = functools.partial(_suite, folder)
            found[folder.name] = Source(folder.name, SUITES[folder.name], suite)
    return found


def _registered(path: Path) -> Iterator[Source]:
    """What a folder of tests offers; its modules may import each other, as in the tests."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"faults_of_{path.parent.name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield from module.SOURCES


def _suite(folder: Path, seed: int, scratch: Path) -> Tally:
    noted = scratch / "tally"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "long or not long", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(
        [*command, f"--hypothesis-seed={seed}", f"--basetemp={scratch / 'tests'}"],
        cwd=TESTS.parent,
        env={**os.environ, "HELIXLOG_SEED": str(seed), "HELIXLOG_TALLY": str(noted)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    failed = re.findall(r"^(?:FAILED|ERROR) (.*)$", done.stdout, re.MULTILINE)
    tally = Tally(faults=(int(passed[1]) if passed else 0) + len(failed))
    if noted.exists():
        for line in noted.read_text().splitlines():
            tally += msgspec.json.decode(line, type=Tally)
    tally.losses += [f"{folder.name}: pytest --hypothesis-seed={seed} {one}" for one in failed]
    if done.returncode and not failed:
        tally.losses.append(
            f"{folder.name}: pytest ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        )
    return tally
