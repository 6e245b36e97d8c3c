"""Exposures on disk, apart from what was learned of them: few who open a store ask for its past or for other constants.

Rows only ever come to the end, so a generation is a row of segments and publishing writes what is new. It may be
ahead of the saved beliefs, after a crash between the two; rows beyond them are then left out.

Segments may be by several processes, and the numbers of labels depend on which texts one has read together. So each
segment says what the labels in its rows are called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from ..columns import Names
from ..generations import Generations, Manifest, Meta, Publisher, Segment, merge_plan
from ..projection import Checkpoint
from .exposures import SCHEMA, Columns, Exposures, packed, unpacked

ROWS = "rows"
CALLED = "labels.msgpack"
LABELLED = ("print", "context", "context_print")
"""The columns that hold numbers of labels; `CALLED` says the number and the name of each that occurs."""


class SavedExposures:
    """The exposures of one store.

    Args:
        root: Folder of all projections.
        version: That of the beliefs.
        chain_at: The log's chain digest at a seq, None past its head.
    """

    def __init__(self, root: Path, version: int, chain_at: Callable[[int], bytes | None]) -> None:
        self._home = Generations(root, "exposures", version)
        self._chain_at = chain_at

    def load(self, point: Checkpoint, labels: Names) -> list[Columns] | None:
        """The rows up to `point`, mapped, or None where they are not all there; with the numbers of these labels."""
        home = self._home.twin()
        manifest = home.load_of(point.constants, self._chain_at)
        if manifest is None or manifest.seq < point.seq:
            return None
        return [_cut(_columns(home, segment, labels), point.seq) for segment in manifest.segments]

    def save(self, exposures: Exposures, point: Checkpoint, labels: Names) -> bool:
        """Publish the rows up to `point`, which have the numbers of `labels`; False when another process publishes.

        Where earlier rows were lost, nothing is written: a fold of the whole log will have them all.
        """
        with self._home.publishing() as publisher:
            if publisher is None:
                return False
            there = self._home.twin()
            manifest = there.load_of(point.constants, self._chain_at)
            if manifest is not None and manifest.seq >= point.seq:
                return True
            if manifest is None or manifest.seq < exposures.start:
                exposures.load()
                segments = [] if exposures.start else [_segment(publisher, (), exposures, 0, point.seq, labels=labels)]
            else:
                kept, merged = _plan(manifest, exposures)
                pieces = [(segment, _columns(there, segment, labels)) for segment in merged]
                segments = [*kept, _segment(publisher, pieces, exposures, manifest.seq, point.seq, labels=labels)]
            if segments:
                publisher.commit(point, segments)
            return True


def _plan(manifest: Manifest, exposures: Exposures) -> tuple[Sequence[Segment], Sequence[Segment]]:
    """The segments that stay, and those that are merged with what is new."""
    fresh = len(exposures) - exposures.until(manifest.seq)
    kept = merge_plan([_rows(segment) for segment in manifest.segments], fresh)
    return manifest.segments[:kept], manifest.segments[kept:]


def _segment(
    publisher: Publisher,
    merged: Sequence[tuple[Segment, Columns]],
    exposures: Exposures,
    after: int,
    stop: int,
    *,
    labels: Names,
) -> Segment:
    """A segment of what is merged and of the rows that came after event `after`, up to `stop`."""
    parts = [columns for _, columns in merged]
    parts.append(exposures.columns(SCHEMA, exposures.until(after)))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in SCHEMA}
    first = merged[0][0].first_seq if merged else after + 1
    meta: Meta = {"rows": len(columns["seq"])}
    codes = np.unique(np.concatenate([columns[name] for name in LABELLED]))
    called = [(code, labels.names[code]) for code in codes[codes >= 0].tolist()]
    blobs = {CALLED: msgspec.msgpack.encode(called)}
    return publisher.segment({ROWS: packed(columns)}, blobs, first_seq=first, last_seq=stop, meta=meta)


def _columns(home: Generations, segment: Segment, labels: Names) -> Columns:
    columns = unpacked(home.array(segment, ROWS), _rows(segment))
    called: list[tuple[int, str]] = msgspec.msgpack.decode(home.read(segment, CALLED))
    if all(labels.code(name) == code for code, name in called):
        return columns
    numbers = np.full(2 + max(code for code, _ in called), -1, np.int32)  # the last is that of no label, -1
    for code, name in called:
        numbers[code] = labels.code(name)
    return {**columns, **{name: numbers[columns[name]] for name in LABELLED}}


def _cut(columns: Columns, stop: int) -> Columns:
    """The rows of events up to `stop`."""
    count = int(np.searchsorted(columns["seq"], stop, "right"))
    return {name: column[:count] for name, column in columns.items()}


def _rows(segment: Segment) -> int:
    return int(segment.meta["rows"] or 0)
