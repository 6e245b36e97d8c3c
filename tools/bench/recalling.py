"""Recall: the whole pipeline with bodies, warm, without the embedder and without recording.

Every way has a handle of its own on the same store, so that no way finds the
texts or terms of a question in another's cache, and the ways take turns within
one loop. `recall` compares the scans, the graph (hnswlib) and the exact path at
the head; `past` compares the head with three earlier points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

from harness import Figure, Setting, interleaved, ratio, seconds
from helixlog.commands.memory import Memory
from helixlog.commands.recall import Recalled
from helixlog.projections import compiled
from helixlog.projections.vector import hnsw
from stores import Known, built, questions

LIMIT = 10
WARM = 30
SHARES = (0.9, 0.5, 0.1)
"""Parts of the log that the past points lie at."""

Ask = Callable[..., Recalled]


def opened(folder: Path, asked: Sequence[str], *, graph: bool) -> Memory:
    """A handle that knows the vectors of the questions, with the graph in memory or without."""
    memory = Memory(folder, create=False, embedder=Known(asked))
    vectors = memory.catalog.vectors
    if vectors is not None:
        if graph:
            vectors.load_graph()
        else:
            # A process that lives on would load it by itself.
            vectors.load_graph = lambda: False  # type: ignore[method-assign]
    return memory


def asking(memory: Memory, **options: object) -> Ask:
    """A recall of ten, unrecorded."""
    return partial(memory.recall, limit=LIMIT, record=False, **options)  # type: ignore[arg-type]


def has_graph(memory: Memory) -> bool:
    """Whether a graph answers: there is hnswlib, and the store is large enough for one."""
    vectors = memory.catalog.vectors
    return hnsw.available() and vectors is not None and vectors.graph_rows > 0


def handles(setting: Setting, asked: Sequence[str]) -> dict[str, Memory]:
    """One handle a way."""
    folder = built(setting)
    found = {"scans": opened(folder, asked, graph=False), "graph": opened(folder, asked, graph=True)}
    if not has_graph(found["graph"]):
        found.pop("graph").close()
    return found


def overlap(name: str, asked: Sequence[str], quick: Ask, exact: Ask) -> Figure:
    """The share of the exact answer that the quick one has."""
    shares = []
    for question in asked:
        wanted = {result.id for result in exact(question).results}
        if wanted:
            shares.append(len(wanted & {result.id for result in quick(question).results}) / len(wanted))
    what = f"overlap@{LIMIT} of {name} with exact"
    return Figure(what=what, value=mean(shares), unit="share", runs=len(shares), bar=0.99, least=True)


def _uncompiled(ask: Ask, question: str) -> Recalled:
    """An answer with NumPy in the place of the compiled loops."""
    with compiled.numpy_alone():
        return ask(question)


def recall(setting: Setting) -> Iterator[Figure]:
    """Hybrid recall at the head: by scans, with the graph, without the compiled loops, exactly."""
    asked = questions(setting, setting.runs + WARM)
    memories = handles(setting, asked)
    memories["NumPy alone"] = opened(built(setting), asked, graph=False)
    memories["exact"] = opened(built(setting), asked, graph=False)
    ways = {name: asking(memory, exact=name == "exact") for name, memory in memories.items()}
    ways["NumPy alone"] = partial(_uncompiled, ways["NumPy alone"])
    samples = interleaved(asked, ways, warm=WARM)
    best = "graph" if "graph" in ways else "scans"
    yield ratio("NumPy alone to scans", samples["NumPy alone"], samples["scans"])
    for name, taken in samples.items():
        bar = 1.5 if name == best else None
        yield taken.figure(f"recall of {LIMIT}, {name}", bar=bar, note="p99 bar <= 4 ms" if bar else "")
    exact = ways.pop("exact")
    for name, quick in ways.items():
        yield overlap(name, asked[WARM:], quick, exact)
    for memory in memories.values():
        memory.close()


def past(setting: Setting) -> Iterator[Figure]:
    """The same at earlier points: the first view, which folds the log so far, and later ones."""
    asked = questions(setting, setting.runs + WARM)
    for name, memory in handles(setting, asked).items():
        head = memory.eventlog.head.seq
        points = {f"{share:.0%}": f"@{max(2, int(share * head))}" for share in SHARES}
        for share, point in points.items():
            yield seconds(f"first view at {share} of the log, {name}", partial(memory.view, point))
        ways = {"live": asking(memory)} | {share: asking(memory, as_of=point) for share, point in points.items()}
        samples = interleaved(asked, ways, warm=WARM)
        yield samples["live"].figure(f"recall of {LIMIT}, live, {name}")
        for share in points:
            yield samples[share].figure(f"recall of {LIMIT}, as of {share}, {name}")
            yield ratio(f"as of {share} to live, {name}", samples[share], samples["live"], bar=3.0)
        memory.close()
