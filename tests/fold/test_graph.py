"""Edges: which are made, which weight stands, and how they are taken back."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev


def link(story, source, target, relation="led_to", weight=1.0):
    ends = [one if isinstance(one, ev.Endpoint) else ev.Endpoint(id=one) for one in (source, target)]
    return story.add(ev.MemoriesLinked(source=ends[0], target=ends[1], relation=relation, weight=weight))


def unlink(story, source, target, relation=None):
    ends = [one if isinstance(one, ev.Endpoint) else ev.Endpoint(id=one) for one in (source, target)]
    return story.add(ev.MemoriesUnlinked(source=ends[0], target=ends[1], relation=relation))


def test_the_best_five_at_or_above_related_are_linked(story):
    for one in "abcdefg":
        story.store(one)
    near = [("a", 0.84), ("b", 0.8), ("d", 0.7), ("c", 0.7), ("e", 0.65), ("f", 0.62), ("g", 0.59)]
    story.store("x", near=near)
    assert sorted(source for source, _, _ in story.edges()) == ["a", "b", "c", "d", "e"]


def test_of_equal_cosines_the_lower_root_is_linked(story_with):
    story = story_with(max_links=1)
    story.store("a")
    story.store("b")
    story.store("x", near=[("b", 0.7), ("a", 0.7)])
    assert list(story.edges()) == [("a", "x", "similar")]


def test_a_joining_text_makes_no_similar_edge(story):
    story.store("a")
    story.store("b")
    story.store("x", near=[("a", 0.9), ("b", 0.7)])
    assert story.edges() == {}


def test_links_below_the_horizon_are_computed(story):
    story.store("a", vector=[1, 0])
    story.store("b", vector=[0.75, 0.6614])
    story.store("x", near=[("a", 0.9, 1)], horizon=0.84, vector=[1, 0])
    assert story.edges() == {("a", "x", "similar"): pytest.approx(0.9), ("b", "x", "similar"): 0.75}


def test_of_equals_at_the_cut_the_listed_ones_are_not_taken_for_the_first(story_with):
    story = story_with(max_links=1)
    story.store("a", vector=[0.75, 0.6614])
    story.store("b", vector=[0.75, 0.6614])
    story.store("x", near=[("b", 0.75, 1)], horizon=0.751, vector=[1, 0])
    assert story.edges() == {("a", "x", "similar"): 0.75}


def test_without_vectors_the_listed_ones_are_all_there_is(story):
    story.store("a")
    story.store("x", near=[("a", 0.7)], horizon=0.8)
    assert story.edges() == {("a", "x", "similar"): pytest.approx(0.7)}


def test_intervals_keep_apart_what_is_linked_then(story):
    story.store("a")
    story.store("x", near=[("a", 0.95)], valid_from=story.day(1))
    assert story.edges() == {("a", "x", "similar"): pytest.approx(0.95)}


def test_the_last_weight_stands_but_of_similar_the_first(story):
    story.store("a")
    story.store("b", near=[("a", 0.75)])
    link(story, "b", "a", "similar", 0.2)
    link(story, "b", "a", "led_to", 0.2)
    link(story, "b", "a", "led_to", 0.4)
    link(story, "a", "b", "led_to", 0.6)
    assert story.edges() == {("a", "b", "similar"): 0.75, ("b", "a", "led_to"): 0.4, ("a", "b", "led_to"): 0.6}


def test_a_memory_has_no_edge_to_itself(story):
    story.store("a", "one fact")
    story.store("b", "one fact", provenance=ev.Provenance(derived_from=("a",)))
    link(story, "a", "b")
    assert story.edges() == {}


def test_what_a_text_is_derived_from(story):
    story.store("a")
    story.store("b", provenance=ev.Provenance(derived_from=("a", "nobody")))
    assert story.edges() == {("b", "a", "derives"): 1.0}
    assert story.fold.unresolved == 1


def test_unlinking_takes_either_direction_and_one_relation_or_all(story):
    story.store("a")
    story.store("b", near=[("a", 0.75)])
    link(link(story, "a", "b", "led_to"), "b", "a", "extends")
    unlink(story, "b", "a", "led_to")
    assert sorted(relation for _, _, relation in story.edges()) == ["extends", "similar"]
    assert unlink(story, "a", "b").edges() == {}


def test_unlinking_finds_edges_of_what_has_become_one_memory(story):
    for one in "abc":
        story.store(one)
    link(story, "c", "b").same("a", "b")
    assert unlink(story, "a", "c").edges() == {}


def test_ends_may_be_other_things(story):
    story.store("a")
    parser = ev.Endpoint(id="parser", kind="entity")
    link(story, "a", parser, "relates_to", 0.5)
    assert story.edges() == {("a", ("entity", "parser"), "relates_to"): 0.5}
    assert unlink(story, parser, "a").edges() == {}


def test_an_unknown_end_is_counted(story):
    story.store("a")
    link(story, "a", "nobody")
    assert (story.edges(), story.fold.unresolved) == ({}, 1)


def test_pruning_and_forgetting_delete_no_edge(story):
    story.store("a")
    story.store("b", near=[("a", 0.75)])
    story.forget("a")
    assert story.edges() == {("a", "b", "similar"): 0.75}


def test_annotations_remove_add_set_and_clear_in_this_order(story):
    term = ev.Term(name="Parser", key="parser")
    story.store("a", tags=("x", "y"), entities=(term,), categories=(term,))
    story.annotate("a", remove_tags=("x",), add_tags=("x", "z"), remove_entities=("parser",), add_entities=(term,))
    story.annotate("a", remove_categories=("parser",), expires_at=1, pin="core", salience=0.0, clear=("pin",))
    memory = story.memory("a")
    assert (memory.tags, memory.entities, memory.categories) == (("y", "x", "z"), ("parser",), ())
    assert (memory.expires_at, memory.pin, memory.salience) == (1, None, 0.0)
    story.annotate("a", clear=("expires_at", "salience"))
    assert (story.memory("a").expires_at, story.memory("a").salience) == (None, 0.5)


def test_an_edge_that_was_a_self_loop_does_not_appear_when_the_memory_is_split(story):
    story.store("a", "one fact")
    story.store("b", "one fact")
    assert link(story, "a", "b").split("b").edges() == {}


def test_of_two_memories_that_became_one_the_edge_declared_last_stands(story):
    for one in "abc":
        story.store(one)
    link(link(link(story, "c", "a", weight=0.3), "c", "b", weight=0.7), "c", "a", weight=0.4)
    assert story.same("a", "b").edges() == {("c", "a", "led_to"): 0.4}
