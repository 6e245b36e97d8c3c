"""Several folds of one log brought forward together, with stops: every event is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from ..constants import Constants
from ..eventlog.events import Recorded
from ..projections.beliefs import Beliefs
from ..projections.catalog import Catalog

BATCH = 2_000
Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""


def begun(catalog: Catalog, constants: Constants) -> Beliefs:
    """A fold under these constants before the first event, to be brought forward; nobody else has it."""
    return Beliefs(constants, catalog, contexts=catalog.contexts)


def stops(
    read: Callable[[int, int], Iterator[Recorded]],
    folds: Sequence[Beliefs],
    seqs: Iterable[int],
    last: int,
    progress: Progress | None = None,
) -> Iterator[int]:
    """Bring the folds to each of these events in turn, and in the end to `last`; yields each once they are there.

    Args:
        read: The events from one to another, both included.
        folds: At any events before the first stop.
        seqs: Where to stop, none beyond `last`.
        last: Where to end; always the last stop.
        progress: See `Progress`.
    """
    at = min((fold.seq for fold in folds), default=0)
    for stop in sorted({*seqs, last}):
        events = read(at + 1, stop) if at < stop else iter(())
        while batch := list(islice(events, BATCH)):
            for fold in folds:
                fold.apply(batch)
            if progress is not None:
                progress(batch[-1].seq, last)
        at = max(at, stop)
        yield stop
