"""Make a store that has a history: memories, recalls and feedback of an agent in a world with a truth.

    python tools/workload/make.py STORE [--memories N] [--sessions N] [--seed N] [--noise SHARE | --noise-only]
                                        [--change-after DAYS] [--embedder NAME]

Everything goes through `Memory`, with a clock of the world's. The same arguments make the same events, ids
included; only the salts of the records differ. `world.py` says what is behind it, `oracle.py` which constants are
best there.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from helixlog import Actor, Memory
from helixlog.constants import DAY
from helixlog.eventlog.ids import new_id
from world import PER_TOPIC, SHOWN, Setting, World

BEGIN = 1_767_225_600_000_000_000
"""The world's first moment: 2026-01-01."""

SERVICES = ("billing", "search", "ledger", "mailer", "gateway", "catalog", "courier", "archive", "planner", "auditor")
THINGS = ("retry limit", "cache size", "batch window", "queue depth")
Progress = Callable[[int, int], None]


class Seeded(Memory):
    """A store whose ids come from a seed."""

    def __init__(self, path: Path, *, embedder: str, seed: int, clock: Callable[[], int]) -> None:
        self._bytes = random.Random(seed).randbytes
        super().__init__(path, embedder=embedder, clock=clock)

    def new_id(self) -> str:
        """The next id."""
        return new_id(self.now(), self._bytes)


def service(topic: int) -> str:
    """The name of a topic; each one its own word."""
    name = SERVICES[topic % len(SERVICES)]
    return name if topic < len(SERVICES) else f"{name}{topic // len(SERVICES)}"


def text(memory: int) -> str:
    """What a memory says; the other of its pair says another number."""
    topic, place = divmod(memory, PER_TOPIC)
    return f"The {THINGS[place // 2]} of the {service(topic)} service is {20 + 7 * memory}."


def make(path: Path, setting: Setting, *, embedder: str = "static", progress: Progress | None = None) -> World:
    """Make the store at `path`, where none is yet; the world as it is in the end."""
    world = World(setting)
    with Seeded(path, embedder=embedder, seed=setting.seed, clock=lambda: BEGIN + round(world.now * DAY)) as memory:
        ids = {}
        for number in world.memories:
            name = service(number // PER_TOPIC)
            ids[memory.store(text(number), tags=[name]).id] = number
        for session in range(setting.sessions):
            world.pause()
            memory.actor = Actor(actor="agent", session_id=f"session-{session}")
            topic = world.topic()
            for _ in range(setting.recalls):
                _ask(memory, world, topic, ids)
            if progress is not None:
                progress(session + 1, setting.sessions)
    return world


def _ask(memory: Memory, world: World, topic: int, ids: dict[str, int]) -> None:
    """One question, and what came of the answer a few minutes later."""
    about = " and the ".join(world.rng.sample(THINGS, 2))
    name = service(topic)
    recalled = memory.recall(
        f"What is the {about} of the {name} service?", limit=SHOWN, hops=0, tags=[name], channel="context"
    )
    world.wait(world.rng.uniform(1.0, 10.0) / 1440.0)
    if not recalled.results or recalled.recall_id is None:
        return
    shown = [result.id for result in recalled.results]
    report = world.report([ids[one] for one in shown])
    memory.feedback(
        recalled.recall_id,
        outcome="delivered" if report.good else "blocked",
        used=[shown[place] for place in report.used],
        source="agent",
    )
    world.wait(world.rng.uniform(1.0, 10.0) / 1440.0)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    plain = Setting()
    parser.add_argument("store", type=Path)
    parser.add_argument("--memories", type=int, default=plain.memories)
    parser.add_argument("--sessions", type=int, default=plain.sessions)
    parser.add_argument("--seed", type=int, default=plain.seed)
    parser.add_argument("--change-after", type=float, default=plain.change_after)
    parser.add_argument("--noise", type=float, default=plain.noise)
    parser.add_argument("--noise-only", action="store_true")
    parser.add_argument("--embedder", default="static")
    asked = parser.parse_args()
    setting = Setting(
        memories=asked.memories,
        sessions=asked.sessions,
        seed=asked.seed,
        change_after=asked.change_after,
        noise=1.0 if asked.noise_only else asked.noise,
    )
    if asked.store.exists() and any(asked.store.iterdir()):
        parser.error(f"{asked.store} is not empty")
    make(asked.store, setting, embedder=asked.embedder)
    print(f"{asked.store}: {len(World(setting).memories)} memories, {setting.sessions} sessions, seed {setting.seed}")


if __name__ == "__main__":
    main()
