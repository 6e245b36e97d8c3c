"""One publisher at a time, and a crash at any point leaves the old generation valid."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading

import pytest
from helixlog.errors import OutOfSpace, StorageError
from helixlog.projections import generations as module
from helixlog.projections.generations import Generations

STEPS = ("_write", "_write_array", "_sync", "_replace", "_describe")


class CrashError(Exception):
    """The process dies here."""


def crash_at(monkeypatch, step, after):
    """Let the process die at the `step`-th low-level call, before or after its effect."""
    count = iter(range(10_000))

    def wrap(function):
        def call(*args, **kwargs):
            here = next(count) == step
            if here and not after:
                raise CrashError
            answer = function(*args, **kwargs)
            if here:
                raise CrashError
            return answer

        return call

    for name in STEPS:
        monkeypatch.setattr(module, name, wrap(getattr(module, name)))


@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_step_leaves_a_valid_generation(shelf, monkeypatch, after):
    shelf.publish(3)
    outcomes = []
    for step in range(100):
        with monkeypatch.context() as patch:
            crash_at(patch, step, after)
            try:
                shelf.publish(7)
                break
            except CrashError:
                pass
        outcomes.append(shelf.open().load().seq)
        if outcomes[-1] == 7:
            shelf.publish(3, keep=False)
    assert len(outcomes) > 10
    assert set(outcomes[:-4]) == {3}
    assert shelf.open().load().seq == 7


def test_what_a_crash_left_behind_is_swept_by_the_next_commit(shelf):
    shelf.publish(3)
    with shelf.open().publishing() as publisher:
        publisher.segment({}, {"orphan": b"x"}, first_seq=1, last_seq=1, meta={})
    manifest = shelf.publish(4)
    folders = {p.name for p in (shelf.root / "toy-v1").iterdir() if p.is_dir()}
    assert folders == {s.folder for s in manifest.segments}


def test_the_lock_is_held_against_another_thread(shelf):
    seen = []
    with shelf.open().publishing() as first:
        assert first is not None

        def other():
            with shelf.open().publishing() as second:
                seen.append(second)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [None]
    with shelf.open().publishing() as third:
        assert third is not None


def test_the_lock_is_held_against_another_process_and_dies_with_it(shelf):
    code = (
        "import sys, pathlib; from helixlog.projections.generations import Generations\n"
        "with Generations(pathlib.Path(sys.argv[1]), 'toy', 1).publishing() as p:\n"
        "    print(p is not None, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code, shelf.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"True\n"
    with shelf.open().publishing(timeout=0.02) as publisher:
        assert publisher is None
    child.kill()
    child.communicate()
    with shelf.open().publishing(timeout=5) as publisher:
        assert publisher is not None


def test_a_waiting_publisher_gets_the_lock(shelf):
    release = threading.Event()
    held = threading.Event()

    def hold():
        with shelf.open().publishing():
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    threading.Timer(0.02, release.set).start()
    with shelf.open().publishing(timeout=10) as publisher:
        assert publisher is not None
    thread.join()


def test_a_read_only_folder_loads_and_does_not_publish(shelf, monkeypatch):
    shelf.publish(3)
    real = os.open

    def read_only(path, flags, *args, **kwargs):
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", read_only)
    generations = shelf.open()
    assert generations.load().seq == 3
    with generations.publishing() as publisher:
        assert publisher is None


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, OutOfSpace), (errno.EDQUOT, OutOfSpace), (errno.EIO, StorageError)]
)
def test_failures_of_the_disk_are_named(shelf, monkeypatch, number, kind):
    shelf.publish(3)

    def fail(_path, _data):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(module, "_write", fail)
        with pytest.raises(kind):
            shelf.publish(4)
    assert shelf.open().load().seq == 3


def test_without_the_pointer_last_a_crash_would_show_half_a_generation(shelf, monkeypatch):
    """The safety removed: a pointer written first names a manifest that is not there."""
    shelf.publish(3)
    real = module._replace

    def pointer_only(path, data):
        if path.name == "CURRENT":
            real(path, data)

    monkeypatch.setattr(module, "_replace", pointer_only)
    shelf.publish(4)
    assert Generations(shelf.root, "toy", 1).load() is None


def test_what_earlier_versions_have_left_is_deleted_and_nothing_else(shelf):
    others = ["toy-v13", "toy-v3-v2", "toy-velvet", "toy", "toys-v1", "a-toy-v1"]
    for name in ("toy-v1", "toy-v11", *others):
        (shelf.root / name).mkdir()
        (shelf.root / name / "CURRENT").write_text("something")
    shelf.publish(3, generations=Generations(shelf.root, "toy", 12))
    assert sorted(path.name for path in shelf.root.iterdir()) == sorted([*others, "toy-v12"])
