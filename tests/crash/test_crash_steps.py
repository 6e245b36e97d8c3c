"""A process dies before any step between two durable ones: the store is the one before or the one after."""

import pytest
from crash.kills import step_by_step, steps_of
from crash.workloads import WORKLOADS

SEED = 7
HERE = {"create": 5, "erase": 5}


@pytest.mark.parametrize("name", WORKLOADS)
def test_death_before_some_of_the_steps_harms_nothing(nursery, base, scratch, name):
    tally, names = step_by_step(nursery, name, SEED, base, scratch, only=HERE.get(name, 3))
    assert tally.losses == []
    assert tally.kills == len(names) == HERE.get(name, 3)


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("store", {"lmdb put", "lmdb commit", "lmdb committed"}),
        ("publish", {"fsync ledger-v3", "fsync CURRENT.tmp", "replace CURRENT.tmp"}),
        ("create", {"link secret", "fsync data.mdb", "replace helixlog.json.new"}),
        ("backup", {"lmdb copy", "fsync secret"}),
    ],
)
def test_the_steps_are_those_that_matter(nursery, copied, name, steps):
    """Names without what differs from run to run: the number of a process."""
    taken = {step.removeprefix("STEP ").partition("-")[0] for step in steps_of(nursery, name, SEED, copied())}
    assert {step.partition("-")[0] for step in steps} <= taken


@pytest.mark.long
@pytest.mark.parametrize("name", WORKLOADS)
def test_death_before_every_step_harms_nothing(nursery, base, scratch, name):
    tally, _names = step_by_step(nursery, name, SEED, base, scratch)
    assert tally.losses == []
    assert tally.kills > 3
