"""Laws that the definition itself must keep, whatever the log."""

from __future__ import annotations

from collections import Counter
from random import Random

import msgspec
import pytest
from helixlog.constants import DAY, Constants
from helixlog.eventlog import events as ev
from helixlog.projections.reference import SIMILAR, Reference
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshots import snapshot
from strategies import WEIGHTS, Writer, floor_of, logs, logs_with_constants, random_constants, random_log

SCALES = settings(max_examples=25, deadline=None)


def folded(log, constants):
    reference = Reference(constants)
    for recorded in log:
        reference.apply(recorded)
    return reference


def believed(log, constants, later=0):
    return snapshot(folded(log, constants), log[-1].recorded_at + later)


def without_reports(beliefs):
    return {name: part for name, part in beliefs.items() if name != "reports"}


@SCALES
@given(logs_with_constants(), st.data())
def test_folding_a_prefix_and_then_the_rest_is_folding_at_once(case, data):
    log, constants = case
    cut = data.draw(st.integers(1, len(log)))
    reference = folded(log[:cut], constants)
    assert snapshot(reference, log[cut - 1].recorded_at) == believed(log[:cut], constants)
    for recorded in log[cut:]:
        reference.apply(recorded)
    assert snapshot(reference, log[-1].recorded_at) == believed(log, constants)


@SCALES
@given(logs_with_constants())
def test_what_a_text_became_is_decided_at_its_own_seq_for_good(case):
    log, constants = case
    reference, decided = Reference(constants), []
    for recorded in log:
        reference.apply(recorded)
        assert reference.status[: len(decided)] == [status for status, _ in decided]
        assert reference.reason[: len(decided)] == [reason for _, reason in decided]
        decided = list(zip(reference.status, reference.reason, strict=True))


@SCALES
@given(logs_with_constants())
def test_every_text_is_a_member_of_exactly_one_memory_or_a_hole(case):
    reference = folded(*case)
    members = [n for memory in reference.memories.values() for n in memory.members]
    holes = [n for n, root in enumerate(reference.root_of) if root == -1]
    assert sorted(members + holes) == list(range(len(reference.texts)))
    for root, memory in reference.memories.items():
        assert root == memory.root == min(memory.members)
        assert memory.lead in memory.members
        assert all(reference.root_of[n] == root for n in memory.members)


@SCALES
@given(logs_with_constants())
def test_numbers_stay_in_their_ranges(case):
    log, constants = case
    reference = folded(log, constants)
    for memory in reference.memories.values():
        now = log[-1].recorded_at
        assert 0 <= memory.hits <= memory.uses
        assert 0 <= reference.adjusted(memory, now) <= reference.value(memory, now) <= 1
        assert 0 <= memory.spread <= 2
        assert memory.k0 >= 0
        assert 0 <= memory.contexts <= len(memory.velocity)


@SCALES
@given(logs_with_constants())
def test_ticks_of_decay_and_expiry_change_nothing(case):
    log, constants = case
    ticks = (ev.DecayTicked, ev.ExpiryTicked, ev.TierTicked, ev.SynthesisTicked)
    without = [recorded for recorded in log if not isinstance(recorded.event, ticks)]
    later = 100 * DAY
    assert snapshot(folded(log, constants), log[-1].recorded_at + later) == snapshot(
        folded(without, constants), log[-1].recorded_at + later
    )


@SCALES
@given(logs_with_constants(recall=30))
def test_being_recalled_lifts_nothing(case):
    log, constants = case
    quiet = [recorded for recorded in log if not isinstance(recorded.event, ev.MemoriesRecalled)]
    never_pruned_as_ghost = constants.altered({"prune_ghost_days": 36_500})
    with_recalls = folded(log, never_pruned_as_ghost)
    without = folded(quiet, never_pruned_as_ghost)
    for reference in (with_recalls, without):
        for memory in reference.memories.values():
            memory.last_returned, memory.exposed = None, False
    now = log[-1].recorded_at
    assert without_reports(snapshot(with_recalls, now)) == without_reports(snapshot(without, now))


@SCALES
@given(logs_with_constants())
def test_membership_reads_no_effectiveness_no_recall_no_prune_and_no_clock(case):
    log, constants = case
    deaf = (ev.FeedbackGiven, ev.MemoriesRecalled, ev.PruneTicked, ev.MemoryReinforced)
    moved = [
        msgspec.structs.replace(recorded, recorded_at=recorded.recorded_at + 3 * DAY * recorded.seq)
        for recorded in log
        if not isinstance(recorded.event, deaf)
    ]
    one, other = folded(log, constants), folded(moved, constants)
    assert (one.root_of, one.status, one.reason) == (other.root_of, other.status, other.reason)
    assert one.edges.now() == other.edges.now()


def without_lists(recorded):
    """The event with evidence that lists nothing: every pair must be computed."""
    event = recorded.event
    if not isinstance(event, ev.MemoryStored) or event.evidence is None:
        return recorded
    bare = msgspec.structs.replace(event.evidence, near=b"", horizon=2.0)
    return msgspec.structs.replace(recorded, event=msgspec.structs.replace(event, evidence=bare))


