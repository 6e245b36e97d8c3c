"""`reembed`: give every text vectors of another embedder, or none.

Texts get their vectors in batches that change nothing yet: queries go on with
the old embedder. The last step runs under the write lock. It sees what was
stored meanwhile, embeds that too, and appends the rest of the vectors together
with the adoption, so that at every point of the log the embedder in use covers
every text. A run that was broken off is taken up by the next: what has vectors
is not embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from ..constants import Thresholds
from ..errors import Conflict
from ..eventlog.events import (
    ConstantsAdopted,
    EmbedderAdopted,
    Event,
    MemoriesReembedded,
    MemoryStored,
    Recorded,
    Vectors,
)
from ..eventlog.log import Appended, LogReader
from ..projections.text.document import indexed_text
from .appending import Locked, append_decided, checked_reason
from .init import embedder_name

if TYPE_CHECKING:
    from ..constants import Constants
    from ..embedding.protocol import Embedder
    from .opened import OpenStore

BATCH = 1_000
"""Most texts of one event."""

LATE = 32
"""Most texts that are embedded under the write lock; more, and another batch goes before."""

Progress = Callable[[int, int], None]
"""(texts done, texts in all)."""


class Reembedded(msgspec.Struct, frozen=True, kw_only=True):
    """What a change of embedder did; `seq` is null for a dry run.

    `embedder` and `fingerprint` are those from here on, `previous` the fingerprint before (null for none), `texts` counts
    those that were (or would be) given vectors, `kept` those that had them already, `events` what was appended.
    """

    seq: int | None
    dry_run: bool
    embedder: str | None
    fingerprint: str | None
    previous: str | None
    texts: int
    kept: int
    constants_adopted: bool
    events: int
    repeated: bool = False


def reembed(
    self: OpenStore,
    embedder: str | Embedder,
    reason: str | None = None,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    key: str | None = None,
) -> Reembedded:
    """Give every text vectors of another embedder, and use it from here on; a store without one gets its first.

    Points of the past keep theirs, and so does what was decided from them. The new embedder's thresholds join the
    constants, unless they are there.

    Args:
        embedder: Its name, one of your own, or "none" to recall by words and names only.
        reason: Why.
        dry_run: Say what would be done; nothing is embedded or appended.
        progress: Called now and then with (texts done, texts in all).
        key: The same key adopts once, for ever.

    Raises:
        Conflict: The store uses this embedder already, or another was adopted meanwhile.
        InvalidInput, EmbedderUnavailable: The embedder cannot be had.
        EmbedderError: It failed; what has vectors by then is kept, and nothing else changed.
        KeyConflict: The key was used for something else.
    """
    reason, chosen = checked_reason(reason), self.load_embedder(embedder)
    change = _Change(self, chosen, reason, key)
    if dry_run:
        change.check(self.view().beliefs.fingerprint)
        change.coverage.apply(self.log.read())
        return change.answer(None, constants_adopted=change.lacks_row(self.view().beliefs.constants), events=0)
    appended = change.run(progress)
    if chosen is not None:
        self.use_embedder(chosen)
    return change.answer(appended)
