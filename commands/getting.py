"""`get` and `count`: one memory, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..recall.statistics import states
from ..recall.view import Asker
from ..recall.visibility import STATES, may_see
from .opened import AsOf, AsOfPoint, reading
from .records import Record, record
from .seeing import visible_root

if TYPE_CHECKING:
    from .opened import OpenStore


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories there are; `count` those that are live."""

    count: int
    by_state: dict[str, int]
    as_of: AsOfPoint


@reading
def get(self: OpenStore, memory: str, *, user: str | None = None, as_of: AsOf | None = None) -> Record:
    """One memory, whatever its state; the id of a merged text gives the memory it belongs to.

    Args:
        self: The store.
        memory: Its id, that of one of its texts, or a unique beginning.
        user: Who asks; the owner if not given.
        as_of: What was believed then; see `recall`.

    Raises:
        NotFound: There is none, or the asker may not see it.
        AmbiguousId: Several ids begin so.
    """
    view = self.view(as_of)
    return record(view, visible_root(self, view, memory, user), may_see(view.beliefs, Asker(user=user)))


@reading
def count(self: OpenStore, *, user: str | None = None, as_of: AsOf | None = None) -> Counted:
    """How many memories the asker may see, by state; erased ones are nobody's.

    Args:
        self: The store.
        user: Who asks; the owner if not given.
        as_of: What was believed then; see `recall`.
    """
    view = self.view(as_of)
    seen = may_see(view.beliefs, Asker(user=user)) & view.beliefs.memories.roots()
    counts = np.bincount(states(view.beliefs, view.point.clock)[seen], minlength=len(STATES)).tolist()
    by_state = {name: number for name, number in zip(STATES, counts, strict=True) if name != "erased"}
    return Counted(count=by_state["live"], by_state=by_state, as_of=self.as_of_point(view.point))
