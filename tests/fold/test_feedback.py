"""Which exposures learn, how much, and how often."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev

LEARNED = 0.5 * (1 - 0.2) + 1.0 * 0.2
"""A half after one success of full weight, in the order of operations that is part of the definition."""


def given(story, *exposures, **fields):
    story.add(
        ev.FeedbackGiven(
            outcome="delivered", exposures=tuple(ev.Exposure(id=a, similarity=s) for a, s in exposures), **fields
        )
    )


def test_zero_is_a_value(story):
    story.store("a", prior=ev.Prior(effectiveness=0.0))
    assert story.value("a") == 0.0
    story.helped("a", outcome="blocked")
    assert story.value("a") == 0.0
    story.helped("a")
    assert story.value("a") == 0.2


def test_the_threshold_itself_is_a_hit_of_no_weight(story):
    story.store("a")
    story.feedback("a", similarity=0.5)
    memory = story.memory("a")
    assert (story.value("a"), memory.uses, memory.hits, story.fold.velocity(memory, story.now)) == (0.5, 1, 1, 1)


def test_below_the_threshold_is_a_use_without_effect(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    story.feedback("a", similarity=0.49)
    assert (story.memory("a").uses, story.memory("a").hits) == (1, 0)
    assert story.value("a") == pytest.approx(0.864)


def test_erosion_works_only_from_above(story):
    story.store("a", prior=ev.Prior(effectiveness=0.4))
    story.useless("a")
    assert story.value("a") == 0.4


def test_nothing_known_changes_nothing_but_that_it_was_exposed(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    story.feedback("a")
    assert (story.value("a"), story.memory("a").uses, story.memory("a").exposed) == (0.9, 0, True)


def test_what_the_agent_says_outranks_the_cosine(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    story.store("b")
    given(story, ("a", 0.99), ("b", 0.0), used=("b",))
    assert story.memory("a").hits == 0
    assert story.value("b") == LEARNED


def test_a_used_id_counts_for_the_memory_it_resolves_to(story):
    story.store("a", "one fact")
    story.store("again", "one  fact")
    given(story, ("a", None), used=("again",))
    assert story.value("a") == LEARNED


def test_two_exposures_of_one_memory_are_one_use(story):
    story.store("a", "one fact")
    story.store("again", "one fact")
    given(story, ("a", 0.1), ("again", 1.0), ("a", 0.75))
    assert (story.memory("a").uses, story.memory("a").hits, story.value("a")) == (1, 1, LEARNED)


def test_of_several_exposures_none_causal_the_first_that_says_something_counts(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    given(story, ("a", None), ("a", 0.1))
    assert (story.memory("a").uses, story.value("a")) == (1, 0.9 + (0.5 - 0.9) * 0.09)


def test_a_ramp_of_zero_gives_full_weight(story_with):
    story = story_with(causal_ramp=0.0)
    story.store("a")
    story.feedback("a", similarity=0.5)
    assert story.value("a") == LEARNED


def test_a_ramp_of_its_own(story_with):
    story = story_with(causal_ramp=0.25)
    story.store("a")
    story.feedback("a", similarity=0.625)
    assert story.value("a") == pytest.approx(0.55)


def test_an_unknown_outcome_is_counted_and_nothing_else(story):
    story.store("a")
    story.helped("a", outcome="celebrated")
    assert (story.memory("a").uses, story.memory("a").exposed, story.fold.unresolved) == (0, False, 1)


def test_unknown_ids_are_counted(story):
    story.store("a")
    given(story, ("a", 1.0), ("nobody", 1.0), used=("a", "nobody"))
    assert (story.memory("a").uses, story.fold.unresolved) == (1, 2)


def test_a_context_of_another_embedder_does_not_enter_the_spread(story):
    story.store("a")
    story.helped("a", context=[1, 0])
    story.add(ev.EmbedderAdopted(fingerprint="another", embedder=None))
    story.helped("a", context=[0, 1])
    assert (story.memory("a").contexts, story.memory("a").hits) == (1, 2)


def test_the_first_context_of_an_adopted_embedder_begins_a_new_spread(story):
    story.store("a")
    for context in ([1, 0], [0, 1], [1, 0]):
        story.helped("a", context=context)
    story.add(ev.EmbedderAdopted(fingerprint="another", embedder=None))
    assert story.memory("a").spread > 0
    row = ev.Vectors(fingerprint="another", dims=3, rows=(b"\x00\x3c\x00\x00\x00\x00",))
    given(story, ("a", 1.0), context_vector=row)
    memory = story.memory("a")
    assert (memory.contexts, memory.spread, memory.centroid.tolist()) == (1, 0.0, [1.0, 0.0, 0.0])


def test_hits_without_a_context_do_not_count_in_the_spread(story):
    story.store("a")
    for context in (None, None, [1, 0], [0, 1]):
        story.helped("a", context=context)
    assert (story.memory("a").contexts, story.memory("a").spread) == (2, 0.0)


def test_velocity_is_a_sliding_window(story):
    story.store("a")
    for days in (0, 3, 13.5):
        story.at(days).helped("a")
    counted = [
        story.fold.velocity(story.memory("a"), story.day(days)) for days in (0, 3, 13.5, 14, 16.9, 17, 27.4, 27.5)
    ]
    assert counted == [1, 2, 3, 2, 2, 1, 1, 0]


def test_recency_counts_whole_days_from_the_last_causal_use(story):
    story.store("a")
    memory = story.memory("a")
    assert [story.fold.recency_days(memory, story.day(days)) for days in (-1, 0, 0.99, 1, 50)] == [0, 0, 0, 1, 50]
    story.at(10).useless("a")
    assert story.fold.recency_days(memory, story.day(50)) == 50
    story.helped("a")
    assert story.fold.recency_days(memory, story.day(50)) == 40


def test_being_recalled_or_reinforced_lifts_no_effectiveness(story):
    story.store("a")
    returned = (ev.Returned(id="a", rank=1, score=0.5),)
    story.add(ev.MemoriesRecalled(query="q", point_seq=2, point_clock=story.now, returned=returned, injected=("a",)))
    story.add(ev.MemoryReinforced(memory="a"))
    memory = story.memory("a")
    assert (memory.e, memory.uses, memory.hits, memory.velocity) == (0.5, 0, 0, [])
    assert (memory.accesses, memory.salience) == (1, 0.6)


def test_salience_stops_at_one(story):
    story.store("a", salience=0.95)
    story.add(ev.MemoryReinforced(memory="a"))
    assert story.memory("a").salience == 1.0
