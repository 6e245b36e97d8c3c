"""Which memories a prune hides. Rules: docs/fold.md, "State changes"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..constants import DAY
from .columns import NONE

if TYPE_CHECKING:
    from .beliefs import Beliefs


def prunable(beliefs: Beliefs, clock: int) -> NDArray[np.int64]:
    """Roots that a prune at `clock` hides, lowest first. Rules: docs/fold.md, "State changes"."""
    constants, table, learned = beliefs.constants, beliefs.memories.table, beliefs.effectiveness
    arrived = np.arange(len(table)) < beliefs.arrived
    busy = table["forgotten"] | table["erased"] | table["superseded"] | table["pruned"] | table["protected"]
    roots = np.flatnonzero(beliefs.memories.roots() & arrived & (busy == 0) & (table["pin"] < 0))
    value = learned.value(roots, clock)
    adjusted = learned.adjusted(roots, value)
    uses = learned.table["uses"][roots] - table["uses_before"][roots]
    ghost = round(constants.prune_ghost_days * DAY)
    returned = table["returned_at"][roots]
    unseen = (
        (table["machine"][roots] == 1)
        & (clock - table["since"][roots] > ghost)
        & (table["exposed"][roots] == 0)
        & ((returned == NONE) | (returned <= clock - ghost))
    )
    poor = (value < constants.prune_threshold) & (uses >= constants.prune_min_uses)
    idle = (adjusted < constants.prune_threshold) & (uses >= constants.prune_exposures)
    hidden: NDArray[np.int64] = roots[poor | idle | unseen]
    return hidden
