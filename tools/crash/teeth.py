"""The safeties, each taken away by name: a harness that finds nothing then finds nothing at all.

    python -m crash.teeth SAFETY:WORKLOAD STORE SEED ROUNDS

is a workload (see `workloads`) without a safety, to be recorded.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterator

import lmdb
from helixlog.commands import copying, opened
from helixlog.commands.memory import Memory
from helixlog.errors import StorageError
from helixlog.eventlog import environment, layout
from helixlog.projections import generations

from . import hindered, workloads
from .checking import UNKNOWN
from .nursery import Child, Nursery, say


def _lmdb(**options: bool) -> None:
    lmdb.open = functools.partial(lmdb.open, **options)


def _nothing(*_: object) -> None:
    """In the place of a call that is left out."""


def _no_layout_sync() -> None:
    layout.sync = copying.sync = _nothing


def _no_checksums() -> None:
    def trusting(self: generations.Generations, segment: generations.Segment, name: str, _file: object) -> object:
        return generations._map(self.path / segment.folder / name)  # noqa: SLF001

    generations.Generations._verify = trusting  # type: ignore[method-assign] # noqa: SLF001


def _no_generation_sync() -> None:
    generations._sync = _nothing  # noqa: SLF001


def _acknowledge_first() -> None:
    @contextlib.contextmanager
    def early(memory: Memory, verb: str, _made: str = "") -> Iterator[None]:
        say(f"ACK {memory.eventlog.head.seq + 1} {UNKNOWN}")
        say(f"BEGIN {verb}")
        yield

    workloads.acknowledged = hindered.acknowledged = early


def _no_look_at_the_lock() -> None:
    layout.WriteLock._still_there = _nothing  # type: ignore[method-assign] # noqa: SLF001


def _no_growth() -> None:
    def grow(self: environment.Environment, _error: Exception) -> None:
        raise StorageError(f"{self.log} is full", remedy="none")

    environment.Environment._grow = grow  # type: ignore[method-assign] # noqa: SLF001


def _no_way_back_from_growth() -> None:
    environment.Environment._close = _nothing  # type: ignore[method-assign] # noqa: SLF001
    environment.Environment._open = _nothing  # type: ignore[method-assign] # noqa: SLF001


def _publishing_may_fail_a_verb() -> None:
    opened.OpenStore._publish = lambda _self, catalog: catalog.publish()  # type: ignore[method-assign] # noqa: SLF001


SAFETIES: dict[str, Callable[[], None]] = {
    "sync": lambda: _lmdb(sync=False),
    "metasync": lambda: _lmdb(metasync=False),
    "layout-sync": _no_layout_sync,
    "checksums": _no_checksums,
    "generation-sync": _no_generation_sync,
    "acknowledging-last": _acknowledge_first,
    "lock-still-there": _no_look_at_the_lock,
    "growth": _no_growth,
    "reopening": _no_way_back_from_growth,
    "publishing-apart": _publishing_may_fail_a_verb,
}


class Without:
    """A nursery whose children lack a safety; those that check lack it only if `checks`."""

    def __init__(self, nursery: Nursery, safety: str, *, checks: bool = False) -> None:
        self._nursery, self._safety, self._checks = nursery, safety, checks

    def start(self, function: str, *arguments: object) -> Child:
        """See `Nursery`."""
        return self._nursery.start("crash.teeth:without", self._safety, function, *arguments)

    def ask(self, function: str, *arguments: object) -> object:
        """See `Nursery`."""
        if self._checks:
            return self._nursery.ask("crash.teeth:without", self._safety, function, *arguments)
        return self._nursery.ask(function, *arguments)


def without(safety: str, function: str, *arguments: object) -> object:
    """What a function returns in a process without a safety."""
    SAFETIES[safety]()
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(*arguments)


if __name__ == "__main__":
    _safety, _, _name = sys.argv[1].partition(":")
    without(_safety, "crash.workloads:run", _name, sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
