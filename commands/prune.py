"""`prune`: hide what has not proved itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import DAY
from ..eventlog.events import PruneTicked
from ..projections.beliefs import Beliefs
from ..projections.columns import NONE
from ..projections.pruning import prunable
from .appending import lead_text
from .ticks import Body, ticked
from .times import format_time

if TYPE_CHECKING:
    from .opened import OpenStore


class Hidden(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that a prune hides, with effectiveness and adjusted effectiveness in [0, 1] at its clock, and why."""

    id: str
    text: str
    effectiveness: float
    adjusted: float
    uses: int
    why: str


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What a prune hides; `exempt` counts what it would hide, were it not protected or pinned.

    `seq` is null for a dry run, `clock` the tick's time.
    """

    seq: int | None
    dry_run: bool
    clock: str
    hidden: tuple[Hidden, ...]
    exempt: int
    repeated: bool = False


def prune(self: OpenStore, *, dry_run: bool = False, key: str | None = None) -> Pruned:
    """Hide memories that have not proved themselves; `recall --deep` still finds them, and `restore` brings them back.

    Hidden is what is below `prune_threshold` after `prune_min_uses` uses since it was stored or last restored, or
    adjusted below it after `prune_exposures`; and what an agent or tool stored and nobody has seen for
    `prune_ghost_days`. Exempt is what is protected (tags `user-provided`, `user-preference`, kind `instruction`) or
    pinned.

    Args:
        self: The store.
        dry_run: Report without appending.
        key: The same key prunes once, for ever.

    Raises:
        KeyConflict: The key was used for something else.
    """
    return ticked(self, PruneTicked, _report, verb="prune", dry_run=dry_run, key=key)


def _report(beliefs: Beliefs, body: Body, clock: int) -> Pruned:
    """What a prune at `clock` hides, as a dry run."""
    doomed = prunable(beliefs, clock)
    learned = beliefs.effectiveness
    values = learned.value(doomed, clock)
    adjusted = learned.adjusted(doomed, values)
    reasons = Reasons(beliefs, doomed, clock)
    hidden = tuple(
        Hidden(
            id=beliefs.texts.id_of(root),
            text=lead_text(body, beliefs, root),
            effectiveness=float(values[index]),
            adjusted=float(adjusted[index]),
            uses=int(learned.table["uses"][root]),
            why=reasons.why(index),
        )
        for index, root in enumerate(doomed.tolist())
    )
    return Pruned(seq=None, dry_run=True, clock=format_time(clock), hidden=hidden, exempt=_exempt(beliefs, clock))


class Reasons:
    """Why a prune at `clock` would hide memories, exempt or not. Rules: docs/fold.md, "State changes"."""

    def __init__(self, beliefs: Beliefs, chosen: NDArray[np.int64], clock: int) -> None:
        self.constants = constants = beliefs.constants
        table, learned = beliefs.memories.table, beliefs.effectiveness
        self.value = learned.value(chosen, clock)
        self.adjusted = learned.adjusted(chosen, self.value)
        self.uses = learned.table["uses"][chosen] - table["uses_before"][chosen]
        ghost, returned = round(constants.prune_ghost_days * DAY), table["returned_at"][chosen]
        self.poor = (self.value < constants.prune_threshold) & (self.uses >= constants.prune_min_uses)
        self.idle = (self.adjusted < constants.prune_threshold) & (self.uses >= constants.prune_exposures)
        self.unseen = (
            (table["machine"][chosen] == 1)
            & (clock - table["since"][chosen] > ghost)
            & (table["exposed"][chosen] == 0)
            & ((returned == NONE) | (returned <= clock - ghost))
        )

    def why(self, index: int) -> str:
        """The reason for one of them, in words."""
        below = f"below {self.constants.prune_threshold:g} after {self.uses[index]} uses"
        if self.poor[index]:
            return f"effectiveness {self.value[index]:.3f} is {below}"
        if self.idle[index]:
            return f"adjusted effectiveness {self.adjusted[index]:.3f} is {below}"
        return f"stored by an agent or tool and not seen for {self.constants.prune_ghost_days:g} days"


def _exempt(beliefs: Beliefs, clock: int) -> int:
    """How many memories only their protection or pin keeps from being hidden."""
    table = beliefs.memories.table
    hidden = table["forgotten"] | table["erased"] | table["superseded"] | table["pruned"]
    kept = np.flatnonzero(beliefs.memories.roots() & (hidden == 0) & ((table["protected"] == 1) | (table["pin"] >= 0)))
    reasons = Reasons(beliefs, kept, clock)
    return int((reasons.poor | reasons.idle | reasons.unseen).sum())
