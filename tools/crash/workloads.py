"""What is done to a store while it is killed, traced or starved. Each step is acknowledged once it has returned.

A workload is `name(store, seed, rounds)`; it prints, each in one write,

    BEGIN <verb>
    ACK <head seq> <chain digest there> [<kind>:<path beside the store>]

and stops after `rounds` rounds. What was acknowledged must be there after any crash: the log up to that seq, bit by
bit (the digest covers all of it), and the copy that was named.

    python -m crash.workloads NAME STORE SEED ROUNDS
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

from helixlog.commands import reembed as reembedding
from helixlog.commands.copying import restore_export
from helixlog.commands.memory import VERBS, Memory
from helixlog.embedding import load
from helixlog.errors import Conflict
from helixlog.eventlog.events import DecayTicked, Draft

from .nursery import say

BEGIN = 1_750_000_000_000_000_000
BATCH = 3
"""Events in one append; their clock is the batch's number, so that one may see whether a batch is whole."""
STATIC = load("static")
THINGS = ("crane", "llama", "harbour", "kitchen", "parser", "ECONNREFUSED", "backup", "tower", "cellar", "museum")
SMALL_BATCH = 2
"""Texts in one event of a re-embedding, so that a few texts make several events."""


def opened(store: Path | str, *, create: bool = False) -> Memory:
    """A store under the clock of all workloads."""
    return Memory(store, create=create, embedder=STATIC, clock=lambda: BEGIN)


def prepare(store: str, texts: int = 12) -> None:
    """A store with some of everything, one published generation, and a short tail."""
    with opened(store, create=True) as memory:
        live(memory, Random("before"), texts)
        memory.catalog.publish()
        live(memory, Random("after"), 2)


def live(memory: Memory, rng: Random, texts: int) -> None:
    """Store texts, and learn about them."""
    for _ in range(texts):
        stored = memory.store(sentence(rng), tags=[rng.choice(THINGS)], shared=rng.random() < 0.5)
        if rng.random() < 0.3:
            memory.feedback(ids=[stored.id], outcome="delivered", context=f"work on the {rng.choice(THINGS)}")


def sentence(rng: Random) -> str:
    """A text like no other."""
    return f"The {rng.choice(THINGS)} of {rng.getrandbits(32):08x} stands beside the {rng.choice(THINGS)}"


# -- workloads -----------------------------------------------------------------


def store(place: str, seed: int, rounds: int) -> None:
    """Texts one by one, and batches."""
    rng = Random(seed)
    with opened(place) as memory:
        for number in counted(rounds):
            with acknowledged(memory, "store"):
                memory.store(sentence(rng))
            with acknowledged(memory, "append"):
                mark = (seed << 16) + number + 1
                memory.append([Draft(DecayTicked(clock=mark))] * BATCH)


def feedback(place: str, seed: int, rounds: int) -> None:
    """What is learned and decided about memories."""
    rng = Random(seed)
    with opened(place) as memory:
        for _ in counted(rounds):
            first, second = memory.store(sentence(rng)).id, memory.store(sentence(rng)).id
            with acknowledged(memory, "feedback"):
                memory.feedback(ids=[first, second], outcome=rng.choice(("delivered", "blocked")), context="a harbour")
            with acknowledged(memory, "recall"):
                memory.recall("the crane by the harbour")
            with acknowledged(memory, "supersede"):
                memory.supersede(first, sentence(rng))
            with acknowledged(memory, "annotate"):
                memory.annotate(second, add_tags=["kept"])
            with acknowledged(memory, "forget"):
                memory.forget(second)


def publish(place: str, seed: int, rounds: int) -> None:
    """Generations, one after the other."""
    rng = Random(seed)
    with opened(place) as memory:
        for _ in counted(rounds):
            live(memory, rng, 2)
            with acknowledged(memory, "publish"):
                memory.catalog.publish()


def rebuild(place: str, seed: int, rounds: int) -> None:
    """Everything thrown away and made anew."""
    rng = Random(seed)
    with opened(place) as memory:
        for _ in counted(rounds):
            live(memory, rng, 1)
            with acknowledged(memory, "rebuild"):
                memory.rebuild()


