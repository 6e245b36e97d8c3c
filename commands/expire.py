"""`expire`: report what has expired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..eventlog.events import ExpiryTicked
from ..projections.beliefs import Beliefs
from ..projections.columns import NONE
from .appending import lead_text
from .ticks import Body, ticked
from .times import format_time

if TYPE_CHECKING:
    from .opened import OpenStore


class Expired(msgspec.Struct, frozen=True, kw_only=True):
    """A memory whose time is over, since `expires_at` (ISO 8601 UTC)."""

    id: str
    text: str
    expires_at: str


class Expiries(msgspec.Struct, frozen=True, kw_only=True):
    """What a tick of expiry found, the longest expired first; `seq` is null for a dry run, `clock` the tick's time."""

    seq: int | None
    dry_run: bool
    clock: str
    expired: tuple[Expired, ...]
    repeated: bool = False


def expire(self: OpenStore, *, dry_run: bool = False, key: str | None = None) -> Expiries:
    """Tick expiry, and report every memory that has expired by now and is not hidden for another reason.

    Expiry is a comparison with the clock when a question is asked, so a tick hides nothing that was not hidden from
    its moment on.

    Args:
        self: The store.
        dry_run: Report without appending.
        key: The same key ticks once, for ever.

    Raises:
        KeyConflict: The key was used for something else.
    """
    return ticked(self, ExpiryTicked, _report, verb="expire", dry_run=dry_run, key=key)


def _report(beliefs: Beliefs, body: Body, clock: int) -> Expiries:
    """What a tick at `clock` finds, as a dry run."""
    table = beliefs.memories.table
    hidden = table["forgotten"] | table["erased"] | table["superseded"] | table["pruned"]
    ends = table["expires_at"]
    over = np.flatnonzero(beliefs.memories.roots() & (hidden == 0) & (ends != NONE) & (ends <= clock))
    order = over[np.argsort(ends[over], kind="stable")].tolist()
    expired = tuple(
        Expired(
            id=beliefs.texts.id_of(root),
            text=lead_text(body, beliefs, root),
            expires_at=format_time(int(ends[root])),
        )
        for root in order
    )
    return Expiries(seq=None, dry_run=True, clock=format_time(clock), expired=expired)
