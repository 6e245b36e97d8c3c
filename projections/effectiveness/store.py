"""Exposures on disk, apart from what was learned of them: few who open a store ask for its past or for other constants.

Rows only ever come to the end, so a generation is a row of segments and publishing writes what is new. It may be
ahead of the saved beliefs, after a crash between the two; rows beyond them are then left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..generations import Generations, Manifest, Publisher, Segment, merge_plan
from ..projection import Checkpoint
from .exposures import SCHEMA, Columns, Exposures, packed, unpacked

ROWS = "rows"


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

    def load(self, point: Checkpoint) -> list[Columns] | None:
        """The rows up to `point`, mapped, or None where they are not all there."""
        home = self._home.twin()
        manifest = home.load_of(point.constants, self._chain_at)
        if manifest is None or manifest.seq < point.seq:
            return None
        return [_cut(_columns(home, segment), point.seq) for segment in manifest.segments]

    def save(self, exposures: Exposures, point: Checkpoint) -> bool:
        """Publish the rows up to `point`; False when another process is publishing.

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
                segments = [] if exposures.start else [_segment(publisher, (), exposures, 0, point.seq)]
            else:
                kept, merged, start = _plan(manifest, exposures)
                pieces = [(segment, _columns(there, segment)) for segment in merged]
                segments = [*kept, _segment(publisher, pieces, exposures, start, point.seq)]
            if segments:
                publisher.commit(point, segments)
            return True


def _plan(manifest: Manifest, exposures: Exposures) -> tuple[Sequence[Segment], Sequence[Segment], int]:
    """The segments that stay, those that are merged with what is new, and the first row of that."""
    start = exposures.until(manifest.seq)
    kept = merge_plan([_rows(segment) for segment in manifest.segments], len(exposures) - start)
    return manifest.segments[:kept], manifest.segments[kept:], start


def _segment(
    publisher: Publisher, merged: Sequence[tuple[Segment, Columns]], exposures: Exposures, start: int, stop: int
) -> Segment:
    """A segment of what is merged and of the rows from `start` on, up to event `stop`."""
    parts = [columns for _, columns in merged]
    parts.append(exposures.columns(SCHEMA, start))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in SCHEMA}
    rows = len(columns["seq"])
    first = merged[0][0].first_seq if merged else max(1, int(columns["seq"][0]) if rows else stop)
    return publisher.segment({ROWS: packed(columns)}, {}, first_seq=first, last_seq=stop, meta={"rows": rows})


def _columns(home: Generations, segment: Segment) -> Columns:
    return unpacked(home.array(segment, ROWS), _rows(segment))


def _cut(columns: Columns, stop: int) -> Columns:
    """The rows of events up to `stop`."""
    count = int(np.searchsorted(columns["seq"], stop, "right"))
    return {name: column[:count] for name, column in columns.items()}


def _rows(segment: Segment) -> int:
    return int(segment.meta["rows"] or 0)
