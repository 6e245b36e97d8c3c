"""A person's word on what is one memory."""

from __future__ import annotations

from helixlog.eventlog import events as ev


def test_same_moves_every_member_to_the_older_which_keeps_its_record(story):
    story.store("a", "short", tags=("x",), expires_at=story.day(3))
    story.store("b", "much longer", tags=("y",), expires_at=story.day(9))
    story.helped("b").same("b", "a")
    memory = story.memory("b")
    assert (memory.id, memory.members, memory.lead, memory.tags) == ("a", (0, 1), 1, ("x", "y"))
    assert (memory.uses, memory.expires_at, list(story.fold.memories)) == (0, story.day(9), [0])


def test_same_binds_later_texts(story):
    story.store("a", "short")
    story.store("b", "much longer")
    story.same("a", "b")
    assert story.store("c", "much longer") == "reinforced"
    assert story.fold.resolve("c") == 0


def test_edges_of_both_are_read_through_what_they_are_now(story):
    for one in "abc":
        story.store(one)
    ends = {one: ev.Endpoint(id=one) for one in "abc"}
    story.add(ev.MemoriesLinked(source=ends["c"], target=ends["a"], relation="extends", weight=0.3))
    story.add(ev.MemoriesLinked(source=ends["c"], target=ends["b"], relation="extends", weight=0.7))
    story.add(ev.MemoriesLinked(source=ends["a"], target=ends["b"], relation="similar", weight=0.5))
    story.same("a", "b")
    assert story.edges() == {("c", "a", "extends"): 0.7}


def test_same_of_one_memory_does_nothing(story):
    story.store("a", "one fact")
    story.store("b", "one fact")
    story.same("a", "b")
    assert (story.memory("a").members, story.fold.ignored) == ((0, 1), [])


def test_a_split_text_begins_its_own_memory_as_of_its_own_time(story):
    story.store("a", "one fact", tags=("x",))
    story.at(4).store("b", "one fact", tags=("y",), prior=ev.Prior(effectiveness=0.9, uses=4, hits=2))
    story.helped("a").at(9).split("b")
    old, new = story.memory("a"), story.memory("b")
    assert (old.members, old.lead, old.tags, old.uses) == ((0,), 0, ("x", "y"), 1)
    assert (new.id, new.tags, new.e, new.uses, new.hits) == ("b", ("y",), 0.9, 4, 2)
    assert (new.anchor, new.restored_at, new.lead) == (story.day(4), story.day(4), 1)
    assert story.fold.status[1] == "reinforced"


def test_a_root_does_not_leave_while_others_remain(story):
    story.store("a", "one fact")
    story.store("b", "one fact")
    story.split("a")
    assert story.memory("a").members == (0, 1)
    assert [seq for seq, _ in story.fold.ignored] == [story.log[-1].seq]


def test_a_root_alone_is_its_own_memory_already(story):
    story.store("a")
    story.split("a")
    assert (story.memory("a").members, story.fold.ignored) == ((0,), [])


def test_a_united_memory_may_be_split_again(story):
    story.store("a", "short")
    story.store("b", "much longer")
    story.same("a", "b").split("b")
    assert (story.memory("a").members, story.memory("b").members) == ((0,), (1,))


def test_unknown_ids_are_counted(story):
    story.store("a")
    story.same("a", "nobody").split("nobody").same("a", None)
    assert story.fold.unresolved == 3
