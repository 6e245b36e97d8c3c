"""A process is killed at any moment: whatever it acknowledged is there, and the store goes on."""

import pytest
from crash.kills import kill_loop
from crash.teeth import Without
from crash.workloads import WORKLOADS, fresh

SEED = 20_260_201


@pytest.fixture(scope="module")
def loops(nursery, base, place):
    """Every verb that writes, killed twice; the store goes on in between."""
    return {name: kill_loop(nursery, name, SEED, fresh(base, place / f"loop-{name}"), rounds=2) for name in WORKLOADS}


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_was_acknowledged_survives(loops, name):
    assert loops[name].losses == []
    assert loops[name].kills == loops[name].checks == 2


def test_the_kills_hit_verbs_at_work_and_there_were_promises_to_hold(loops):
    assert sum(tally.mid for tally in loops.values()) >= len(WORKLOADS) // 2
    assert sum(tally.promises for tally in loops.values()) > 2 * len(WORKLOADS)


def test_a_promise_made_before_the_commit_is_noticed(nursery, copied):
    tally = kill_loop(Without(nursery, "acknowledging-last"), "store", SEED, copied(), rounds=40)
    assert "the log ends at" in tally.losses[0]


@pytest.mark.long
@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("seed", range(20))
def test_long_loops_of_kills(nursery, copied, name, seed):
    tally = kill_loop(nursery, name, SEED + seed, copied(), rounds=5)
    assert tally.losses == []
    assert tally.kills == 5
