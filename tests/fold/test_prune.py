"""What a prune hides, from when it counts, and what is exempt."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev

AGENT = ev.Provenance(kind="agent")
FAILED = ev.Prior(effectiveness=0.26)


def used(story, times, **how):
    for _ in range(times):
        story.feedback("a", **how)
    return story.prune()


@pytest.mark.parametrize(("times", "pruned"), [(2, False), (3, True)])
def test_low_effectiveness_needs_three_uses(story, times, pruned):
    story.store("a", prior=FAILED)
    assert used(story, times, outcome="blocked", used=("a",)).memory("a").pruned is pruned


def test_the_threshold_itself_is_not_below_it(story):
    story.store("a", prior=ev.Prior(effectiveness=0.25))
    assert not used(story, 5, used=()).memory("a").pruned


@pytest.mark.parametrize(("times", "pruned"), [(11, False), (12, True)])
def test_low_adjusted_effectiveness_needs_twelve_uses(story, times, pruned):
    story.store("a")
    assert used(story, times, used=()).memory("a").pruned is pruned


def test_uses_before_an_import_do_not_count(story):
    story.store("a", prior=ev.Prior(effectiveness=0.1, uses=9, hits=0))
    assert not story.prune().memory("a").pruned


def test_a_restore_undoes_it_and_counts_anew(story):
    story.store("a", prior=FAILED)
    used(story, 3, outcome="blocked", used=("a",)).restore("a")
    assert story.visible("a")
    assert not story.prune().memory("a").pruned
    assert not used(story, 2, outcome="blocked", used=("a",)).memory("a").pruned
    assert used(story, 1, outcome="blocked", used=("a",)).memory("a").pruned


@pytest.mark.parametrize(
    "exempt", [{"kind": "instruction"}, {"tags": ("user-provided",)}, {"tags": ("user-preference",)}, "pinned"]
)
def test_protected_and_pinned_are_exempt(story, exempt):
    story.store("a", prior=FAILED, provenance=AGENT, **({} if exempt == "pinned" else exempt))
    if exempt == "pinned":
        story.annotate("a", pin="core")
    story.at(100)
    assert not used(story, 15, outcome="blocked", used=("a",)).memory("a").pruned


@pytest.mark.parametrize("kind", ["agent", "tool", "user", "file", "import"])
def test_only_what_an_agent_or_tool_said_is_hidden_for_never_being_seen(story, kind):
    story.store("a", provenance=ev.Provenance(kind=kind))
    assert not story.at(60).prune().memory("a").pruned
    assert story.at(60.001).prune().memory("a").pruned is (kind in {"agent", "tool"})


def test_every_member_must_come_from_an_agent_or_tool(story):
    story.store("a", "one fact", provenance=AGENT)
    story.store("b", "one fact", provenance=ev.Provenance(kind="user"))
    assert not story.at(100).prune().memory("a").pruned


def recalled(story, injected=()):
    returned = (ev.Returned(id="a", rank=1, score=0.1),)
    return story.add(
        ev.MemoriesRecalled(
            query="q", point_seq=2, point_clock=story.now, returned=() if injected else returned, injected=injected
        )
    )


def test_being_returned_lately_keeps_it(story):
    story.store("a", provenance=AGENT)
    recalled(story.at(10))
    assert not story.at(70).prune().memory("a").pruned
    assert story.at(70.001).prune().memory("a").pruned


def test_being_exposed_once_keeps_it(story):
    story.store("a", provenance=AGENT)
    story.store("b", provenance=AGENT)
    story.feedback("b")
    recalled(story, injected=("a",)).at(500).prune()
    assert not story.memory("a").pruned
    assert not story.memory("b").pruned


def test_the_age_of_the_unseen_counts_from_the_last_restore(story):
    story.store("a", provenance=AGENT)
    story.at(61).prune().restore("a")
    assert not story.at(120).prune().memory("a").pruned
    assert story.at(122).prune().memory("a").pruned


def test_decay_is_read_at_the_ticks_own_clock(story_with):
    story = story_with(prune_threshold=0.52, prune_min_uses=1)
    story.store("a", prior=ev.Prior(effectiveness=0.6))
    story.useless("a").prune()
    assert not story.memory("a").pruned
    story.add(ev.PruneTicked(clock=story.day(50)))
    assert story.memory("a").pruned


def test_the_forgotten_and_superseded_are_left_alone(story):
    story.store("a", provenance=AGENT)
    story.forget("a").at(100).prune()
    assert not story.memory("a").pruned