def reembed(place: str, seed: int, rounds: int) -> None:
    """Another embedder, and back, in events of few texts."""
    reembedding.BATCH = SMALL_BATCH
    rng = Random(seed)
    with opened(place) as memory:
        for _ in counted(rounds):
            with acknowledged(memory, "reembed none"):
                memory.reembed("none")
            live(memory, rng, 3)
            with acknowledged(memory, "reembed static"):
                memory.reembed(STATIC)


def erase(place: str, seed: int, rounds: int) -> None:
    """Texts destroyed for good."""
    rng = Random(seed)
    with opened(place) as memory:
        for _ in counted(rounds):
            lost = sentence(rng)
            word = lost.split()[3]
            one = memory.store(lost).id
            live(memory, rng, 1)
            memory.feedback(ids=[one], outcome="delivered")
            memory.catalog.publish()
            with acknowledged(memory, "erase", f"erased:{word}"):
                memory.erase(one)
            with acknowledged(memory, "store"):
                memory.store(sentence(rng))


def import_(place: str, seed: int, rounds: int) -> None:
    """Foreign notes and an export taken in, and a store made from an export."""
    rng = Random(seed)
    beside = Path(place).parent
    with opened(place) as memory:
        for number in counted(rounds):
            name = f"{seed}-{number}"
            with tempfile.NamedTemporaryFile("w", suffix=".md") as notes:
                notes.write("# Notes\n\n" + "".join(f"- {sentence(rng)}\n" for _ in range(4)))
                notes.flush()
                with acknowledged(memory, "import markdown"):
                    memory.import_(notes.name)
            export = beside / f"export-{name}.jsonl"
            with acknowledged(memory, "export", f"export:{export.name}"):
                memory.export(export)
            with acknowledged(memory, "restore export", f"store:imported-{name}"):
                restore_export(export, beside / f"imported-{name}")
            with opened(beside / f"imported-{name}") as other:
                live(other, rng, 1)
                with acknowledged(other, "import export", f"store:imported-{name}"):
                    other.import_(export)


def backup(place: str, seed: int, rounds: int) -> None:
    """Copies while the log grows."""
    rng = Random(seed)
    beside = Path(place).parent
    with opened(place) as memory:
        for number in counted(rounds):
            live(memory, rng, 1)
            with acknowledged(memory, "backup", f"store:backup-{seed}-{number}"):
                memory.backup(beside / f"backup-{seed}-{number}")


def create(place: str, seed: int, rounds: int) -> None:
    """New stores, each in a folder that was not there either."""
    rng = Random(seed)
    beside = Path(place).parent
    for number in counted(rounds):
        name = f"new-{seed}-{number}/inner/store"
        say("BEGIN create")
        with opened(beside / name, create=True) as memory:
            ack(memory, f"store:{name}")
            with acknowledged(memory, "first store", f"store:{name}"):
                memory.store(sentence(rng))


WORKLOADS: dict[str, Callable[[str, int, int], None]] = {
    "store": store,
    "feedback": feedback,
    "publish": publish,
    "rebuild": rebuild,
    "reembed": reembed,
    "import": import_,
    "backup": backup,
    "create": create,
}
if "erase" in VERBS:
    WORKLOADS["erase"] = erase


def run(name: str, place: str, seed: int, rounds: int) -> None:
    """Run a workload; prints DONE at its end."""
    WORKLOADS[name](place, seed, rounds)
    say("DONE")


def fresh(template: Path, disk: Path) -> Path:
    """A copy of a template store on a new disk; returns the store's folder."""
    disk.mkdir(parents=True)
    shutil.copytree(template, disk / "store")
    return disk / "store"


@contextlib.contextmanager
def acknowledged(memory: Memory, verb: str, made: str = "") -> Iterator[None]:
    """Say that a verb begins, and that it has returned."""
    say(f"BEGIN {verb}")
    with contextlib.suppress(Conflict):
        yield
        ack(memory, made)


def ack(memory: Memory, made: str = "") -> None:
    """The promise: all up to here is durable, and what was made as well."""
    head = memory.eventlog.head
    say(f"ACK {head.seq} {head.digest.hex()} {made}".rstrip())


def counted(rounds: int) -> Iterator[int]:
    """So many rounds, or without end for 0."""
    return iter(range(rounds)) if rounds else count()


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
