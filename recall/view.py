"""The point a question is asked at, and the state it is answered from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ..eventlog.events import MemoryStored
from ..projections.beliefs import Beliefs
from ..projections.text.index import TextIndex
from ..projections.vector.index import VectorIndex


class Point(msgspec.Struct, frozen=True):
    """An asked point: the last event that counts, and the clock (UTC ns) that everything timed is read at."""

    seq: int
    clock: int


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Whose eyes a question sees with. `user` None is the owner; the others filter when given."""

    user: str | None = None
    project: str | None = None
    session: str | None = None
    agent: str | None = None
    container: str | None = None


class View(msgspec.Struct, frozen=True):
    """Everything a read needs at one point.

    `texts` counts the texts at or before the point; `vectors` is None where the point's embedder has no index.
    `bodies` gives the events of texts by ordinal.
    """

    point: Point
    beliefs: Beliefs
    text: TextIndex
    vectors: VectorIndex | None
    bodies: Callable[[Sequence[int]], list[MemoryStored]]

    def body(self, ordinal: int) -> MemoryStored:
        """The event of a text."""
        return self.bodies((ordinal,))[0]

    @property
    def texts(self) -> int:
        """How many texts the point knows."""
        return len(self.beliefs.texts)
