"""What tests of this folder do in a process of its own, so that a death by signal would be seen."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from helixlog.commands.memory import Memory
from helixlog.embedding import load
from helixlog.projections import generations

BEGIN = 1_750_000_000_000_000_000
STATIC = load("static")
QUESTIONS = ("the harbour crane", "ECONNREFUSED", "who feeds the llamas", "Lima")
THINGS = ("crane", "llama", "harbour", "kitchen", "parser", "ECONNREFUSED", "backup", "tower", "cellar", "museum")


def opened(store: Path, **options: object) -> Memory:
    return Memory(store, embedder=STATIC, clock=lambda: BEGIN, **options)


def live(memory: Memory, first: int, count: int) -> None:
    """Some of everything."""
    for number in range(first, first + count):
        thing, other = THINGS[number % 10], THINGS[number * 7 % 10]
        text = f"The {thing} number {number} stands beside the {other}"
        stored = memory.store(text, tags=[thing], entities=["Lima"] if number % 9 == 0 else (), shared=number % 2 == 0)
        if number % 5 == 0:
            memory.feedback(ids=[stored.id], outcome="delivered", context=f"work on the {other}")
        if number % 7 == 0:
            memory.annotate(stored.id, add_tags=["kept"], add_entities=["Lima"])
        if number % 11 == 0:
            memory.supersede(stored.id, f"The {thing} number {number} was moved away")
    memory.link(stored.id, memory.list().memories[-1].id, relation="led_to")


def tell(folder: Path) -> None:
    generations._sync = lambda _: None
    with opened(folder / "yesterday") as memory:
        live(memory, 0, 25)
        assert memory.catalog.publish()
    for name in ("today", "forked"):
        shutil.copytree(folder / "yesterday", folder / name)
    with opened(folder / "forked") as memory:
        live(memory, 50, 30)
        assert memory.catalog.publish()
    with opened(folder / "today") as memory:
        live(memory, 25, 20)
        assert memory.catalog.publish()
    with opened(folder / "today") as memory:
        live(memory, 45, 5)
    with opened(folder / "stranger") as memory:
        live(memory, 30, 45)
        assert memory.catalog.publish()


def answers(memory: Memory) -> str:
    """Everything that is answered and believed, in one word."""
    said = [memory.recall(words, record=False, limit=20, hops=2).results for words in QUESTIONS]
    said += [memory.recall(words, record=False, as_of="@30").results for words in QUESTIONS]
    assert sum(map(len, said)) > 20
    digests = memory.catalog.digests()
    return blake2b(msgspec.json.encode((said, digests)), digest_size=8).hexdigest()


def show(store: Path, *words: str) -> None:
    """The answers of a store; then publish, open it again and answer once more."""
    generations._sync = lambda _: None
    with opened(store, read_only="read-only" in words) as memory:
        print(answers(memory))
        if "publish" in words:
            assert memory.catalog.publish()
    if "publish" in words:
        with opened(store) as memory:
            print(answers(memory))


# -- harm ------------------------------------------------------------------------


def delete(victim: Path, _: Path) -> None:
    victim.unlink()


def cut(victim: Path, _: Path) -> None:
    victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])


def empty(victim: Path, _: Path) -> None:
    victim.write_bytes(b"")


def garble(victim: Path, _: Path) -> None:
    data = bytearray(victim.read_bytes())
    data[len(data) // 2 :] = bytes(byte ^ 0x5A for byte in data[len(data) // 2 :])
    victim.write_bytes(data)


def swap(victim: Path, _: Path) -> None:
    others = sorted(path for path in victim.parent.iterdir() if path.is_file() and path != victim)
    if others:
        mine, theirs = victim.read_bytes(), others[0].read_bytes()
        victim.write_bytes(theirs)
        others[0].write_bytes(mine)


def older(victim: Path, yesterday: Path) -> None:
    old = yesterday / victim.relative_to(victim.parents[len(victim.parts) - victim.parts.index("projections") - 2])
    if old.exists():
        shutil.copy(old, victim)
    else:
        victim.unlink()


HARM = {harm.__name__: harm for harm in (delete, cut, empty, garble, swap, older)}


def victims(projections: Path) -> Iterator[Path]:
    return (path for path in sorted(projections.rglob("*")) if path.is_file())


def harm(name: str, told: Path, work: Path) -> None:
    """Harm each file of today's projections in turn; after each, what the store answers."""
    generations._sync = lambda _: None
    store, good = work / "store", told / "today" / "projections"
    shutil.copytree(told / "today", store)
    for victim in victims(good):
        shutil.rmtree(store / "projections")
        shutil.copytree(good, store / "projections")
        HARM[name](store / "projections" / victim.relative_to(good), told / "yesterday" / "projections")
        with opened(store) as memory:
            found = answers(memory)
            assert memory.catalog.publish()
        with opened(store) as memory:
            again = answers(memory)
        print(found, again, victim.relative_to(good))


TASKS = {
    "tell": lambda folder: tell(Path(folder)),
    "show": lambda store, *words: show(Path(store), *words),
    "harm": lambda name, told, work: harm(name, Path(told), Path(work)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
