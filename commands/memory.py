"""`Memory`: every verb as a method of one object.

A verb is a function in a module of its own whose first argument is the open
store; here they are put together. `MemoryView` has the same methods at a point
of the past, where writing is refused by name.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from . import feedback as _feedback
from . import recall as _recall
from . import store as _store
from .creating import open_log
from .opened import Actor, Clock, OpenStore
from .where import find

if TYPE_CHECKING:
    from ..embedding.protocol import Embedder


class Memory(OpenStore):
    """A store of memories.

    Args:
        path: The store's folder; found as the command line finds it if not given.
        create: Make the store if it is missing.
        read_only: Refuse to write.
        embedder: Name of an embedder, or one of your own; for a new store "minilm" if not given, "none" for none. For
            a store that is there it must be the store's own.
        clock: Gives UTC nanoseconds; never below the last event's time.
        actor: Who acts, as events record it.
        api_key: For embedders behind an API.
        owner: Name of the owner of a new store.

    Raises:
        StoreMissing: There is no store and `create` is False.
        EmbedderMismatch: The store has another embedder.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        create: bool = True,
        read_only: bool = False,
        embedder: str | Embedder | None = None,
        clock: Clock = time.time_ns,
        actor: Actor | None = None,
        api_key: str | None = None,
        owner: str | None = None,
    ) -> None:
        folder = find(path, environ=os.environ, start=Path.cwd()).folder
        log = open_log(
            folder, create=create and not read_only, read_only=read_only, embedder=embedder, clock=clock, owner=owner
        )
        super().__init__(folder, log, clock=clock, embedder=embedder, api_key=api_key, actor=actor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    store = _store.store
    recall = _recall.recall
    feedback = _feedback.feedback
