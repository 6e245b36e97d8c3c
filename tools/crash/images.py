"""Power cuts: disks built from the recorded system calls of a workload, each opened and checked."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from . import recording
from .checking import promises
from .disk import CUTS, Cut, Image, images
from .kills import judge, template
from .nursery import TOOLS, Nursery, Starter, must
from .operations import Operation, Said
from .tally import Tally
from .workloads import WORKLOADS, fresh

AT_ONCE = 60
DEEP = 4
"""Of so many images, one is gone on with through the verbs; the others take an append."""


def traced(name: str, place: Path, seed: int, rounds: int, module: str = "crash.workloads") -> list[Operation]:
    """The operations of a workload on a store, which is changed by it."""
    paths = os.pathsep.join([str(TOOLS), *(path for path in sys.path if path)])
    environ = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", module, name, str(place), str(seed), str(rounds)]
    return recording.record(command, place.parent, environ)


def power_cuts(
    nursery: Starter,
    name: str,
    seed: int,
    base: Path | None,
    scratch: Path,
    *,
    only: int | None = None,
    module: str = "crash.workloads",
    until_lost: bool = False,
    kinds: Sequence[Cut] = CUTS,
    least: int = 0,
) -> Tally:
    """Images of one workload on a copy of `base` (or on an empty disk), each checked.

    `only` so many, drawn at random, if given; `until_lost`: only up to the first loss; `kinds` of cuts; only where at
    `least` so much was pending.
    """
    tally, rng = Tally(), Random(seed)
    disk, before = scratch / "disk", scratch / "before"
    if base is None:
        disk.mkdir(parents=True)
        before.mkdir()
    else:
        fresh(base, disk)
        fresh(base, before)
    operations = traced(name, disk / "store", seed, 1, module)
    lines = [one.line for one in operations if isinstance(one, Said)]
    must(lines[-1] == "DONE", f"{lines[-3:]}")
    found = chosen(images(before, operations, rng, kinds), rng, only, least)
    for image in reversed(found) if until_lost else found:  # the later, the more was promised
        _judge_image(nursery, image, lines, place=scratch / "image", label=f"images: {name}, seed {seed}", tally=tally)
        if until_lost and tally.losses:
            break
    return tally


def chosen(every: Iterator[Image], rng: Random, only: int | None, least: int) -> list[Image]:
    """Images to look at, in the order of their moments."""
    every = (image for image in every if image.pending >= least)
    if only is None:
        return list(every)
    kept: list[Image] = []
    for number, image in enumerate(every):  # a reservoir: they are large, and thousands
        if len(kept) < only:
            kept.append(image)
        elif (slot := rng.randint(0, number)) < only:
            kept[slot] = image
    return sorted(kept, key=lambda image: image.moment)


def _judge_image(nursery: Starter, image: Image, lines: list[str], *, place: Path, label: str, tally: Tally) -> None:
    image.write(place)
    promised = promises(lines[: image.said])
    tally.images += 1
    label = f"{label}, moment {image.moment}, {image.cut} of {image.pending} pending"
    judge(nursery, place / "store", promised, label, tally, deep=tally.images % DEEP == 0)
    shutil.rmtree(place)


def cuts(seed: int, scratch: Path) -> Tally:
    """One round: a random workload, and some of its images."""
    if why := recording.available():
        return Tally(skipped=why)
    name = Random(seed).choice(sorted(WORKLOADS))
    with Nursery() as nursery:
        base = None if name == "create" else template(nursery, scratch)
        return power_cuts(nursery, name, seed, base, scratch, only=AT_ONCE)