@SCALES
@given(logs_with_constants(erase=0, incomplete=0))
def test_evidence_is_a_cache_beliefs_are_the_same_without_it(case):
    log, constants = case
    bare = [without_lists(recorded) for recorded in log]
    assert without_reports(believed(log, constants)) == without_reports(believed(bare, constants))


@SCALES
@given(logs())
def test_wrong_evidence_would_be_noticed(log):
    """The law above has teeth: a log whose lists are cut, and whose horizon lies, is believed otherwise."""
    lied = [without_lists(recorded) for recorded in log]
    lied = [
        msgspec.structs.replace(
            one,
            event=msgspec.structs.replace(
                one.event, evidence=msgspec.structs.replace(one.event.evidence, horizon=-1.0)
            ),
        )
        if isinstance(one.event, ev.MemoryStored) and one.event.evidence
        else one
        for one in lied
    ]
    reference = folded(lied, Constants.seed())
    assert reference.pairs_computed == 0
    assert "merged" not in reference.status


@SCALES
@given(logs_with_constants())
def test_supersession_alone_never_makes_a_cycle(case):
    log, constants = case
    united = [one for one in log if not isinstance(one.event, ev.MembershipOverruled)]
    reference = folded(united, constants)
    for memory in reference.memories.values():
        seen, waiting = set(), [memory.root]
        while waiting:
            newer = set(reference.memories[waiting.pop()].superseded_by) - seen
            assert memory.root not in newer
            seen |= newer
            waiting.extend(newer)


@pytest.fixture(scope="module")
def happened():
    """How often each interesting thing happened over 200 logs."""
    counts: Counter[str] = Counter()
    for seed in range(200):
        rng = Random(seed)
        log = random_log(rng, 80)
        constants = Constants.seed() if seed % 2 else random_constants(rng, floor_of(log))
        count(counts, log, constants)
    return counts


def count(counts, log, constants):
    reference = Reference(constants)
    for recorded in log:
        pruned = {root for root, memory in reference.memories.items() if memory.pruned}
        members, pairs = len(reference.memories), reference.pairs_computed
        reference.apply(recorded)
        now_pruned = {root for root, memory in reference.memories.items() if memory.pruned}
        counts["prune"] += len(now_pruned - pruned)
        event = recorded.event
        if isinstance(event, ev.MemoryStored):
            counts["pruned_rejoined"] += len(pruned - now_pruned)
            counts["beyond_horizon"] += reference.pairs_computed > pairs
            counts["merged_beyond_horizon"] += reference.status[-1] == "merged" and reference.pairs_computed > pairs
            counts["guarded_link"] += guarded_link(reference, event)
        if isinstance(event, ev.MembershipOverruled):
            counts["split"] += len(reference.memories) > members
            counts["united"] += len(reference.memories) < members
        if isinstance(event, ev.MemoryRestored) and (root := reference.resolve(event.memory)) is not None:
            counts["fork"] += any(key[1] == root and key[2] == "updates" for key in reference.edges.now())
        counts[str(event.__struct_config__.tag)] += 1
    counts.update(reference.status)
    for _, why in reference.ignored:
        counts[why] += 1
    for memory in reference.memories.values():
        counts["spread"] += memory.spread > 0
        counts["hits_below_uses"] += memory.hits < memory.uses
        counts["settled_decay"] += memory.k0 > 0
        counts["decaying"] += reference.value(memory, log[-1].recorded_at) != memory.e
    counts["similar"] += sum(relation == SIMILAR for _, _, relation in reference.edges.now())
    counts["unresolved"] += reference.unresolved


def guarded_link(reference, event):
    """Whether the text was linked to one that a guard alone kept it from joining."""
    if event.evidence is None or reference.status[-1] != "added":
        return False
    duplicate = reference.constants.threshold(event.evidence.fingerprint).duplicate
    own = len(reference.texts) - 1
    return any(own in key[:2] and weight >= duplicate for key, weight in reference.edges.now().items())


@pytest.mark.parametrize(
    "what",
    [
        "added merged reinforced erased similar guarded_link united split fork prune pruned_rejoined",
        "beyond_horizon merged_beyond_horizon spread hits_below_uses settled_decay decaying unresolved",
    ],
)
def test_random_logs_reach_the_branches(happened, what):
    assert not [name for name in what.split() if not happened[name]]


def test_random_logs_reach_every_reason_to_ignore_an_event(happened):
    reasons = (
        "both ids are one memory",
        "it would be superseded by what it supersedes",
        "a root does not leave while others remain",
    )
    assert all(happened[why] for why in reasons)


def test_random_logs_hold_every_event_type(happened):
    assert not [tag for tag in (*ev.EVENT_TYPES, "unknown", "erased") if not happened[tag]]


def test_a_random_log_is_a_pure_function_of_its_seed():
    assert random_log(Random(7), 80) == random_log(Random(7), 80)


@given(logs())
@settings(max_examples=20, deadline=None)
def test_random_logs_are_gapless_and_time_does_not_run_backwards(log):
    assert isinstance(log[0].event, ev.StoreCreated)
    assert [recorded.seq for recorded in log] == list(range(1, len(log) + 1))
    times = [recorded.recorded_at for recorded in log]
    assert times == sorted(times)


def test_the_writer_has_a_verb_for_every_weight():
    assert all(callable(getattr(Writer, name)) for name in WEIGHTS)
