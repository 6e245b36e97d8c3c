"""What a projection is: a fold of the log that can be thrown away.

A projection applies events in order and remembers how far it has come. Its
state on disk is a cache: it may be deleted, cut short or garbled, and the next
open notices and rebuilds from the log. Two laws hold for each of them, by
`digest()`: applying in any batches equals applying in one go, and an
incremental projection equals a cold rebuild.

Texts are counted by *ordinal*: the k-th `memory_stored` event of the log (also
an erased one, which leaves a hole) is ordinal k, from 0. Ordinals grow with
the log, so a prefix of the log is a prefix of every array indexed by ordinal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from ..eventlog.events import Recorded


class Checkpoint(msgspec.Struct, frozen=True):
    """How far a projection has come.

    `seq` is the last event applied, `chain` the log's chain digest there (32 bytes), `constants` the digest of
    the constants the projection reads ("" when it reads none).
    """

    seq: int = 0
    chain: bytes = bytes(32)
    constants: str = ""


class Projection(Protocol):
    """A rebuildable fold of the log."""

    @property
    def name(self) -> str:
        """Folder name, without the version."""
        ...

    @property
    def version(self) -> int:
        """Raised when the same events give other state."""
        ...

    @property
    def seq(self) -> int:
        """The last event applied; 0 when empty."""
        ...

    def apply(self, batch: Sequence[Recorded]) -> None:
        """Apply events `seq + 1 ...` in order; events at or below `seq` are skipped, so twice equals once."""
        ...

    def digest(self) -> str:
        """Hex digest of the canonical state: equal for equal prefixes, however they were applied or stored."""
        ...

    def publish(self, chain: bytes) -> bool:
        """Write what is not yet on disk as a generation at `seq`, whose chain digest is `chain`.

        Returns False when another process is publishing.
        """
        ...
