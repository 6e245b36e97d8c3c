"""Stores with a history to tune on: small ones told step by step, and worlds of `tools/workload`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY
from helixlog.replay.tuning.reading import read

ROOT = Path(__file__).parents[2]
BEGIN = 1_750_000_000_000_000_000


@pytest.fixture(scope="session")
def optuna():
    """The package behind the search; what needs it is skipped without it."""
    return pytest.importorskip("optuna")


@pytest.fixture(scope="session")
def workload():
    """The modules of `tools/workload`, which are scripts and no package."""
    sys.path.insert(0, str(ROOT / "tools" / "workload"))
    try:
        import make
        import oracle
        import world
    finally:
        sys.path.pop(0)
    return {"make": make, "oracle": oracle, "world": world}


@pytest.fixture(scope="session")
def setting(workload):
    return workload["world"].Setting(sessions=200, seed=11)


@contextmanager
def made(workload, setting):
    """A store of a world, opened; its words alone find its memories, which is faster, and so is a disk in memory."""
    fast = Path("/dev/shm")  # noqa: S108 - a private folder in it
    with TemporaryDirectory(dir=fast if fast.is_dir() else None) as folder:
        workload["make"].make(Path(folder) / "store", setting, embedder="none")
        with Memory(Path(folder) / "store", create=False) as memory:
            yield memory


@pytest.fixture(scope="session")
def drifting(workload, setting):
    """A store of a world whose truth changes faster than the constants that ship can follow."""
    with made(workload, setting) as memory:
        yield memory


@pytest.fixture(scope="session")
def noise(workload, setting):
    """The same world, and not one report that says anything."""
    with made(workload, replace(setting, noise=1.0)) as memory:
        yield memory


class Story:
    """A small store, told step by step; the clock goes on by days."""

    def __init__(self, folder: Path, embedder: str = "none") -> None:
        self.now = BEGIN
        self.memory = Memory(folder, embedder=embedder, clock=lambda: self.now)

    def pass_days(self, days: float) -> None:
        self.now += round(days * DAY)

    def store(self, *texts: str) -> list[str]:
        return [self.memory.store(text).id for text in texts]

    def judge(self, query: str, used: list[str] | None, outcome: str = "delivered"):
        """A recall and, a tenth of a day later, what was used of it; the recall. None: nobody says what was used."""
        recalled = self.memory.recall(query, hops=0, min_relevance=0.2)
        self.pass_days(0.1)
        self.memory.feedback(recalled.recall_id, outcome=outcome, used=used)
        self.pass_days(1)
        return recalled

    def evidence(self):
        return evidence(self.memory)


def evidence(memory):
    """What a store holds that can be judged."""
    held = memory.view().beliefs
    return read(memory.eventlog, held, lambda constants: memory.catalog.fold(held.seq, constants))


@pytest.fixture(scope="session")
def evidence_of():
    """`evidence_of(memory)`: what a store holds that can be judged."""
    return evidence


@pytest.fixture
def story(tmp_path):
    told = Story(tmp_path / "store")
    with told.memory:
        yield told


@pytest.fixture
def pump(story):
    """Five memories about one pump, and a few weeks of feedback on them; `story` with `ids`, newest last."""
    story.ids = story.store(*(f"The pump number {number} needs oil of kind {number * 3}." for number in range(1, 6)))
    for week in range(9):
        used = [story.ids[week % 3], story.ids[4]] if week % 4 else [story.ids[1]]
        story.judge("pump oil", used, "delivered" if week != 5 else "blocked")
        story.pass_days(4 * week)
    return story


@pytest.fixture
def near(tmp_path):
    """Memories with vectors, judged by how near they are to what was asked, in many contexts; `story` with `ids`."""
    told = Story(tmp_path / "near", "static")
    with told.memory:
        told.ids = told.store(
            "The billing service retries a failed charge three times.",
            "Failed charges are reported in the channel billing-alerts.",
            "Restart the search index with the resume flag.",
            "The search index is owned by the platform team.",
            "A failed build of the search index is reported to the platform team.",
        )
        for round_ in range(4):
            told.judge("What happens when a charge fails in billing?", None)
            told.judge("Who is told about failed charges?", None, "blocked" if round_ == 2 else "delivered")
            told.judge("Who is told when the build of the search index fails?", None)
            told.pass_days(12 * round_)
        yield told
