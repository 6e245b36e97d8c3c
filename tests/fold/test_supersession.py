"""Chains: what is shown, what held, forks, cycles and undoing."""

from __future__ import annotations

from helixlog.eventlog import events as ev


def test_the_tip_is_shown_and_an_edge_made(story):
    story.store("a")
    story.store("b")
    story.supersede("a", "b")
    assert (story.visible("a"), story.visible("b")) == (False, True)
    assert story.edges() == {("b", "a", "updates"): 1.0}


def test_a_declared_update_is_an_edge_and_no_supersession(story):
    story.store("a")
    story.store("b", relations=(ev.Relation(relation="updates", target="a"),))
    assert story.visible("a")
    assert story.edges() == {("b", "a", "updates"): 1.0}


def test_a_cycle_is_ignored_also_through_others(story):
    for one in "abc":
        story.store(one)
    story.supersede("a", "b").supersede("b", "c").supersede("c", "a").supersede("b", "a")
    assert [story.visible(one) for one in "abc"] == [False, False, True]
    assert [seq for seq, _ in story.fold.ignored] == [7, 8]
    assert len(story.edges()) == 2


def test_of_two_ids_of_one_memory_nothing_happens(story):
    story.store("a", "one fact")
    story.store("b", "one fact")
    story.supersede("a", "b")
    assert story.visible("a")
    assert len(story.fold.ignored) == 1


def test_restoring_what_was_superseded_makes_two_tips(story):
    story.store("a")
    story.store("b")
    story.supersede("a", "b").restore("a")
    assert (story.visible("a"), story.visible("b")) == (True, True)


def test_after_a_restore_the_chain_may_turn_round(story):
    story.store("a")
    story.store("b")
    story.supersede("a", "b").restore("a").supersede("b", "a")
    assert (story.visible("a"), story.visible("b")) == (True, False)


def test_a_fork_has_two_successors(story):
    for one in "abc":
        story.store(one)
    story.supersede("a", "b").supersede("a", "c").supersede("a", "c")
    assert story.memory("a").superseded_by == (1, 2)


def test_restoring_undoes_forgetting(story):
    story.store("a")
    story.forget("a")
    assert not story.visible("a")
    assert story.restore("a").visible("a")


def test_expiry_and_validity_are_half_open(story):
    story.store("a", expires_at=story.day(5))
    story.store("b", valid_from=story.day(1), valid_to=story.day(3))
    assert [story.visible("a", days) for days in (4.9, 5)] == [True, False]
    assert [story.visible("b", days) for days in (0.9, 1, 2.9, 3)] == [False, True, True, False]


def test_at_another_time_the_newest_that_held_is_shown(story):
    story.at(10).store("old", valid_from=story.day(0))
    story.store("new", valid_from=story.day(5))
    story.supersede("old", "new")
    assert [story.visible("old", valid_at=days) for days in (-1, 0, 4.9, 5)] == [False, True, True, False]
    assert [story.visible("new", valid_at=days) for days in (4.9, 5, 99)] == [False, True, True]


def test_a_successor_without_a_begin_is_a_correction(story):
    story.at(10).store("wrong", valid_from=story.day(0))
    story.at(11).store("right")
    story.supersede("wrong", "right")
    assert not any(story.visible("wrong", valid_at=days) for days in (1, 10, 12))
    assert [story.visible("right", valid_at=days) for days in (10, 11)] == [False, True]


def test_where_both_held_the_newer_is_shown(story):
    story.at(10).store("old", valid_from=story.day(0), valid_to=story.day(8))
    story.store("new", valid_from=story.day(5))
    story.supersede("old", "new")
    assert [story.visible("old", valid_at=days) for days in (4, 6)] == [True, False]


def test_unless_said_a_memory_held_from_when_it_was_observed_else_recorded(story):
    story.at(10).store("seen", observed_at=story.day(2))
    story.store("told")
    assert [story.visible("seen", valid_at=days) for days in (1, 2)] == [False, True]
    assert [story.visible("told", valid_at=days) for days in (9, 10)] == [False, True]
    assert story.visible("told", days=0)
