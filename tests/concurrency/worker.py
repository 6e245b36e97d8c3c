"""What the processes of this folder's tests do; each says what it was told on a line of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
from helixlog.commands.memory import Memory
from helixlog.embedding import load
from helixlog.errors import StoreBusy

COMMON = tuple(f"Everybody says that gate {number} of the harbour is closed at night" for number in range(5))
EVENTS = {"unique": 1, "common": 1, "feedback": 1, "recall": 1, "annotate": 1, "supersede": 2}
"""Events that each kind of write appends; a recall that was not recorded is told as `unrecorded`."""

WEIGHTS = {"unique": 10, "common": 3, "feedback": 2, "recall": 2, "annotate": 1, "supersede": 1}


def say(**words: object) -> None:
    sys.stdout.write(msgspec.json.encode(words).decode() + "\n")
    sys.stdout.flush()


def opened(folder: Path) -> Memory:
    return Memory(folder, create=False, embedder=load("static"))


def text_of(name: str, number: int) -> str:
    return f"Parcel{number}of{name} went to the shelf {number * 7 % 101} of worker {name}"


def write(folder: Path, name: str, count: int, seed: int) -> None:
    """`count` mixed writes."""
    chance = Random(f"{seed}-{name}")
    own: list[str] = []
    with opened(folder) as memory:
        say(kind="ready")
        sys.stdin.readline()
        for number in range(count):
            kind = "unique" if not own else chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            one = own[-1] if own else ""
            if kind == "unique":
                done = memory.store(text_of(name, number), tags=[name])
                own.append(done.id)
                say(kind=kind, id=done.id, text=text_of(name, number), status=done.status)
            elif kind == "common":
                done = memory.store(text := chance.choice(COMMON))
                say(kind=kind, id=done.id, text=text, status=done.status)
            elif kind == "feedback":
                say(kind=kind, seq=memory.feedback(ids=[one], outcome="delivered").seq)
            elif kind == "recall":
                recorded = memory.recall("which gate of the harbour is closed").recorded
                say(kind="recall" if recorded else "unrecorded")
            elif kind == "annotate":
                say(kind=kind, seq=memory.annotate(one, add_tags=[f"t{number}"]).seq)
            else:
                done = memory.supersede(own.pop(), text_of(name, number))
                own.append(done.id)
                say(kind=kind, id=done.id, text=text_of(name, number))


def check(folder: Path) -> None:
    """Recall each memory that is named on a line of stdin: it has been acknowledged, so it is found."""
    with opened(folder) as memory:
        say(kind="ready")
        for line in sys.stdin:
            asked = msgspec.json.decode(line)
            known = memory.get(asked["id"])
            found = {hit.id for hit in memory.recall(asked["text"], limit=100, record=False).results}
            kind = "found" if known.id in found else "replaced" if known.state == "superseded" else "missed"
            say(kind=kind, id=asked["id"])


def rebuild(folder: Path) -> None:
    """Rebuild again and again, until stdin ends."""
    import threading

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    with opened(folder) as memory:
        say(kind="ready")
        while not ended.is_set():
            try:
                say(kind="rebuilt", seq=memory.rebuild().seq)
            except StoreBusy:
                say(kind="busy")
            time.sleep(0.01)


TASKS: dict[str, Callable[..., None]] = {
    "write": lambda folder, name, count, seed: write(Path(folder), name, int(count), int(seed)),
    "check": lambda folder: check(Path(folder)),
    "rebuild": lambda folder: rebuild(Path(folder)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
