"""`decay`: settle what time has taken off effectiveness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..eventlog.events import DecayTicked
from ..projections.beliefs import Beliefs
from .ticks import Body, ticked
from .times import format_time

if TYPE_CHECKING:
    from .opened import OpenStore


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """What time took off one memory: effectiveness in [0, 1] when it was last settled, and now."""

    id: str
    before: float
    after: float


class Decayed(msgspec.Struct, frozen=True, kw_only=True):
    """What a tick of decay found; `unchanged` counts the memories that time took nothing off.

    `seq` is null for a dry run, `clock` the tick's time.
    """

    seq: int | None
    dry_run: bool
    clock: str
    settled: tuple[Settled, ...]
    unchanged: int
    repeated: bool = False


def decay(self: OpenStore, *, dry_run: bool = False, key: str | None = None) -> Decayed:
    """Tick decay, and report what time has taken off each memory since its last feedback (or since it was stored).

    Decay is a function of time, so a tick changes no number: hourly, daily, one late or no tick give the same
    effectiveness. Every memory that is neither forgotten, superseded nor erased is reported on.

    Args:
        self: The store.
        dry_run: Report without appending.
        key: The same key ticks once, for ever.

    Raises:
        KeyConflict: The key was used for something else.
    """
    return ticked(self, DecayTicked, _report, verb="decay", dry_run=dry_run, key=key)


def _report(beliefs: Beliefs, _: Body, clock: int) -> Decayed:
    """What a tick at `clock` settles, as a dry run."""
    table, learned = beliefs.memories.table, beliefs.effectiveness
    gone = table["forgotten"] | table["erased"] | table["superseded"]
    live = np.flatnonzero(beliefs.memories.roots() & (gone == 0))
    old, new = learned.table["effectiveness"][live], learned.value(live, clock)
    changed = np.flatnonzero(old != new)
    settled = tuple(
        Settled(id=beliefs.texts.id_of(int(live[index])), before=float(old[index]), after=float(new[index]))
        for index in changed
    )
    return Decayed(
        seq=None, dry_run=True, clock=format_time(clock), settled=settled, unchanged=len(live) - len(settled)
    )
