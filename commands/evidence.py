"""Evidence: what a writer measures of new texts against earlier ones, under the write lock.

The measurements are recorded with the text, so that no fold ever has to search
for neighbours. Texts of one batch see each other in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from ..eventlog.events import Evidence, MemoryStored
from ..projections.catalog import Catalog
from ..projections.ledger.guards import GUARDS_VERSION, features, guard_features
from ..projections.ledger.normal import exact_form
from ..projections.ledger.texts import form_hash, partition_of
from ..projections.nearby import Near, matched, rows_of
from ..projections.vector.evidence import EVIDENCE_LIMIT, pack

BELOW_RELATED = 0.10
"""How far below the threshold of relation evidence reaches, so that a replay may lower it."""


class _New(NamedTuple):
    """A text of the batch, for those after it."""

    seq: int
    partition: str
    exact: int
    form: int
    text: str
    rows: NDArray[np.float16]


def floor_of(constants: Constants, fingerprint: str) -> float:
    """The lowest cosine that evidence records under these constants."""
    thresholds = constants.threshold(fingerprint)
    return max(0.0, round(min(thresholds.related, thresholds.duplicate) - BELOW_RELATED, 2))


def with_evidence(catalog: Catalog, events: Sequence[MemoryStored], first_seq: int) -> list[MemoryStored]:
    """The events with evidence against everything before each of them.

    Args:
        catalog: At the head that the first event will follow.
        events: Texts with vectors of one embedder, or none.
        first_seq: The sequence number of the first; the others follow it.
    """
    result: list[MemoryStored] = []
    batch: list[_New] = []
    for seq, event in enumerate(events, first_seq):
        new = _describe(catalog, event, seq)
        result.append(msgspec.structs.replace(event, evidence=_measure(catalog, event, new, batch)))
        batch.append(new)
    return result


def _describe(catalog: Catalog, event: MemoryStored, seq: int) -> _New:
    partition, form = partition_of(event.scope, catalog.beliefs.texts.owner), exact_form(event.text)
    exact = form_hash(partition, form)
    indexed = exact
    if event.title is not None or event.observed_at is not None:
        indexed = form_hash(partition, form, event.title or "", str(event.observed_at))
    return _New(seq, partition, exact, indexed, event.text, rows_of(event.vectors))


def _measure(catalog: Catalog, event: MemoryStored, new: _New, batch: Sequence[_New]) -> Evidence | None:
    texts = catalog.beliefs.texts
    repeats = [int(texts.table["seq"][ordinal]) for ordinal in texts.by_exact.find(np.uint64(new.exact))]
    repeats += [other.seq for other in batch if other.exact == new.exact]
    if event.vectors is None or not len(new.rows):
        return None
    fingerprint = event.vectors.fingerprint
    floor = floor_of(catalog.beliefs.constants, fingerprint)
    partition = texts.labels.find(new.partition)
    near = catalog.nearby(fingerprint).pairs(
        event.text, new.rows, partition, before=len(texts), floor=floor, limit=EVIDENCE_LIMIT
    )
    entries = [
        (int(texts.table["seq"][pair.ordinal]), pair.cosine, pair.guard)
        for pair in near.pairs
    ]
    entries, horizon = _merged(entries, near, _within(batch, new, floor, catalog))
    return Evidence(
        fingerprint=fingerprint,
        partition=f"{form_hash(new.partition):016x}",
        floor=floor,
        horizon=horizon,
        near=pack(*zip(*entries, strict=True)) if entries else b"",
        exact=tuple(repeats[:EVIDENCE_LIMIT]),
        exact_total=len(repeats),
        complete=near.complete,
        guards=GUARDS_VERSION,
    )


def _within(batch: Sequence[_New], new: _New, floor: float, catalog: Catalog) -> list[tuple[int, float, int]]:
    """Entries for earlier texts of the same batch, each indexed form once."""
    forms = catalog.beliefs.texts.by_form
    seen: set[int] = set()
    entries: list[tuple[int, float, int]] = []
    mine = None
    for other in batch:
        if other.partition != new.partition or other.form in seen or forms.find(np.uint64(other.form)):
            continue
        seen.add(other.form)
        cosine = matched(new.rows, other.rows)
        if cosine >= floor:
            mine = mine or features(new.text)
            entries.append((other.seq, cosine, guard_features(mine, features(other.text))))
    return entries


def _merged(
    entries: list[tuple[int, float, int]], near: Near, within: list[tuple[int, float, int]]
) -> tuple[list[tuple[int, float, int]], float]:
    """Both kinds of entries, nearest first, cut to the limit, and the cosine down to which they are complete."""
    every = sorted((*entries, *within), key=lambda entry: (-entry[1], entry[0]))
    if len(every) <= EVIDENCE_LIMIT:
        return every, near.horizon
    beyond = float(np.nextafter(np.float32(every[EVIDENCE_LIMIT][1]), np.float32(2.0)))
    return every[:EVIDENCE_LIMIT], max(near.horizon, beyond)

