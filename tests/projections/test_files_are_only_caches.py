"""Whatever becomes of a file under `projections/`, the next open answers as if nothing had happened.

A process that opens the store does not die of it: nothing native reads a file before its checksum was looked at.
"""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture
def clean(told, tmp_path, in_child):
    """What a store of today's log answers that finds no projection on disk."""
    shutil.copytree(told / "today", tmp_path / "clean", ignore=shutil.ignore_patterns("projections"))
    (answer,) = in_child("show", tmp_path / "clean")
    return answer


def test_published_projections_answer_as_a_cold_fold(told, tmp_path, in_child, clean):
    shutil.copytree(told / "today", tmp_path / "store")
    assert in_child("show", tmp_path / "store", "publish") == [clean, clean]


@pytest.mark.parametrize("harm", ["delete", "cut", "empty", "garble", "swap", "older"])
def test_harm_to_any_file_changes_no_answer(told, tmp_path, in_child, clean, harm):
    lines = [line.split() for line in in_child("harm", harm, told, tmp_path)]
    assert len({folder.partition("/")[0] for _, _, folder in lines}) == 5
    assert len(lines) > 50
    assert [line for line in lines if line[:2] != [clean, clean]] == []


@pytest.mark.parametrize("how", ["deleted", "swapped", "older", "emptied"])
def test_harm_to_any_folder_changes_no_answer(told, tmp_path, in_child, clean, how):
    names = sorted(path.name for path in (told / "today" / "projections").iterdir())
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        store = tmp_path / name
        shutil.copytree(told / "today", store)
        folder = store / "projections" / name
        if how == "swapped":
            folder.rename(store / "aside")
            (store / "projections" / other).rename(folder)
            (store / "aside").rename(store / "projections" / other)
        else:
            shutil.rmtree(folder)
        if how == "older":
            shutil.copytree(told / "yesterday" / "projections" / name, folder)
        elif how == "emptied":
            folder.mkdir()
        assert in_child("show", store, "publish") == [clean, clean], name
