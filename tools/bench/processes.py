"""Whole processes: `helix` from a cold start, a store by one process recalled by another, and memory in use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from harness import Figure, Samples, Setting, anonymous, interleaved
from recalling import asking, has_graph, opened
from stores import Known, built, copied, fresh, questions

HELIX = [sys.executable, "-m", "helixlog"]
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
MOST = 20
MANY = 200
RECALLS = 100
MEGABYTES = {"scans": 400.0, "graph": 400.0}
NONE = "none"


def run(arguments: Sequence[str], store: Path) -> str:
    """What a process prints."""
    env = {**os.environ, **ONE_THREAD, "HELIX_STORE": str(store)}
    return subprocess.run(arguments, check=True, capture_output=True, text=True, env=env).stdout


def cold(setting: Setting) -> Iterator[Figure]:
    """`helix recall` and `helix --help` as processes, wall, beside a Python that does nothing and one with numpy."""
    bar = {10_000: 300.0, 100_000: 500.0}.get(setting.size)
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        store = copied(setting, place)
        asked = questions(setting, 1 + min(setting.runs, MOST))
        ways = {
            "helix recall": lambda question: run([*HELIX, "recall", question, "--no-record", "--json"], store),
            "helix --help": lambda _: run([*HELIX, "--help"], store),
            "python, nothing": lambda _: run([sys.executable, "-c", ""], store),
            "python, numpy": lambda _: run([sys.executable, "-c", "import numpy"], store),
        }
        samples = interleaved(asked, ways, warm=1)
    bars = {"helix recall": bar, "helix --help": 150.0}
    for name, taken in samples.items():
        taken.cpu.clear()  # of this process, which only waits
        yield taken.figure(name, bar=bars.get(name))


# -- another process -----------------------------------------------------------


def elsewhere(setting: Setting) -> Iterator[Figure]:
    """A recall just after another process has stored the text it asks for, beside one with nothing new."""
    texts = list(dict.fromkeys(passage.text for passage in fresh(setting)))[: min(setting.runs, 100)]
    after, plain, found = Samples(), Samples(), 0
    with tempfile.TemporaryDirectory(dir=setting.cache) as place:
        folder = copied(setting, place)
        memory = opened(folder, texts, graph=True)
        ask = asking(memory)
        ask(texts[0])
        with _worker("writer", str(folder)) as writer:
            for number, text in enumerate(texts):
                stored = _answer(writer, text)
                after.of(partial(ask, text))
                plain.of(partial(ask, texts[number - 1]))
                # Whether it is seen at all: others that are tied to words of it may rank above it.
                found += any(result.id == stored for result in ask(text, limit=MANY).results)
            _end(writer)
    yield plain.figure("recall, nothing new")
    yield after.figure("recall right after a store elsewhere")
    lag = sorted(late - usual for late, usual in zip(after.wall, plain.wall, strict=True))
    yield Figure(what="the difference", value=lag[len(lag) // 2] * 1e3, unit="ms", runs=len(lag), bar=2.0)
    yield Figure(what="found", value=found / len(texts), unit="share", runs=len(texts), bar=1.0, least=True)


def _worker(role: str, *more: str) -> subprocess.Popen[str]:
    arguments = [sys.executable, __file__, role, *more]
    env = {**os.environ, **ONE_THREAD}
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)


def _answer(worker: subprocess.Popen[str], question: str) -> str:
    assert worker.stdin is not None  # noqa: S101
    assert worker.stdout is not None  # noqa: S101
    worker.stdin.write(json.dumps(question) + "\n")
    worker.stdin.flush()
    return str(json.loads(worker.stdout.readline()))


def _end(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None  # noqa: S101
    worker.stdin.close()
    worker.wait()


def writer(folder: str) -> None:
    """Store every line of standard input; answer with the id of the memory."""
    from helixlog.commands.memory import Memory

    with Memory(folder) as memory:
        for line in sys.stdin:
            print(json.dumps(memory.store(json.loads(line)).id), flush=True)


# -- memory --------------------------------------------------------------------


def resident(setting: Setting) -> Iterator[Figure]:
    """Anonymous memory of a process that has answered 100 recalls; nothing else has happened in it."""
    built(setting)
    questions(setting, RECALLS)
    for name, bar in MEGABYTES.items():
        megabytes = _worker("reader", name, str(setting.size), str(setting.cache)).communicate()[0]
        if megabytes != NONE:
            yield Figure(what=f"RssAnon after {RECALLS} recalls, {name}", value=float(megabytes), unit="MB", bar=bar)
    idle = _worker("idle").communicate()[0]
    yield Figure(what="RssAnon with the same imports and no store", value=float(idle), unit="MB")


def reader(way: str, size: str, cache: str) -> None:
    """Recall in one way, then print the anonymous memory, or `NONE` where that way is not to be had."""
    setting = Setting(size=int(size), runs=RECALLS, cache=Path(cache))
    asked = questions(setting, RECALLS)
    memory = opened(built(setting), asked, graph=way == "graph")
    if way == "graph" and not has_graph(memory):
        print(NONE, end="")
        return
    ask = asking(memory)
    for question in asked:
        ask(question)
    print(anonymous())


def idle() -> None:
    """Print the anonymous memory of a process that has an embedder and no store."""
    Known([])
    print(anonymous())


ROLES: dict[str, Callable[..., None]] = {"writer": writer, "reader": reader, "idle": idle}

if __name__ == "__main__":
    ROLES[sys.argv[1]](*sys.argv[2:])
