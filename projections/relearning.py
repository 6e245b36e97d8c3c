"""Beliefs under constants that put every text into the same memory: what is learned and what a prune hides differ.

Texts, memories and links are those at hand, as they were at the asked event.
Effectiveness is learned anew from the exposures (`effectiveness/refold.py`), and
each prune of the log is carried out again with what is then believed. Nothing
reads the log, so it costs a fraction of a fold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from .beliefs import Beliefs
from .effectiveness.refold import Refold, Refolder
from .pruning import prunable


class Relearned:
    """What is believed at any event under such constants, to be read only; learned once for all of them.

    Args:
        beliefs: A fold that knows all of its past (`beliefs.start` is 0).
        constants: Constants that place texts as those of `beliefs` do (`Constants.places_as`).
    """

    def __init__(self, beliefs: Beliefs, constants: Constants) -> None:
        self._beliefs = beliefs
        self._learned = Refolder(beliefs.effectiveness).fold(constants)
        self._hidden: NDArray[np.uint8] | None = None
        self._left: list[tuple[int, int, int]] = []
        if beliefs.prunes:
            self._hidden, self._left = _pruned(beliefs, self._learned)

    def at(self, seq: int) -> Beliefs:
        """The beliefs at event `seq`, up to where those at hand have come."""
        then = self._beliefs.as_of(seq)
        if self._hidden is not None:
            hidden = self._hidden[: len(then.texts)].copy()
            for later, row, old in reversed(self._left):
                if later <= seq:
                    break
                if row < len(hidden):
                    hidden[row] = old
            then.memories.table.replace("pruned", hidden)
        return _under(then, self._learned)


def adopted(beliefs: Beliefs, constants: Constants) -> Beliefs:
    """`beliefs` themselves with such constants in force, to be added to; arguments as in `Relearned`."""
    learned = Refolder(beliefs.effectiveness).fold(constants)
    if beliefs.prunes:
        beliefs.memories.cells.rewrite("pruned", *_pruned(beliefs, learned))
    before = beliefs.effectiveness
    beliefs.membership.constants = constants
    beliefs.masks = {}
    _under(beliefs, learned)
    if learned.same_causes:
        beliefs.effectiveness.keep_centroids(before)
    return beliefs


def _under(then: Beliefs, learned: Refold) -> Beliefs:
    """The same beliefs with what is learned under other constants."""
    then.constants = learned.constants
    then.effectiveness = learned.state(then.seq, len(then.texts))
    return then


def _pruned(beliefs: Beliefs, learned: Refold) -> tuple[NDArray[np.uint8], list[tuple[int, int, int]]]:
    """Which memories are hidden, every prune having been carried out again; and what each change left.

    The latter as (seq, row, what stood there), in the order of the log.
    """
    hidden = np.zeros(len(beliefs.texts), np.uint8)
    left: list[tuple[int, int, int]] = []
    shown = iter([*(entry for entry in beliefs.history.entries if entry.name == "revived"), None])
    waiting = next(shown)
    for seq, clock in [*beliefs.prunes, (beliefs.seq + 1, None)]:
        while waiting is not None and waiting.seq < seq:
            if hidden[waiting.key]:
                left.append((waiting.seq, waiting.key, 1))
                hidden[waiting.key] = 0
            waiting = next(shown)
        if clock is not None:
            before = beliefs.as_of(seq - 1)
            before.memories.table.replace("pruned", hidden[: len(before.texts)].copy())
            doomed = prunable(_under(before, learned), clock)
            left += [(seq, row, 0) for row in doomed.tolist()]
            hidden[doomed] = 1
    return hidden, left
