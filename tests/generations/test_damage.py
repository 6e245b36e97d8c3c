"""Whatever happens to the files, the next load notices."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from helixlog.projections.generations import Generations, word_checksum
from hypothesis import given, settings
from hypothesis import strategies as st


def files(root: Path) -> list[Path]:
    return sorted(p for p in (root / "toy-v1").rglob("*") if p.is_file() and p.name not in {"lock", "CURRENT"})


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zero_second_half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 16
    path.write_bytes(data)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize("harm", [Path.unlink, cut, zero_second_half, flip_a_bit, lengthen])
def test_harm_to_any_file_is_noticed_and_named(shelf, tmp_path, harm):
    shelf.publish(4)
    for victim in files(shelf.root):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(shelf.root / "toy-v1", copy / "toy-v1")
        harm(copy / victim.relative_to(shelf.root))
        generations = Generations(copy, "toy", 1)
        assert generations.load() is None, victim
        assert generations.problem


@pytest.mark.parametrize(
    "text", ["garbage", "manifest-00000001.json", "manifest-00000001.json 00", "\xff\x00", "../x y"]
)
def test_a_garbled_pointer_is_noticed(shelf, text):
    shelf.publish(4)
    (shelf.root / "toy-v1" / "CURRENT").write_text(text)
    generations = shelf.open()
    assert generations.load() is None
    assert generations.problem


def test_swapped_segment_folders_are_noticed(shelf):
    first, second = (shelf.root / "toy-v1" / s.folder for s in (shelf.publish(3), shelf.publish(5))[1].segments)
    first.rename(shelf.root / "aside")
    second.rename(first)
    (shelf.root / "aside").rename(second)
    assert shelf.open().load() is None


def test_another_projections_folder_is_noticed(shelf):
    shelf.publish(3)
    (shelf.root / "toy-v1").rename(shelf.root / "other-v1")
    generations = Generations(shelf.root, "other", 1)
    assert generations.load() is None
    assert "toy-v1" in generations.problem


def test_an_older_copy_is_an_older_checkpoint(shelf, tmp_path):
    shelf.publish(3)
    shutil.copytree(shelf.root / "toy-v1", tmp_path / "backup")
    shelf.publish(8)
    shutil.rmtree(shelf.root / "toy-v1")
    (tmp_path / "backup").rename(shelf.root / "toy-v1")
    assert shelf.open().load().checkpoint.seq == 3


def test_publishing_after_damage_starts_afresh(shelf):
    shelf.publish(3)
    for victim in files(shelf.root):
        cut(victim)
    shelf.publish(6)
    assert shelf.open().load().seq == 6


def test_a_file_cut_short_under_an_open_map_is_noticed_without_touching_it(shelf):
    manifest = shelf.publish(3)
    generations = shelf.open()
    generations.load()
    assert generations.intact()
    cut(shelf.root / "toy-v1" / manifest.segments[0].folder / "big.npy")
    assert not generations.intact()


def test_a_deleted_folder_leaves_open_arrays_whole(shelf):
    manifest = shelf.publish(3)
    generations = shelf.open()
    generations.load()
    shutil.rmtree(shelf.root / "toy-v1")
    assert generations.intact()
    assert generations.array(manifest.segments[0], "big")[-1] == 200_002


SIZE = 3 * 2**20 + 777
ORIGINAL = np.random.default_rng(1).integers(0, 256, SIZE, dtype=np.uint8)
SUM = word_checksum(ORIGINAL)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, SIZE - 1), st.integers(1, 255))
def test_a_changed_byte_changes_the_word_checksum(position, change):
    data = ORIGINAL.copy()
    data[position] ^= change
    assert word_checksum(data) != SUM


@settings(max_examples=60, deadline=None)
@given(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1), st.integers(1, 2**20))
def test_swapped_and_zeroed_regions_change_the_word_checksum(here, there, length):
    length = min(length, SIZE - max(here, there), abs(here - there) or SIZE)
    data = ORIGINAL.copy()
    if here == there:
        data[here : here + length] = 0
    else:
        data[here : here + length], data[there : there + length] = (
            ORIGINAL[there : there + length],
            ORIGINAL[here : here + length],
        )
    assert (word_checksum(data) != SUM) == (not np.array_equal(data, ORIGINAL))


@pytest.mark.parametrize("shift", [1, 8, 4096, 2**20])
def test_shifted_bytes_change_the_word_checksum(shift):
    assert word_checksum(np.roll(ORIGINAL, shift)) != SUM
    assert word_checksum(ORIGINAL[:-shift]) != SUM


def test_the_word_checksum_runs_at_the_speed_of_memory():
    data = np.ones(150 * 2**20, np.uint8)
    best = 1e9
    for _ in range(3):
        start = time.thread_time()
        word_checksum(data)
        best = min(best, time.thread_time() - start)
    assert best < 0.12, "three times the bar, for busy machines"
