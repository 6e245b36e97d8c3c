"""The vector fold as generations: what a segment holds, reading and publishing.

A segment covers a range of events and holds, for the texts and rows they added,

    matrix    float32 (rows, dims)    vectors; the values are float16 ones
    codes     uint64 (words, rows)    two bits a dimension
    ordinals  int32 (rows,)           the text of each row
    recorded  int64 (rows,)           the event each row came with
    seqs      int64 (texts,)          the event of each text
    holes     bool (texts,)           texts whose payload is erased
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import Corrupted
from ..generations import Array, Generations, Manifest, Publisher, Segment, merge_plan
from ..projection import Checkpoint
from .fold import Fold
from .rows import Rows


def read(home: Generations, manifest: Manifest, fingerprint: str) -> Fold:
    """The fold at the manifest's checkpoint; its matrix is mapped, the rest is copied."""
    segments = manifest.segments
    with_rows = [segment for segment in segments if _count(segment, "rows")]
    dims = _count(with_rows[0], "dims") if with_rows else 0
    rows = Rows(dims, [home.array(segment, "matrix") for segment in with_rows])
    fold = Fold(fingerprint, rows)
    for segment in segments:
        fold.add_texts(home.array(segment, "seqs"), home.array(segment, "holes"))
        if _count(segment, "rows"):
            codes, ordinals, recorded = (home.array(segment, name) for name in ("codes", "ordinals", "recorded"))
            rows.append_columns(codes, ordinals, recorded)
    fold.settle()
    fold.seq = manifest.seq
    return fold


def publish(home: Generations, fold: Fold, chain: bytes, *, afresh: bool) -> bool:
    """Publish the fold at its `seq`; segments that are already on disk are kept or merged.

    Args:
        home: Where the generations are.
        fold: What to publish.
        chain: The log's chain digest at the fold's `seq`.
        afresh: Use nothing of what is published.

    Returns:
        False when another publisher is at work or the folder cannot be written; True when a generation at this point
        or a later one is there now.

    Raises:
        Corrupted: Mapped files were changed on disk, so that they cannot be copied; fold the log again.
    """
    with home.publishing() as publisher:
        if publisher is None:
            return False
        if not home.intact():
            raise Corrupted(f"{home.path} was changed on disk while it was open", remedy="open it again")
        there = home.twin()
        manifest = None if afresh else there.load()
        if manifest is not None and (manifest.seq > fold.seq or _same(manifest, fold, chain)):
            return True
        segments = manifest.segments if manifest is not None and manifest.seq < fold.seq else ()
        if _total(segments, "texts") > fold.texts or _total(segments, "rows") > len(fold.rows):
            segments = ()
        publisher.commit(Checkpoint(seq=fold.seq, chain=chain), _with_tail(publisher, there, fold, segments))
        return True


def _with_tail(publisher: Publisher, there: Generations, fold: Fold, segments: Sequence[Segment]) -> Sequence[Segment]:
    """The segments with what the fold has beyond them, in a segment of its own or merged into the last ones."""
    sizes = [_count(segment, "texts") + _count(segment, "rows") for segment in segments]
    new = fold.texts + len(fold.rows) - sum(sizes)
    if not new:
        return segments
    kept = merge_plan(sizes, new)
    merged = [there.array(segment, "matrix") for segment in segments[kept:] if _count(segment, "rows")]
    pieces = [*merged, *fold.rows.matrix.pieces(_total(segments, "rows"), len(fold.rows))]
    return (*segments[:kept], _write(publisher, fold, pieces, segments[:kept]))


def _write(publisher: Publisher, fold: Fold, pieces: Sequence[Array], kept: Sequence[Segment]) -> Segment:
    """A segment of all that the fold has beyond the kept ones; `pieces` are the vectors of it."""
    first_text, first_row = _total(kept, "texts"), _total(kept, "rows")
    rows, last_row = fold.rows, len(fold.rows)
    return publisher.segment(
        {
            "matrix": [np.empty((0, rows.dims), np.float32), *pieces],
            "codes": np.ascontiguousarray(rows.codes[first_row:].T),
            "ordinals": rows.ordinals[first_row:],
            "recorded": rows.recorded[first_row:],
            "seqs": fold.seqs.array[first_text:],
            "holes": fold.holes.array[first_text:],
        },
        {},
        first_seq=kept[-1].last_seq + 1 if kept else 1,
        last_seq=fold.seq,
        meta={"texts": fold.texts - first_text, "rows": last_row - first_row, "dims": rows.dims},
    )


def _same(manifest: Manifest, fold: Fold, chain: bytes) -> bool:
    return (manifest.seq, manifest.checkpoint.chain) == (fold.seq, chain)


def _total(segments: Sequence[Segment], name: str) -> int:
    return sum(_count(segment, name) for segment in segments)


def _count(segment: Segment, name: str) -> int:
    value = segment.meta[name]
    if not isinstance(value, int):
        raise Corrupted(f"segment {segment.folder} has {name} {value!r}", remedy="delete the projection's folder")
    return value
