"""The generator of `tools/workload`: the same arguments make the same events, through the product's own verbs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from helixlog.commands.memory import Memory
from helixlog.eventlog.events import FeedbackGiven, MemoriesRecalled, MemoryStored

ROOT = Path(__file__).parents[2]


@pytest.fixture
def small(setting):
    return replace(setting, memories=16, sessions=5)


def events(folder):
    with Memory(folder, create=False) as memory:
        return list(memory.eventlog.read(2, memory.eventlog.head.seq))


def test_the_same_seed_makes_the_same_events(workload, small, tmp_path):
    for name in ("one", "two"):
        workload["make"].make(tmp_path / name, small, embedder="none")
    workload["make"].make(tmp_path / "three", replace(small, seed=1), embedder="none")
    one, two, three = (events(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one != three


def test_a_world_is_made_of_memories_recalls_and_feedback(workload, small, tmp_path):
    workload["make"].make(tmp_path / "store", small, embedder="none")
    kinds = Counter(type(one.event) for one in events(tmp_path / "store"))
    assert kinds == {MemoryStored: 16, MemoriesRecalled: 15, FeedbackGiven: 15}


def test_of_a_pair_one_is_right_and_they_change_places(workload, small):
    world = workload["world"].World(small)
    changes = 0
    for _ in range(200):
        before = list(world.right)
        world.wait(1.0)
        changes += before != world.right
        assert all(world.right[one] != world.right[one + 1] for one in range(0, 16, 2))
    assert changes > 100


def test_topics_are_asked_about_as_zipf_has_it(workload, setting):
    world = workload["world"].World(replace(setting, memories=64))
    asked = Counter(world.topic() for _ in range(4_000))
    assert asked[0] == pytest.approx(2 * asked[1], rel=0.25)
    assert asked[0] > 3 * asked[7]


def test_noise_says_nothing(workload, setting):
    """With reports that are all noise, what is right is used no more often than what is not."""
    used = {}
    for noise in (0.0, 1.0):
        world = workload["world"].World(replace(setting, noise=noise))
        right = wrong = 0
        for _ in range(500):
            report = world.report([0, 1])
            right += any(world.right[place] for place in report.used)
            wrong += any(not world.right[place] for place in report.used)
        used[noise] = right / wrong
    assert used[0.0] > 4
    assert used[1.0] == pytest.approx(1.0, abs=0.25)


def test_the_script_makes_a_store(tmp_path):
    script = ROOT / "tools" / "workload" / "make.py"
    words = ["--memories", "8", "--sessions", "2", "--embedder", "none", "--noise-only"]
    done = subprocess.run(
        [sys.executable, script, tmp_path / "store", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "8 memories" in done.stdout
    again = subprocess.run(
        [sys.executable, script, tmp_path / "store", *words], capture_output=True, text=True, check=False
    )
    assert again.returncode == 2
    assert "not empty" in again.stderr
