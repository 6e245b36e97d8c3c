"""A filter by tag follows what was added, taken away, united and split, not what a text once came with."""

from __future__ import annotations


def listed(memory, tag):
    return [one.id for one in memory.list(tags=[tag]).memories]


def test_a_tag_taken_off_before_a_merge_does_not_come_back_with_it(memory):
    first, second = memory.store("red apples").id, memory.store("green pears", tags=["fruit"]).id
    memory.annotate(second, remove_tags=["fruit"])
    memory.merge(first, second)
    assert memory.get(first).tags == ()
    assert listed(memory, "fruit") == []


def test_a_split_text_carries_its_own_tags_and_the_memory_keeps_the_united_ones(memory):
    root = memory.store("the same words", tags=["one"]).id
    text = memory.store("the same words", tags=["two"]).text_id
    assert listed(memory, "two") == [root]
    memory.split(text)
    assert listed(memory, "two") == [text, root]
    assert listed(memory, "one") == [root]
    memory.annotate(root, remove_tags=["two"])
    assert listed(memory, "two") == [text]
