"""What is published is what is read, by anyone, without a lock."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.errors import Corrupted
from helixlog.projections.generations import Generations, merge_plan
from helixlog.projections.projection import Checkpoint


def test_an_absent_generation_is_none_without_a_problem(shelf):
    generations = shelf.open()
    assert generations.load() is None
    assert generations.problem is None
    assert not (shelf.root / "toy-v1").exists()


def test_what_is_published_is_read_back_by_another_reader(shelf):
    shelf.publish(5)
    shelf.publish(9)
    generations = shelf.open()
    manifest = generations.load()
    assert manifest.checkpoint == Checkpoint(seq=9, chain=(9).to_bytes(32, "big"))
    assert [(s.first_seq, s.last_seq) for s in manifest.segments] == [(1, 5), (6, 9)]
    first, second = manifest.segments
    assert generations.array(first, "big")[0] == 5
    assert generations.read(second, "blob") == b"blob 9"
    assert (generations.folder(second) / "tree" / "leaf").read_bytes() == b"leaf 9"
    assert np.array_equal(generations.array(first, "small"), [[5, 5, 5], [5, 5, 5], [1, 1, 1]])


def test_arrays_are_read_only_and_large_ones_are_mapped(shelf):
    generations = shelf.open()
    manifest = shelf.publish(1)
    generations.load()
    big = generations.array(manifest.segments[0], "big")
    assert not big.flags.writeable
    assert not big.flags.owndata


def test_an_empty_array_keeps_its_shape(shelf):
    generations = shelf.open()
    with generations.publishing() as publisher:
        segment = publisher.segment({"none": np.empty((0, 7), np.uint8)}, {}, first_seq=1, last_seq=1, meta={})
        publisher.commit(Checkpoint(seq=1), [segment])
    assert generations.load() is not None
    assert generations.array(segment, "none").shape == (0, 7)


def test_a_reader_notices_another_generation(shelf):
    generations = shelf.open()
    generations.load()
    assert not generations.changed()
    shelf.publish(3)
    assert generations.changed()
    generations.load()
    assert not generations.changed()


def test_a_reader_of_the_previous_generation_keeps_all_its_files(shelf):
    reader = shelf.open()
    shelf.publish(1)
    manifest = reader.load()
    shelf.publish(2, keep=False)
    late = Generations(shelf.root, "toy", 1)
    assert late.array(manifest.segments[0], "big")[0] == 1
    shelf.publish(3, keep=False)
    assert reader.array(manifest.segments[0], "big")[0] == 1
    with pytest.raises(Corrupted):
        Generations(shelf.root, "toy", 1).array(manifest.segments[0], "big")


def test_older_generations_are_deleted(shelf):
    for seq in range(1, 8):
        shelf.publish(seq, keep=False)
    assert len(list((shelf.root / "toy-v1").glob("manifest-*"))) == 2
    assert len([p for p in (shelf.root / "toy-v1").iterdir() if p.is_dir()]) == 2


def test_a_reader_that_was_overtaken_twice_reads_the_newest(shelf, monkeypatch):
    shelf.publish(1)
    reader = shelf.open()
    stale = reader._read_pointer()
    shelf.publish(2, keep=False)
    shelf.publish(3, keep=False)
    answers = iter([stale])
    fresh = reader._read_pointer
    monkeypatch.setattr(reader, "_read_pointer", lambda: next(answers, None) or fresh())
    assert reader.load().seq == 3


@pytest.mark.parametrize(
    ("sizes", "new", "kept"),
    [([], 5, 0), ([100], 10, 1), ([100], 50, 0), ([100, 40], 10, 2), ([100, 40], 20, 0), ([1000, 100, 40], 20, 1)],
)
def test_neighbours_merge_when_the_right_reaches_half_of_the_left(sizes, new, kept):
    assert merge_plan(sizes, new) == kept


def test_merging_keeps_few_segments_and_copies_few_rows():
    sizes, copied = [], 0
    for _ in range(1000):
        kept = merge_plan(sizes, 10)
        copied += 10 + sum(sizes[kept:])
        sizes = [*sizes[:kept], 10 + sum(sizes[kept:])]
    assert len(sizes) <= 10
    assert copied <= 10_000 * 12
