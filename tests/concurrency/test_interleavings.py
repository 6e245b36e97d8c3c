"""Whatever happens between a decision and its append, the outcome is that of some order of whole commands.

Each seed is an interleaving of three handles that decide, wait, and append. A failure names its seed.
"""

from __future__ import annotations

import shutil
from random import Random

import pytest
from helixlog.commands.memory import Memory
from helixlog.embedding import load
from helixlog.errors import Conflict, NotFound
from helixlog.eventlog.events import FeedbackGiven, MemoryStored, MemorySuperseded
from turns import Turns

SAME = "The llama stands at berth nine"
SEEDS = [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 400))]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A store with one memory, which all speak of."""
    folder = tmp_path_factory.mktemp("begun") / "store"
    with Memory(folder, embedder=load("static")) as memory:
        fox = memory.store("The fox avoids the paddock at noon").id
    return folder, fox


class Race:
    """Three handles of one store, their commands in an order of `seed`.

    `overlaps` counts the appends between whose decision to write and their commit somebody else committed.
    """

    def __init__(self, folder, fox, seed, *, locked=True):
        self.fox, self.locked, self.turns = fox, locked, Turns(seed)
        self.memories = [Memory(folder, embedder=load("static")) for _ in range(3)]
        self.outcomes: list[tuple[str, object]] = []
        self.commits = self.overlaps = 0
        chance = Random(seed)
        for memory in self.memories:
            memory.catalog  # noqa: B018 - brought to the head, as that of a process that has read already
            self._gate(memory)
        self.errors = self.turns.run(
            [lambda m=memory, n=number: self._act(m, n, chance) for number, memory in enumerate(self.memories)]
        )

    def _gate(self, memory):
        log = memory.eventlog
        append_with = log.append_with

        def gated(decide, **options):
            seen = self.commits
            if not self.locked:  # decides on what was there before the wait, as without the lock
                drafts = decide(log)
                decide = lambda _log: drafts  # noqa: E731
            self.turns.turn()
            self.overlaps += self.commits > seen
            done = append_with(decide, **options)
            self.commits += 1
            return done

        log_of = memory.eventlog
        memory.eventlog = Gated(log_of, gated)

    def _act(self, memory, number, chance):
        steps = [self._same, self._feedback, self._supersede, self._own, self._same]
        Random(f"{number}-{chance.random()}").shuffle(steps)
        for step in steps:
            step(memory, number)
            self.turns.turn()

    def _same(self, memory, _):
        self.outcomes.append(("same", memory.store(SAME).status))

    def _own(self, memory, number):
        memory.store(f"Crane {number} was painted by Lima{number}")

    def _feedback(self, memory, _):
        memory.feedback(ids=[self.fox], outcome="delivered")

    def _supersede(self, memory, number):
        try:
            memory.supersede(self.fox, f"The fox sleeps at noon, says keeper {number}")
            self.outcomes.append(("supersede", "done"))
        except (Conflict, NotFound):
            self.outcomes.append(("supersede", "conflict"))

    def close(self):
        for memory in self.memories:
            memory.close()


class Gated:
    """A log whose appends wait for their turn."""

    def __init__(self, log, append_with):
        self._log, self.append_with = log, append_with

    def __getattr__(self, name):
        return getattr(self._log, name)


def broken_laws(race, folder):
    """What is not as after some order of whole commands."""
    found = []
    with Memory(folder, embedder=load("static")) as memory:
        events = list(memory.eventlog.read())
        kinds = [type(event.event) for event in events]
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            found.append("a gap")
        same = sorted(status for what, status in race.outcomes if what == "same")
        if same != ["added", *["reinforced"] * 5]:
            found.append(f"one text is not one memory: {same}")
        done = [status for what, status in race.outcomes if what == "supersede"]
        if sorted(done) != ["conflict", "conflict", "done"] or kinds.count(MemorySuperseded) != 1:
            found.append(f"one place has not one winner: {done}")
        fox = memory.get(race.fox)
        if (fox.uses, kinds.count(FeedbackGiven)) != (3, 3):
            found.append(f"{fox.uses} of 3 uses")
        if kinds.count(MemoryStored) != 1 + 6 + 3 + 1:
            found.append("texts")
        cold = memory.catalog.digests()
        found += ["a handle believes something else" for one in race.memories if one.catalog.digests() != cold]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_every_interleaving_is_an_order_of_whole_commands(begun, tmp_path, seed):
    print(f"seed {seed}")  # noqa: T201 - shown when it fails
    folder = shutil.copytree(begun[0], tmp_path / "store")
    race = Race(folder, begun[1], seed)
    try:
        assert race.errors == [], f"seed {seed}"
        assert race.overlaps > 0, f"seed {seed}: nothing interleaved"
        assert broken_laws(race, folder) == [], f"seed {seed}: {race.turns.order}"
    finally:
        race.close()


def test_decisions_made_without_the_lock_break_the_laws(begun, tmp_path):
    """Teeth: were a decision not made again under the lock, some interleaving would double or lose something."""
    broken = []
    for seed in range(6):
        folder = shutil.copytree(begun[0], tmp_path / f"store-{seed}")
        race = Race(folder, begun[1], seed, locked=False)
        broken += race.errors or broken_laws(race, folder)
        race.close()
        if broken:
            return
    pytest.fail("no interleaving showed that the lock matters")


def test_an_order_is_that_of_its_seed(begun, tmp_path):
    orders = []
    for run in range(2):
        folder = shutil.copytree(begun[0], tmp_path / f"store-{run}")
        race = Race(folder, begun[1], 3)
        orders.append(race.turns.order)
        race.close()
    assert orders[0] == orders[1]
