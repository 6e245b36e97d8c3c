"""The notes of a fold's history on disk, apart from the beliefs: few who open a store ask for its past.

Notes only ever come to the end, so a generation is a row of segments and publishing writes what is new. It may be
ahead of the saved beliefs, after a crash between the two; what is noted beyond them is then left out.

Segments may be by several processes, and the numbers of terms depend on which texts one has read together. So terms
are saved by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .columns import Names
from .generations import Generations, Manifest, Publisher, Segment, merge_plan
from .history import NOTE, TERMS, Entry, History
from .projection import Checkpoint

Arrays = dict[str, NDArray[Any]]
ENTRIES = "entries.msgpack"


class SavedHistory:
    """The history of one store.

    Args:
        root: Folder of all projections.
        version: That of the beliefs.
        chain_at: The log's chain digest at a seq, None past its head.
    """

    def __init__(self, root: Path, version: int, chain_at: Callable[[int], bytes | None]) -> None:
        self._home = Generations(root, "history", version)
        self._chain_at = chain_at

    def load(self, history: History, point: Checkpoint, terms: Names) -> None:
        """Put what was noted up to `point` before what `history` holds; where there is none, nothing happens.

        `terms` are those that the notes of `history` have the numbers of.
        """
        home = self._home.twin()
        manifest = home.load_of(point.constants, self._chain_at)
        if manifest is None or manifest.seq < point.seq:
            return
        for name, cells in history.cells.items():
            parts = [_arrays(home, segment, name, point.seq) for segment in manifest.segments]
            cells.precede({column: np.concatenate([part[column] for part in parts]) for column in NOTE})
        entries = [entry for segment in manifest.segments for entry in _entries(home, segment, terms)]
        history.entries[:0] = [entry for entry in entries if entry.seq <= point.seq]
        history.start = _start(manifest)

    def save(self, history: History, point: Checkpoint, terms: Names) -> bool:
        """Publish what is noted up to `point`; False when another process is publishing. `terms` as in `load`."""
        with self._home.publishing() as publisher:
            if publisher is None:
                return False
            there = self._home.twin()
            manifest = there.load_of(point.constants, self._chain_at)
            if manifest is not None and (manifest.seq < history.start or history.start < _start(manifest)):
                manifest = None  # What is there ends before the notes at hand begin, or begins later than they do.
            if manifest is None:
                publisher.commit(point, (_segment(publisher, there, history, (), 0, stop=point.seq, terms=terms),))
            elif manifest.seq < point.seq:
                kept = merge_plan([_size(segment) for segment in manifest.segments], _fresh(history, manifest.seq))
                merged = manifest.segments[kept:]
                last = _segment(publisher, there, history, merged, manifest.seq, stop=point.seq, terms=terms)
                publisher.commit(point, (*manifest.segments[:kept], last))
            return True


def _segment(
    publisher: Publisher,
    there: Generations,
    history: History,
    merged: Sequence[Segment],
    after: int,
    *,
    stop: int,
    terms: Names,
) -> Segment:
    """What `merged` segments hold, and what was noted after event `after`, up to `stop`."""
    arrays: dict[str, list[NDArray[Any]]] = {}
    for name, cells in history.cells.items():
        cells.settle()
        start = int(np.searchsorted(cells.notes["seq"].values, after, "right"))
        for column in NOTE:
            parts = [there.array(segment, f"{name}_{column}") for segment in merged]
            arrays[f"{name}_{column}"] = [*parts, cells.notes[column].values[start:]]
    entries = [entry for segment in merged for entry in _entries(there, segment, terms)]
    entries += [entry for entry in history.entries if entry.seq > after]
    named = [_with(entry, terms.names.__getitem__) for entry in entries]
    return publisher.segment(
        arrays,
        {ENTRIES: msgspec.msgpack.encode(named)},
        first_seq=merged[0].first_seq if merged else max(1, history.start, after + 1),
        last_seq=stop,
        meta={
            "start": _begin(merged[0]) if merged else max(history.start, after),
            "notes": len(entries) + sum(len(part) for name in history.cells for part in arrays[f"{name}_seq"]),
        },
    )


def _fresh(history: History, after: int) -> int:
    """How much was noted after an event."""
    cells = (cells.notes["seq"].values for cells in history.cells.values())
    noted = sum(len(seqs) - int(np.searchsorted(seqs, after, "right")) for seqs in cells)
    return noted + sum(entry.seq > after for entry in history.entries)


def _arrays(home: Generations, segment: Segment, name: str, stop: int) -> Arrays:
    seqs = home.array(segment, f"{name}_seq")
    count = int(np.searchsorted(seqs, stop, "right"))
    return {column: home.array(segment, f"{name}_{column}")[:count] for column in NOTE}


def _entries(home: Generations, segment: Segment, terms: Names) -> Iterator[Entry]:
    return (_with(Entry(*entry), terms.code) for entry in msgspec.msgpack.decode(home.read(segment, ENTRIES)))


def _with(entry: Entry, spelling: Callable[[Any], Any]) -> Entry:
    """The entry with the terms of a memory, if that is what it holds, written otherwise."""
    if entry.name != TERMS or entry.old is None:
        return entry
    return entry._replace(old=tuple(map(spelling, entry.old)))


def _begin(segment: Segment) -> int:
    return int(segment.meta["start"] or 0)


def _start(manifest: Manifest) -> int:
    """The earliest event whose state can be read."""
    return _begin(manifest.segments[0])


def _size(segment: Segment) -> int:
    return int(segment.meta["notes"] or 0)
