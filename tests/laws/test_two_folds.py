"""The production fold believes what the reference fold believes, bit for bit, on random logs."""

from __future__ import annotations

from random import Random

import production
import snapshots
from helixlog.constants import Constants
from helixlog.projections.reference import Reference
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import floor_of, random_constants, random_log

LATER = st.sampled_from([0, 1, 10**9, 86_400 * 10**9, 20 * 86_400 * 10**9, 45 * 86_400 * 10**9, 400 * 86_400 * 10**9])


def comparable(snapshot: dict) -> dict:
    """Without what only one of the two keeps: how a text joined, the order of members, the words of a report."""
    memories = {
        root: {name: value for name, value in memory.items() if name != "partition"}
        | {"members": sorted(memory["members"])}
        for root, memory in snapshot["memories"].items()
    }
    reports = {name: value for name, value in snapshot["reports"].items() if name != "erased_events"}
    reports["ignored"] = [seq for seq, _ in reports["ignored"]]
    return {name: value for name, value in snapshot.items() if name != "reason"} | {
        "memories": memories,
        "reports": reports,
    }


def reference(log, constants) -> Reference:
    fold = Reference(constants)
    for recorded in log:
        fold.apply(recorded)
    return fold


@settings(deadline=None, max_examples=120)
@example(3654514, 113, 0, 1)  # lists cut among texts that are equally near
@given(st.integers(0, 2**32 - 1), st.integers(1, 120), LATER, st.sampled_from([1, 3, 30, 60, 1000]))
def test_both_folds_believe_the_same(seed, size, later, batch):
    rng = Random(seed)
    log = random_log(rng, size)
    constants = random_constants(rng, floor_of(log)) if seed % 3 else Constants.seed()
    t = log[-1].recorded_at + later
    expected = comparable(snapshots.snapshot(reference(log, constants), t))
    found = comparable(production.snapshot(production.Production(log, constants, batch=batch).beliefs, t))
    for name in expected:
        assert found[name] == expected[name], name


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(10, 120))
def test_which_texts_have_joined_which_memory_is_known_after_every_event(seed, size):
    log = random_log(Random(seed), size)
    beliefs = production.Production(log, Constants.seed(), stop=0).beliefs
    memories = beliefs.memories
    for recorded in log:
        beliefs.apply([recorded])
        roots = sorted(set(memories.table["root"].tolist()))
        assert [memories.joined.find(root) for root in roots] == [memories.members(root)[1:].tolist() for root in roots]
