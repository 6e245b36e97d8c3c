"""Death before the k-th step that makes something durable. The product has no hook for it: the calls are wrapped.

The steps are what Python calls (fsync, rename, replace, link, unlink, mkdir, rmdir) and what LMDB is told (begin a
write, put, commit, copy). Those inside LMDB and tantivy are covered by power-cut images: "everything that was written
so far" is what a kill between two system calls leaves.
"""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Callable
from pathlib import Path

from helixlog.eventlog import environment
from helixlog.eventlog.transaction import Transaction

from . import workloads
from .nursery import say

CALLS = ("fsync", "rename", "replace", "link", "unlink", "mkdir", "rmdir")


class Steps:
    """Counts steps and dies at one; -1 never dies."""

    def __init__(self, last: int) -> None:
        self.last, self.taken = last, 0

    def step(self, name: str) -> None:
        """A step is about to be taken."""
        say(f"STEP {name}")
        if self.taken == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.taken += 1

    def wrap(self, owner: object, name: str, label: Callable[..., str]) -> None:
        """Make a step of every call of a function."""
        inner = getattr(owner, name)

        @functools.wraps(inner)
        def wrapped(*arguments: object, **options: object) -> object:
            self.step(label(*arguments))
            return inner(*arguments, **options)

        setattr(owner, name, wrapped)


def arm(last: int) -> Steps:
    """Wrap the calls of this process."""
    steps = Steps(last)
    for name in CALLS:
        steps.wrap(os, name, functools.partial(_named, name))
    steps.wrap(Transaction, "add", lambda *_: "lmdb put")
    steps.wrap(Transaction, "copy_to", lambda *_: "lmdb copy")
    once = environment.Environment._once  # noqa: SLF001 - where a transaction begins and ends

    def stepped(self: environment.Environment, work: object, *, write: bool) -> object:
        if not write:
            return once(self, work, write=False)

        def then_commit(transaction: Transaction) -> object:
            made = work(transaction)
            steps.step("lmdb commit")
            return made

        steps.step("lmdb begin")
        made = once(self, then_commit, write=True)
        steps.step("lmdb committed")
        return made

    environment.Environment._once = stepped  # type: ignore[method-assign] # noqa: SLF001
    return steps


def _named(call: str, *arguments: object) -> str:
    place = arguments[0]
    path = Path(f"/proc/self/fd/{place}").readlink() if isinstance(place, int) else Path(str(place))
    return f"{call} {path.name}"


def run(name: str, place: str, seed: int, rounds: int, last: int) -> None:
    """A workload that dies before step `last`."""
    arm(last)
    workloads.run(name, place, seed, rounds)
