"""Prints what a store of a fixed log answers, and what a real embedder finds; run by a test in several worlds."""

from __future__ import annotations

import sys
import tempfile
from contextlib import nullcontext
from hashlib import blake2b
from pathlib import Path
from random import Random

import msgspec

HERE = Path(__file__).parent


def told() -> list[object]:
    """Answers of stores of random logs."""
    from asking import ask, bits, embedders, question, store_of
    from strategies import random_log

    answers = []
    for seed in range(4):
        rng = Random(seed)
        log = random_log(rng, 90)
        clock = log[-1].recorded_at
        store = store_of(log, clock, embedders(log))
        for number in range(8):
            as_of = None if number % 2 else f"@{rng.randint(1, 90)}"
            answers.append(bits(ask(store, question(rng, [], clock), as_of=as_of)))
        answers.append(store.catalog.digests())
    return answers


def lived() -> list[object]:
    """Answers of a store that was written to through its public face."""
    from asking import bits
    from helixlog.commands.memory import Memory
    from strategies import SUBJECTS

    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / "store", embedder="static", clock=lambda: 1_750_000_000_000_000_000)
        for text in SUBJECTS:
            memory.store(text, observed_at="2025-03-01T10:00", tags=["İstanbul"], entities=["Straße"])
        answers = [bits(memory.recall(text, record=False, as_of=None)) for text in ("slow tests", "İSTANBUL", "straße")]
        memory.close()
    return [[{**one, "id": None, "via": None} for one in answer["results"]] for answer in answers]


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    from helixlog.projections.compiled import numpy_alone

    with numpy_alone() if sys.argv[1:] == ["uncompiled"] else nullcontext():
        said = msgspec.json.encode([told(), lived()])
    sys.stdout.write(f"{len(said)} {blake2b(said, digest_size=16).hexdigest()}\n")
