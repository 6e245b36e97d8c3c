"""A projection belongs to one log: its checkpoint names the chain digest there, and the open compares it.

Behind the log it is caught up; ahead of it, or of a log that went another way, it is made anew.
"""

from __future__ import annotations

import os
import shutil

import pytest


def beside(told, tmp_path, log, projections):
    """A store of one log with the projections of another."""
    store = tmp_path / "mixed"
    shutil.copytree(told / log, store, ignore=shutil.ignore_patterns("projections"))
    shutil.copytree(told / projections / "projections", store / "projections")
    return store


def cold(told, tmp_path, log, in_child):
    shutil.copytree(told / log, tmp_path / "cold", ignore=shutil.ignore_patterns("projections"))
    return in_child("show", tmp_path / "cold")[0]


@pytest.mark.parametrize(
    ("log", "projections"),
    [
        ("today", "yesterday"),
        ("yesterday", "today"),
        ("forked", "today"),
        ("today", "forked"),
        ("today", "stranger"),
        ("stranger", "today"),
    ],
)
def test_the_log_alone_decides(told, tmp_path, in_child, log, projections):
    expected = cold(told, tmp_path, log, in_child)
    assert in_child("show", beside(told, tmp_path, log, projections), "publish") == [expected, expected]


def test_the_logs_do_differ(told, tmp_path, in_child):
    """Guard: the law above compares four logs that answer differently."""
    names = ("today", "yesterday", "forked", "stranger")
    assert len({cold(told, tmp_path / name, name, in_child) for name in names}) == 4


def test_a_folder_that_nobody_may_write_is_read(told, tmp_path, in_child):
    """Projections that are missing or of another log are then made in memory, and nothing is left behind."""
    if os.geteuid() == 0:
        pytest.skip("root may write everything; `read_only` is tested below")
    expected = cold(told, tmp_path, "today", in_child)
    store = beside(told, tmp_path, "today", "stranger")
    folders = [store, *(path for path in store.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    try:
        assert in_child("show", store) == [expected]
    finally:
        for path in folders:
            path.chmod(0o755)


@pytest.mark.parametrize("projections", ["yesterday", "stranger"])
def test_a_store_opened_to_read_is_not_written_to(told, tmp_path, in_child, projections):
    expected = cold(told, tmp_path, "today", in_child)
    store = beside(told, tmp_path, "today", projections)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file() and path.name != "lock.mdb"}
    assert in_child("show", store, "read-only") == [expected]
    after = {path: path.read_bytes() for path in store.rglob("*") if path.is_file() and path.name != "lock.mdb"}
    assert after == before
