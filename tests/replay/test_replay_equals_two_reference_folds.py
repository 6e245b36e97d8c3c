"""What a replay reports is the difference of two plain folds of the same events, and nothing else."""

from __future__ import annotations

import pytest
from helixlog.commands.times import format_time
from helixlog.eventlog.events import MemoriesRecalled, MemoryStored
from helixlog.projections.reference import Reference
from worlds import Life

CHANGES = (
    {"duplicate": 0.7},
    {"duplicate": 0.99, "related": 0.9},
    {"related": 0.55, "max_links": 2},
    {"learning_rate": 0.6, "causal": 0.85},
    {"prune_min_uses": 1, "prune_threshold": 0.6},
    {"decay_rate": 0.5, "decay_after_days": 1},
    {"initial_normal": 0.9, "erosion_rate": 0.5},
)


def folded(log, constants):
    reference = Reference(constants)
    for recorded in log:
        reference.apply(recorded)
    return reference


def word(reference, root, clock):
    memory = reference.memories[root]
    if memory.forgotten:
        return "forgotten"
    if memory.superseded_by:
        return "superseded"
    if memory.pruned:
        return "pruned"
    if memory.expires_at is not None and memory.expires_at <= clock:
        return "expired"
    if memory.valid_from is not None and memory.valid_from > clock:
        return "not_yet_valid"
    return "no_longer_valid" if memory.valid_to is not None and memory.valid_to <= clock else "live"


def standing(reference, ordinal, clock):
    """State and numbers of the memory that a text begins."""
    if reference.root_of[ordinal] != ordinal:
        return "merged", None, None, None
    memory = reference.memories[ordinal]
    return (
        word(reference, ordinal, clock),
        reference.value(memory, clock),
        reference.adjusted(memory, clock),
        memory.spread,
    )


def edges(reference, ids):
    def end(node):
        return ids[node] if isinstance(node, int) else ":".join(node)

    found = {}
    for (source, target, relation), weight in reference.edges.now().items():
        ends = end(source), end(target)
        found[(*(sorted(ends) if relation == "similar" else ends), relation)] = weight
    return found


@pytest.fixture(scope="module", params=range(3))
def used(request, tmp_path_factory):
    made = Life(tmp_path_factory.mktemp("world") / "life", 40 + request.param).live(90)
    yield made
    made.memory.close()


@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_the_report_is_the_difference_of_two_reference_folds(used, changes, share):
    memory = used.memory
    n = int(memory.eventlog.head.seq * share)
    clock = memory.event(n).recorded_at + 10**15
    point = f"@{n}/{format_time(clock)}"
    log = list(memory.eventlog.read(1, n))
    view = memory.view(point)
    altered = view.beliefs.constants.altered(changes, fingerprint=view.beliefs.fingerprint)
    ours, theirs = folded(log, view.beliefs.constants), folded(log, altered)
    ids = [r.id for r in log if isinstance(r.event, MemoryStored)]
    done = memory.replay(changes=changes, as_of=point)

    both = [(standing(ours, o, clock), standing(theirs, o, clock)) for o in range(len(ids))]
    assert [(m.id, m.state, m.effectiveness, m.adjusted, m.generality) for m in done.memories] == [
        (ids[o], *zip(*pair, strict=True)) for o, pair in enumerate(both) if pair[0] != pair[1]
    ]
    joined = [[None if r == o else ids[r] for o, r in enumerate(one.root_of)] for one in (ours, theirs)]
    assert [(m.id, m.into) for m in done.merges] == [
        (ids[o], pair) for o, pair in enumerate(zip(*joined, strict=True)) if pair[0] != pair[1]
    ]
    before, after = edges(ours, ids), edges(theirs, ids)
    assert {(e.source, e.target, e.relation): e.weight for e in done.links} == {
        key: (before.get(key), after.get(key))
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
    }
    assert done.pairs_computed == theirs.pairs_computed
    assert done.head == n


def test_recorded_recalls_are_asked_at_their_own_points(used):
    """Each as of its day under either set, by folds made for it alone."""
    memory, changes = used.memory, {"duplicate": 0.7, "keyword_weight": 0.0, "hop_discount": 0.0, "causal_floor": 0.0}
    done = memory.replay(changes=changes)
    beliefs = memory.view().beliefs
    sets = [beliefs.constants, beliefs.constants.altered(changes, fingerprint=beliefs.fingerprint)]
    asked = [r for r in memory.eventlog.read() if isinstance(r.event, MemoriesRecalled)]
    wanted = {}
    for recorded in asked:
        event = recorded.event
        point = f"@{event.point_seq}/{format_time(event.point_clock)}"
        orders = tuple(
            tuple(
                hit.id
                for hit in memory.recall(
                    event.query, limit=event.limit, hops=event.hops, as_of=point, constants=chosen, exact=True
                ).results
            )
            for chosen in sets
        )
        if orders[0] != orders[1]:
            wanted[recorded.id] = orders
    assert {one.recall_id: one.order for one in done.recalls} == wanted
    assert done.recalls_asked == len(asked)
    assert wanted


def test_the_reports_are_not_equal_by_being_empty(used):
    found = [used.memory.replay(changes=changes, recalls=0) for changes in CHANGES]
    assert any(one.memories for one in found)
    assert any(one.merges for one in found)
    assert any(one.links for one in found)


def test_only_what_differs_is_reported(used):
    done = used.memory.replay(changes={"rrf_k": used.memory.view().beliefs.constants.rrf_k})
    assert (done.constants, done.memories, done.merges, done.links, done.recalls, done.ignored) == (
        {},
        (),
        (),
        (),
        (),
        (),
    )
