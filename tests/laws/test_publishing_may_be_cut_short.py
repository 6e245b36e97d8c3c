"""A publication that dies at any file, and any order of publishers, readers and writers, end in the cold rebuild."""

from __future__ import annotations

import shutil
from random import Random

import pytest
from helixlog.projections import generations
from helixlog.projections.catalog import Catalog
from listed import ListLog, catalog
from production import snapshot
from strategies import random_log


class CutError(Exception):
    """The process would have died here."""


def state(found, log):
    return found.digests(), snapshot(found.beliefs, log[-1].recorded_at)


def cut_at(patch, number):
    """Die at the `number`-th file that is made durable."""
    left = iter(range(number))

    def sync(_path):
        if next(left, None) is None:
            raise CutError

    patch.setattr(generations, "_sync", sync)


def test_a_publication_that_dies_at_any_file_harms_nothing(tmp_path, monkeypatch):
    log = random_log(Random(9), 80, adopt_embedder=2)
    monkeypatch.setattr(generations, "_sync", lambda _: None)
    assert catalog(log[:50], tmp_path / "before").publish()
    expected, number, died = state(catalog(log), log), 0, 0
    while True:
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "before", folder)
        dying = catalog(log, folder)
        cut_at(monkeypatch, number)
        try:
            done = dying.publish()
        except CutError:
            done, died = False, died + 1
        monkeypatch.setattr(generations, "_sync", lambda _: None)
        again = catalog(log, folder)
        assert state(again, log) == expected
        assert again.publish()
        assert state(catalog(log, folder), log) == expected
        if done:
            break
        number += 1 if number < 12 else 9
    assert died > 12


@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_writers_publishers_and_readers_ends_in_the_cold_rebuild(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(generations, "_sync", lambda _: None)
    rng = Random(seed)
    log = random_log(rng, 90, erase=0, erase_other=0, adopt_constants=3)
    growing = ListLog(log[:1])
    open_ = [Catalog(tmp_path, growing) for _ in range(3)]
    steps = []
    while growing.head.seq < len(log) or len(steps) < 40:
        who, what = rng.randrange(3), rng.choice(("write", "write", "sync", "publish", "open"))
        steps.append((who, what))
        if what == "write":
            growing.extend(log[growing.head.seq : growing.head.seq + rng.randint(1, 9)])
        elif what == "open":
            open_[who] = Catalog(tmp_path, growing)
        else:
            open_[who].sync()
            if what == "publish":
                assert open_[who].publish()
    expected = state(catalog(log), log)
    for one in (*open_, Catalog(tmp_path, growing)):
        one.sync()
        assert state(one, log) == expected, steps
