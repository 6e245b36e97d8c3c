"""What tests of this folder do in a process of its own, so that a death by signal would be seen."""

from __future__ import annotations

import shutil
import sys
from hashlib import blake2b
from pathlib import Path

import msgspec
from helixlog.commands.memory import Memory
from helixlog.embedding import load
from helixlog.projections import generations

BEGIN = 1_750_000_000_000_000_000
STATIC = load("static")
QUESTIONS = ("the harbour crane near ECONNREFUSED", "Lima kept llama")
THINGS = ("crane", "llama", "harbour", "kitchen", "parser", "ECONNREFUSED", "backup", "tower", "cellar", "museum")


def say(*words: str) -> None:
    """A line for the test that started this process."""
    sys.stdout.write(" ".join(words) + "\n")


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
    assert sum(map(len, said)) > 10
    digests = memory.catalog.digests()
    return blake2b(msgspec.json.encode((said, digests)), digest_size=8).hexdigest()


def show(store: Path, *words: str) -> None:
    """The answers of a store; then publish, open it again and answer once more."""
    generations._sync = lambda _: None
    with opened(store, read_only="read-only" in words) as memory:
        say(answers(memory))
        if "publish" in words:
            assert memory.catalog.publish()
    if "publish" in words:
        with opened(store) as memory:
            say(answers(memory))


# -- harm ------------------------------------------------------------------------
# Each takes the victim, what stood in its place yesterday, and its neighbour in the folder.


def delete(victim: Path, _old: Path, _other: Path) -> None:
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink()


def cut(victim: Path, _old: Path, _other: Path) -> None:
    victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])


def empty(victim: Path, _old: Path, _other: Path) -> None:
    if victim.is_dir():
        shutil.rmtree(victim)
        victim.mkdir()
    else:
        victim.write_bytes(b"")


def garble(victim: Path, _old: Path, _other: Path) -> None:
    data = victim.read_bytes()
    half = len(data) // 2
    victim.write_bytes(data[:half] + bytes(byte ^ 0x5A for byte in data[half:]))


def swap(victim: Path, _old: Path, other: Path) -> None:
    aside = victim.with_name("aside")
    victim.rename(aside)
    other.rename(victim)
    aside.rename(other)


def older(victim: Path, old: Path, other: Path) -> None:
    delete(victim, old, other)
    if old.is_dir():
        shutil.copytree(old, victim)
    elif old.is_file():
        shutil.copy(old, victim)


FILES = (delete, cut, empty, garble, swap, older)
FOLDERS = (delete, empty, swap, older)


def harm(kind: str, told: Path, work: Path, turn: int) -> None:
    """Harm each file, or each projection's folder, in turn; after each, what the store answers.

    Now and then it is published and opened again. The kinds of harm take turns, from the `turn`-th on.
    """
    generations._sync = lambda _: None
    store, good, yesterday = work / "store", told / "today" / "projections", told / "yesterday" / "projections"
    shutil.copytree(told / "today", store)
    victims = (
        [path for path in sorted(good.rglob("*")) if path.is_file()] if kind == "files" else sorted(good.iterdir())
    )
    harms = FILES if kind == "files" else FOLDERS
    for number, victim in enumerate(victims):
        shutil.rmtree(store / "projections")
        shutil.copytree(good, store / "projections")
        place, chosen = victim.relative_to(good), harms[(number + turn) % len(harms)]
        here = store / "projections" / place
        beside = sorted(path for path in here.parent.iterdir() if path != here and path.is_dir() == here.is_dir())
        chosen(here, yesterday / place, beside[0] if beside else here)
        with opened(store) as memory:
            said = [chosen.__name__, str(place), answers(memory)]
            assert number % 4 or memory.catalog.publish()
        if number % 4 == 0:
            with opened(store) as memory:
                said.append(answers(memory))
        say(*said)


TASKS = {
    "tell": lambda folder: tell(Path(folder)),
    "show": lambda store, *words: show(Path(store), *words),
    "harm": lambda kind, told, work, turn: harm(kind, Path(told), Path(work), int(turn)),
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
