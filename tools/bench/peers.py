"""Recall beside the hybrid search of other systems, over the same texts and vectors.

Each peer is a process of its own, so that it may have its own Python; it times
itself, and the questions go round, first thirty at a time: thirty to us, the
same thirty to each peer, so that everybody is warm, as the promise has it. Then
one at a time, so that everybody finds the caches full of what others have left.
Ten results with their bodies are read everywhere. Only we weigh effectiveness,
recency, scope and links, and follow a hop. A peer that is not installed is left
out, with a word on how to install it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from harness import Figure, Samples, Setting, ratio
from helixlog.commands.memory import Memory
from recalling import WARM, asking, handles
from stores import Known, built, questions

PEERS = {
    "sqlite-vec + FTS5 + RRF": ("peer_sqlite.py", "sqlite_vec", 45.0),
    "LanceDB hybrid": ("peer_lancedb.py", "lancedb", 8.0),
}
ROUNDS = {30: "warm", 1: "cold caches"}
"""Questions in a row to each, and how that finds the caches."""

INSTALL = {
    "sqlite_vec": "--sqlite-python: one whose sqlite3 loads extensions, with `pip install sqlite-vec`",
    "lancedb": "--lancedb-python: one with `pip install lancedb numpy`",
}


class Peer:
    """Another system, in a process of its own."""

    def __init__(self, python: str, script: str, data: Path, database: Path) -> None:
        arguments = [python, str(Path(__file__).with_name(script)), str(data), str(database)]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = self._line() == "ready\n"

    def _line(self) -> str:
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout.readline()

    def ask(self, number: int) -> float:
        """The seconds that a question took."""
        assert self._process.stdin is not None  # noqa: S101
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        return float(json.loads(self._line())[0]) / 1e3

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None  # noqa: S101
        self._process.stdin.close()
        self._process.wait()


def peers(setting: Setting) -> Iterator[Figure]:
    """Hybrid recall of ten, ours and theirs, and the median of the ratios of each question."""
    asked = questions(setting, len(ROUNDS) * (min(setting.runs, 150) + WARM))
    each = len(asked) // len(ROUNDS)
    pythons = {"sqlite_vec": setting.sqlite_python, "lancedb": setting.lancedb_python}
    with tempfile.TemporaryDirectory(dir=setting.cache) as place, ExitStack() as stack:
        data = Path(place)
        export(built(setting), asked, data)
        found: dict[str, Peer] = {}
        for name, (script, package, _) in PEERS.items():
            if not installed(pythons[package], package):
                yield Figure(what=f"{name}: not installed", value=float("nan"), unit="", note=INSTALL[package])
                continue
            peer = Peer(pythons[package], script, data, data / package)
            stack.callback(peer.close)
            if peer.ready:
                found[name] = peer
        ours = handles(setting, asked)
        for number, in_a_row in enumerate(ROUNDS):
            yield from compared(asked, range(number * each, (number + 1) * each), ours, found, in_a_row)
        for memory in ours.values():
            memory.close()


def compared(
    asked: Sequence[str], numbers: range, ours: dict[str, Memory], found: dict[str, Peer], in_a_row: int
) -> Iterator[Figure]:
    """Some of the questions to everybody, in turns of so many."""
    ways = {name: asking(memory) for name, memory in ours.items()}
    mine, theirs = {name: Samples() for name in ways}, {name: Samples() for name in found}
    for start in range(0, len(numbers), in_a_row):
        turn = numbers[start : start + in_a_row]
        for name, ask in ways.items():
            for number in turn:
                mine[name].of(partial(ask, asked[number]))
        for name, peer in found.items():
            theirs[name].wall.extend(peer.ask(number) for number in turn)
    for samples in (*mine.values(), *theirs.values()):
        del samples.wall[:WARM], samples.cpu[:WARM]
    caches = ROUNDS[in_a_row]
    for name, samples in mine.items():
        yield samples.figure(f"recall of ten, {name}, {caches}")
    best = list(mine)[-1]
    for name, samples in theirs.items():
        yield samples.figure(f"{name}, {caches}")
        for way, own in mine.items():
            bar = PEERS[name][2] if way == best else None
            yield ratio(f"{name} to ours, {caches}", samples, own, bar=bar, least=True)


def installed(python: str, package: str) -> bool:
    """Whether that Python has the package (and, for sqlite-vec, can load it)."""
    code = f"import {package}"
    if package == "sqlite_vec":
        code += ", sqlite3; c = sqlite3.connect(':memory:'); c.enable_load_extension(True); sqlite_vec.load(c)"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def export(folder: Path, asked: Sequence[str], data: Path) -> None:
    """The store's texts and vectors, and the questions, as files for the peers."""
    with Memory(folder) as memory:
        view = memory.view()
        bodies = [memory.body(ordinal) for ordinal in range(view.texts)]
    kept = [body for body in bodies if body.vectors is not None]
    (data / "texts.json").write_text(json.dumps([body.text for body in kept]), encoding="utf-8")
    rows = [np.frombuffer(body.vectors.rows[0], np.float16) for body in kept if body.vectors is not None]
    np.stack(rows).astype(np.float32).tofile(data / "vectors.f32")
    known = Known(asked)
    (data / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    np.stack([known.embed_query(question) for question in asked]).tofile(data / "questions.f32")
