"""Which memory a text joins, and what joining means."""

from __future__ import annotations

import pytest
from helixlog.errors import InvalidInput
from helixlog.eventlog import events as ev


def test_an_exact_repeat_reinforces_without_any_evidence(story):
    story.store("a", "one fact")
    story.add(ev.MemoryStored(text="one \t fact\n"), "b")
    assert (story.fold.status, story.fold.resolve("b"), story.fold.reason[1]) == (["added", "reinforced"], 0, (0, None))


def test_case_is_not_white_space(story):
    story.store("a", "one fact")
    assert story.store("b", "One fact") == "added"


def test_an_exact_repeat_of_any_member_counts(story):
    story.store("a", "one fact")
    assert story.store("b", "one fact that got longer", near=[("a", 0.9)]) == "merged"
    assert story.store("c", "one fact") == "reinforced"


def test_of_several_repeats_the_lowest_root_is_joined(story):
    story.store("a", "one fact")
    story.forget("a").store("b", "one fact")
    story.restore("a")
    story.store("c", "one fact")
    assert [story.fold.resolve(one) for one in "abc"] == [0, 1, 0]


@pytest.mark.parametrize(("cosine", "became"), [(0.9, "added"), (0.90000004, "merged"), (0.89, "added")])
def test_the_float32_cosine_is_compared_as_it_is(story_with, cosine, became):
    """The float32 next to .9 is below it, and no rounding of the threshold hides that."""
    story = story_with(duplicate=0.9)
    story.store("a")
    assert story.store("b", near=[("a", cosine)]) == became


def test_a_threshold_that_float32_holds_is_inclusive(story_with):
    story = story_with(duplicate=0.875)
    story.store("a")
    assert story.store("b", near=[("a", 0.875)]) == "merged"


def test_a_guard_forbids(story):
    story.store("a")
    assert story.store("b", near=[("a", 0.99, 1)]) == "added"
    assert story.edges() == {("a", "b", "similar"): pytest.approx(0.99)}


@pytest.mark.parametrize(
    "fields", [{"kind": "instruction"}, {"tags": ("user-provided",)}, {"tags": ("user-preference",)}]
)
def test_a_cosine_joins_no_protected_text_in_either_direction(story, fields):
    story.store("a", **fields)
    assert story.store("b", near=[("a", 0.99)], kind=fields.get("kind", "fact")) == "added"
    assert story.store("c", near=[("b", 0.98)], **fields) == "added"
    assert set(story.edges()) == {("a", "b", "similar"), ("b", "c", "similar")}


def test_an_exact_repeat_of_a_protected_text_joins_and_keeps_the_protection(story):
    story.store("a", "one fact", tags=("user-provided",))
    assert story.store("b", "one fact", tags=("red",)) == "reinforced"
    assert (story.memory("a").tags, story.memory("a").protected) == (("user-provided", "red"), True)


def test_protection_follows_the_tags_of_now(story):
    story.store("a", tags=("user-provided",))
    story.annotate("a", remove_tags=("user-provided",))
    assert story.store("b", near=[("a", 0.9)]) == "merged"


def test_another_kind_does_not_merge_but_an_exact_repeat_does(story):
    story.store("a", "one fact")
    assert story.store("b", near=[("a", 0.9)], kind="decision") == "added"
    assert story.store("c", "one fact", kind="decision") == "reinforced"


@pytest.mark.parametrize("name", ["valid_from", "valid_to", "event_start", "event_end"])
def test_other_intervals_are_another_memory(story, name):
    story.store("a", "one fact")
    assert story.store("b", "one fact", **{name: story.day(5)}) == "added"
    assert story.store("c", "one fact", **{name: story.day(5)}) == "reinforced"
    assert story.fold.resolve("c") == story.fold.resolve("b")


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        (ev.Scope(), ev.Scope(user="ann"), True),
        (ev.Scope(), ev.Scope(user="bob"), False),
        (ev.Scope(), ev.Scope(project="p"), False),
        (ev.Scope(), ev.Scope(visibility="shared"), False),
        (ev.Scope(visibility="shared"), ev.Scope(visibility="shared", user="bob"), True),
        (ev.Scope(visibility="shared"), ev.Scope(visibility="shared", project="p"), False),
        (ev.Scope(), ev.Scope(session="s", agent="a", container="c", grants=("bob",)), True),
    ],
)
def test_partitions(story, first, second, together):
    story.store("a", "one fact", scope=first)
    assert (story.store("b", "one fact", scope=second) == "reinforced") is together


