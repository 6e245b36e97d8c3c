"""Evidence: what a writer measures of new texts against earlier ones, under the write lock.

The measurements are recorded with the text, so that no fold ever has to search
for neighbours. Texts of one batch see each other in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ..constants import Constants
from ..eventlog.events import Evidence, MemoryStored
from ..projections.catalog import Catalog
from ..projections.ledger.guards import GUARDS_VERSION
from ..projections.ledger.normal import form_hash
from ..projections.ledger.texts import forms_of, partition_of
from ..projections.nearby import Near, New, rows_of
from ..projections.vector.evidence import EVIDENCE_LIMIT, pack

BELOW_RELATED = 0.10
"""How far below the threshold of relation evidence reaches, so that a replay may lower it."""


class _Described(NamedTuple):
    """A text of the batch: its partition, the hash of its exact form, and what is compared."""

    partition: str
    exact: int
    new: New


def floor_of(constants: Constants, fingerprint: str) -> float:
    """The lowest cosine that evidence records under these constants."""
    thresholds = constants.threshold(fingerprint)
    return max(0.0, round(min(thresholds.related, thresholds.duplicate) - BELOW_RELATED, 2))


def lasting_floor(catalog: Catalog, fingerprint: str) -> float:
    """`floor_of` the constants in force, but never above that of the store's first ones.

    So constants that were adopted can be taken back: a text that was stored under stricter ones reaches as far.
    """
    return min(floor_of(constants, fingerprint) for constants in (catalog.constants_at(1), catalog.beliefs.constants))


def with_evidence(catalog: Catalog, events: Sequence[MemoryStored], first_seq: int) -> list[MemoryStored]:
    """The events with evidence against everything before each of them.

    Args:
        catalog: At the head that the first event will follow.
        events: Texts with vectors of one embedder, or none.
        first_seq: The sequence number of the first; the others follow it.
    """
    described = _describe(catalog, events)
    near = _near(catalog, events, described)
    texts = catalog.beliefs.texts
    before: dict[int, list[int]] = {}
    result: list[MemoryStored] = []
    for seq, (event, one, found) in enumerate(zip(events, described, near, strict=True), first_seq):
        in_batch = before.setdefault(one.exact, [])
        if found is not None and event.vectors is not None:
            rows = texts.by_exact.find(np.uint64(one.exact))
            first = [*texts.table["seq"][rows[:EVIDENCE_LIMIT]].tolist(), *in_batch]
            evidence = _evidence(catalog, event.vectors.fingerprint, one, found, first_seq=first_seq)
            evidence = msgspec.structs.replace(
                evidence, exact=tuple(first[:EVIDENCE_LIMIT]), exact_total=len(rows) + len(in_batch)
            )
            event = msgspec.structs.replace(event, evidence=evidence)  # noqa: PLW2901 - the same event, measured
        in_batch.append(seq)
        result.append(event)
    return result


def _describe(catalog: Catalog, events: Sequence[MemoryStored]) -> list[_Described]:
    texts = catalog.beliefs.texts
    seen: set[tuple[int, str]] = set()
    result = []
    for ordinal, event in enumerate(events, len(texts)):
        partition = partition_of(event.scope, texts.owner)
        exact, form, _ = forms_of(event, partition)
        repeat = False
        if event.vectors is not None:
            fingerprint = event.vectors.fingerprint
            repeat = (form, fingerprint) in seen or texts.has_form(form, fingerprint)
            seen.add((form, fingerprint))
        new = New(ordinal, event.text, rows_of(event.vectors), form, repeat)
        result.append(_Described(partition, exact, new))
    return result


def _near(catalog: Catalog, events: Sequence[MemoryStored], described: Sequence[_Described]) -> list[Near | None]:
    """What is near each text: measured for all of a partition at once; None for a text without vectors."""
    result: list[Near | None] = [None] * len(events)
    groups: dict[tuple[str, str], list[int]] = {}
    for place, (event, one) in enumerate(zip(events, described, strict=True)):
        if event.vectors is not None and len(one.new.rows):
            groups.setdefault((event.vectors.fingerprint, one.partition), []).append(place)
    texts = catalog.beliefs.texts
    for (fingerprint, partition), places in groups.items():
        floor, code = lasting_floor(catalog, fingerprint), texts.labels.find(partition)
        nearby, read_from = catalog.nearby(fingerprint), catalog.beliefs.constants.threshold(fingerprint).duplicate
        if len(places) == 1:
            new = described[places[0]].new
            result[places[0]] = nearby.pairs(
                new.text, new.rows, code, before=len(texts), floor=floor, limit=EVIDENCE_LIMIT, read_from=read_from
            )
            continue
        batch = [described[place].new for place in places]
        for place, found in zip(
            places,
            nearby.pairs_of_batch(batch, code, floor=floor, limit=EVIDENCE_LIMIT, read_from=read_from),
            strict=True,
        ):
            result[place] = found
    return result


def _evidence(catalog: Catalog, fingerprint: str, one: _Described, near: Near, *, first_seq: int) -> Evidence:
    """What was measured, without the exact repeats."""
    texts = catalog.beliefs.texts
    seqs = [
        int(texts.table["seq"][pair.ordinal]) if pair.ordinal < len(texts) else first_seq + pair.ordinal - len(texts)
        for pair in near.pairs
    ]
    cosines, guards = [pair.cosine for pair in near.pairs], [pair.guard for pair in near.pairs]
    return Evidence(
        fingerprint=fingerprint,
        partition=f"{form_hash(one.partition):016x}",
        floor=lasting_floor(catalog, fingerprint),
        horizon=near.horizon,
        near=pack(seqs, cosines, guards) if seqs else b"",
        complete=near.complete,
        guards=GUARDS_VERSION,
    )
