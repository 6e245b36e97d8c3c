"""What the verbs that tick share: report at once, or append the tick and report what it found under the lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ..eventlog.events import DecayTicked, Event, ExpiryTicked, MemoryStored, PruneTicked
from ..projections.beliefs import Beliefs
from . import checks
from .appending import Locked, append_decided, before

if TYPE_CHECKING:
    from .opened import OpenStore

Body = Callable[[int], MemoryStored]
R = TypeVar("R", bound=msgspec.Struct)


def ticked(
    self: OpenStore,
    tick: type[DecayTicked | ExpiryTicked | PruneTicked],
    report: Callable[[Beliefs, Body, int], R],
    *,
    verb: str,
    dry_run: bool,
    key: str | None,
) -> R:
    """The report of a tick; appended unless it is a dry run.

    Args:
        self: The store.
        tick: The event.
        report: From beliefs, bodies by ordinal and a clock to the report of a dry run, which has the fields
            seq, dry_run and repeated.
        verb: The verb's name.
        dry_run: Report without appending.
        key: The same key ticks once, for ever.
    """
    if checks.check_flag(dry_run, what="dry_run"):
        view = self.view()
        return report(view.beliefs, view.body, view.point.clock)
    found: R | None = None

    def decide(locked: Locked) -> list[Event]:
        nonlocal found
        found = report(locked.beliefs, locked.catalog.body, locked.clock)
        return [tick(**self.stamp(key), clock=locked.clock)]

    appended = append_decided(self, decide, verb=verb, key=key)
    if found is None:
        view = before(self, appended)
        found = report(view.beliefs, view.body, appended.recorded_at)
    return msgspec.structs.replace(found, seq=appended.last, dry_run=False, repeated=appended.repeated)