@pytest.mark.parametrize("gone", ["forget", "supersede"])
def test_a_forgotten_or_superseded_memory_is_not_joined(story, gone):
    story.store("a", "one fact")
    story.store("other")
    story.forget("a") if gone == "forget" else story.supersede("a", "other")
    assert story.store("b", "one fact", near=[("a", 0.99)]) == "added"
    assert ("a", "b", "similar") not in story.edges()


def test_a_pruned_or_expired_memory_is_joined_and_seen_again(story):
    story.store("a", "one fact", expires_at=story.day(1), provenance=ev.Provenance(kind="agent"))
    story.at(61).prune()
    assert story.memory("a").pruned
    assert story.store("b", "one fact") == "reinforced"
    assert story.visible("a")


def test_a_declared_relation_or_superseding_always_begins_a_memory(story):
    story.store("a", "one fact")
    relations = (ev.Relation(relation="extends", target="a", confidence=0.0),)
    assert story.store("b", "one fact", near=[("a", 1.0)], relations=relations) == "added"
    assert story.store("c", "one fact", superseding=True) == "added"
    assert story.edges() == {("a", "b", "similar"): 1.0, ("b", "a", "extends"): 0.0}


def test_the_highest_cosine_wins_then_the_lowest_root(story):
    story.store("a")
    story.store("b")
    story.store("c")
    story.store("d", near=[("c", 0.95), ("b", 0.95), ("a", 0.9)])
    assert story.fold.resolve("d") == story.fold.resolve("b")


def test_the_first_that_passes_is_joined_even_if_a_nearer_one_is_forbidden(story):
    story.store("a")
    story.store("b")
    assert story.store("c", near=[("a", 0.99, 2), ("b", 0.9)]) == "merged"
    assert story.fold.resolve("c") == story.fold.resolve("b")


def test_only_lead_texts_are_compared(story):
    story.store("a", "one fact")
    story.store("b", "one fact, longer", near=[("a", 0.9)])
    assert story.store("c", near=[("a", 0.99)]) == "added"
    assert story.store("d", near=[("b", 0.99)]) == "merged"


def test_an_entry_stands_for_every_text_of_its_form(story):
    """After an exact repeat the later text leads; evidence goes on naming the first."""
    story.store("a", "one fact")
    story.store("b", "one fact")
    assert story.memory("a").lead == 1
    assert story.store("c", near=[("a", 0.9)]) == "merged"


def test_a_title_makes_another_form(story):
    story.store("a", "one fact")
    story.store("b", "one fact", title="Notes")
    assert story.store("c", near=[("a", 0.9)]) == "added"
    assert story.store("d", near=[("b", 0.9)]) == "merged"


def test_joining_unites(story):
    term = ev.Term(name="Parser", key="parser")
    story.store("a", "one fact", tags=("x", "y"), expires_at=story.day(5), entities=(term,), kind="decision")
    story.store("b", "one fact", tags=("z", "x"), expires_at=story.day(3), categories=(term,), salience=0.9)
    memory = story.memory("a")
    assert (memory.tags, memory.entities, memory.categories) == (("x", "y", "z"), ("parser",), ("parser",))
    assert (memory.expires_at, memory.kind, memory.salience, memory.members) == (story.day(5), "decision", 0.5, (0, 1))
    story.store("c", "one fact")
    assert story.memory("a").expires_at is None


