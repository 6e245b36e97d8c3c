"""What was tried and what was lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

import msgspec


class Tally(msgspec.Struct):
    """Counts of one or more rounds.

    `faults`: failures of the machine that were brought about (errors of calls, rights taken away, damage, schedules).
    `images`: disks as a power cut may leave them. `kills`: processes killed by SIGKILL, of which `mid` while a verb
    was at work. `inputs`: inputs that were tried. `checks`: stores looked at afterwards. `promises`: acknowledgements
    held against them. `losses`: what was wrong, each with what is needed to see it again.
    """

    faults: int = 0
    images: int = 0
    kills: int = 0
    mid: int = 0
    inputs: int = 0
    checks: int = 0
    promises: int = 0
    losses: list[str] = msgspec.field(default_factory=list)
    skipped: str = ""

    def __iadd__(self, other: Tally) -> Self:
        for name in ("faults", "images", "kills", "mid", "inputs", "checks", "promises"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.losses += other.losses
        self.skipped = other.skipped
        return self


def memory() -> str | None:
    """A folder in memory, if there is one.

    Nothing here depends on a disk: what a killed process has written stays in the page cache, and power cuts are built
    from recorded calls. Without waiting for a disk ten times as much can be tried.
    """
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - no file of a known name is made there


Round = Callable[[int, Path], Tally]
"""One round of faults, from a seed alone, in an empty folder of its own."""
