"""Ids, order, scores and digests are the same whatever the hash seed, time zone, locale, threads and compiled loops."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
WORLDS = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C", **dict.fromkeys(THREADS, "1")},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8", **dict.fromkeys(THREADS, "4")},
    {"PYTHONHASHSEED": "random", "TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", **dict.fromkeys(THREADS, "2")},
)


def said_in(world, *how):
    command = [sys.executable, Path(__file__).with_name("machine.py"), *how]
    run = subprocess.run(command, env=os.environ | world, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_every_world_gives_the_same_answers():
    first, *others = [*(said_in(world) for world in WORLDS), said_in({}, "uncompiled")]
    assert int(first.split()[0]) > 10_000
    assert others == [first] * len(others)