def test_the_longest_leads_and_of_equals_the_later(story):
    story.store("a", "one fact here")
    story.store("b", "one short", near=[("a", 0.9)])
    assert story.memory("a").lead == 0
    story.store("c", "   one  fact  here ")
    assert story.memory("a").lead == 2


def test_text_of_a_forgotten_memory_is_a_new_memory_with_a_new_record(story):
    story.store("a", "one fact")
    story.helped("a").forget("a").store("b", "one fact")
    assert (story.memory("b").uses, story.memory("a").uses) == (0, 1)


def test_pairs_below_the_horizon_are_computed_from_vectors(story):
    story.store("a", vector=[1, 0])
    story.store("b", "one fact", vector=[0.9375, 0.3481])
    assert story.store("c", "one fact at last", near=[("a", 0.99, 4)], horizon=0.95, vector=[1, 0]) == "merged"
    assert story.fold.resolve("c") == story.fold.resolve("b")
    assert story.fold.pairs_computed == 1


def test_of_equals_at_the_cut_the_lowest_root_is_joined_though_another_is_listed(story):
    story.store("a", "one fact", vector=[0.9375, 0.3481])
    story.store("b", "one fact anew", vector=[0.9375, 0.3481], horizon=1.0, superseding=True)
    assert story.store("c", "one fact at last", near=[("b", 0.9375)], horizon=0.94, vector=[1, 0]) == "merged"
    assert story.fold.resolve("c") == story.fold.resolve("a")


def test_nothing_is_computed_where_the_list_reaches_down_far_enough(story):
    story.store("a", vector=[1, 0])
    assert story.store("b", vector=[1, 0], horizon=0.6) == "added"
    assert story.fold.pairs_computed == 0


def test_a_guard_is_asked_of_computed_pairs_too(story):
    story.store("a", "the room has 7 chairs", vector=[1, 0])
    assert story.store("b", "the room has 8 chairs", vector=[1, 0], horizon=1.0) == "added"
    assert story.edges() == {("a", "b", "similar"): 1.0}


def test_a_text_without_vectors_of_the_evidence_is_compared_with_nothing(story):
    story.store("a", vector=[1, 0])
    assert story.store("b", horizon=1.0) == "added"
    assert story.fold.pairs_computed == 0


def test_later_vectors_of_another_embedder_serve_its_evidence(story):
    story.store("a", vector=[1, 0])
    rows = (b"\x00\x3c\x00\x00",)
    story.add(ev.MemoriesReembedded(fingerprint="new", dims=2, texts=(2,), rows=(rows,)))
    evidence = ev.Evidence(fingerprint="new", partition="", floor=0.0, horizon=1.0)
    vectors = ev.Vectors(fingerprint="new", dims=2, rows=rows)
    story.add(ev.MemoryStored(text="another way to say it", vectors=vectors, evidence=evidence), "b")
    assert story.fold.status[-1] == "merged"


@pytest.mark.parametrize(("floor", "name"), [(0.7, "related"), (0.9, "duplicate")])
def test_thresholds_below_a_recorded_floor_are_refused_by_name(story_with, floor, name):
    story = story_with(related=0.6 if name == "related" else 0.85)
    with pytest.raises(InvalidInput, match=name):
        story.store("a", floor=floor)


def test_an_erased_text_leaves_a_hole(story):
    story.store("a", "one fact")
    story.add(ev.ErasedEvent(kind="memory_stored"), "b")
    story.store("c", "one fact", near=[("b", 0.99), ("a", 0.9)])
    story.add(ev.MemoryErased(memories=("b",), rewritten=()))
    assert story.fold.root_of == [0, -1, 0]
    assert (story.memory("b"), story.fold.erased_events, story.fold.unresolved) == (None, 1, 1)


def test_an_event_of_a_later_version_is_counted(story):
    story.add(ev.UnknownEvent(kind="dreamt", kind_version=2, payload=b""))
    assert story.fold.unknown_events == 1
