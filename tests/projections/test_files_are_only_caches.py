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


@pytest.mark.parametrize("turn", [0, *(pytest.param(turn, marks=pytest.mark.long) for turn in range(1, 6))])
def test_harm_to_any_file_changes_no_answer(told, tmp_path, in_child, clean, turn):
    lines = [line.split() for line in in_child("harm", "files", told, tmp_path, turn)]
    assert {harm for harm, *_ in lines} == {"delete", "cut", "empty", "garble", "swap", "older"}
    assert len({place.partition("/")[0] for _, place, *_ in lines}) == 7
    assert len(lines) > 50
    assert [line for line in lines if set(line[2:]) != {clean}] == []


@pytest.mark.parametrize("turn", [0, *(pytest.param(turn, marks=pytest.mark.long) for turn in range(1, 4))])
def test_harm_to_any_folder_changes_no_answer(told, tmp_path, in_child, clean, turn):
    lines = [line.split() for line in in_child("harm", "folders", told, tmp_path, turn)]
    assert len(lines) == 7
    assert [line for line in lines if set(line[2:]) != {clean}] == []
