"""The log in which the erased payloads had never been, worked out from the rules and not from the code.

Evidence is measured anew, text by text, against all that were stored before and stay.
"""

from __future__ import annotations

import numpy as np
from helixlog.eventlog import events as ev
from helixlog.eventlog import layout, record
from helixlog.eventlog.events import Draft
from helixlog.eventlog.filling import fill
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.memory_log import MemoryLog
from helixlog.projections.ledger.guards import UNREAD
from helixlog.projections.ledger.normal import exact_form
from helixlog.projections.vector.evidence import pack
from msgspec.structs import replace
from strategies import cosine, partition_of


def on_disk(events, folder, holes=frozenset()):
    """A log with exactly these events; of those at `holes` only the header."""
    log = MemoryLog()
    for recorded in events:
        log.append([Draft(recorded.event, recorded.id)], clock=recorded.recorded_at)
    raws = [record.destroyed(raw) if seq in holes else raw for seq, raw in enumerate(log._log, 1)]
    with layout.building(layout.log_folder(folder)) as new:
        fill(new, raws)
    layout.make_secret(folder, log.secret)
    return LmdbLog.open(folder)


def never_been(events, seqs, ids, user=None):
    """The events without these texts, and the seqs of which only the header is left; `user` goes as a whole."""
    holes, left = set(), []
    vectors, stored, recalls = {}, [], set()
    for recorded in events:
        event = _without(recorded, seqs, ids, user, recalls)
        if event is None:
            holes.add(recorded.seq)
            event = recorded.event  # it is destroyed when it is written
        elif isinstance(event, ev.MemoryStored):
            event = _measured(recorded.seq, event, vectors, stored)
        elif isinstance(event, ev.MemoriesReembedded):
            vectors |= {(seq, event.fingerprint): rows for seq, rows in zip(event.texts, event.rows, strict=True)}
        left.append(replace(recorded, event=event))
    return left, frozenset(holes)


def _without(recorded, seqs, ids, user, recalls):
    event = recorded.event
    match event:
        case ev.MemoryStored():
            if recorded.seq in seqs:
                return None
            relations = tuple(replace(r, confidence=None) if r.target in ids else r for r in event.relations)
            return replace(event, relations=relations)
        case ev.MemoryForgotten() | ev.MemoryRestored() | ev.MemoryAnnotated() | ev.MemoryReinforced():
            return None if event.memory in ids else event
        case ev.MemoriesLinked() if event.source.id in ids or event.target.id in ids:
            return replace(event, weight=1.0, reason=None)
        case ev.MemoriesReembedded():
            kept = [(seq, rows) for seq, rows in zip(event.texts, event.rows, strict=True) if seq not in seqs]
            return replace(event, texts=tuple(k for k, _ in kept), rows=tuple(r for _, r in kept))
        case ev.MemoriesRecalled() | ev.FeedbackGiven():
            return _used(recorded, ids, user, recalls)
        case ev.BlockEdited() | ev.DocumentIngested():
            return None if user is not None and event.scope.user == user else event
    return event


def _used(recorded, ids, user, recalls):
    event = recorded.event
    if isinstance(event, ev.MemoriesRecalled):
        if user is not None and event.filters.get("user") == user:
            recalls.add(recorded.id)
            return None
        if ids & {*(one.id for one in event.returned), *event.injected}:
            recalls.add(recorded.id)
            returned = tuple(replace(one, score=0.0) for one in event.returned if one.id not in ids)
            injected = tuple(one for one in event.injected if one not in ids)
            return replace(event, query="", vector=None, returned=returned, injected=injected)
        return event
    named = {*(one.id for one in event.exposures), *(event.used or ())}
    if not (ids & named or event.recall_id in recalls):
        return event
    exposures = tuple(one for one in event.exposures if one.id not in ids)
    used = None if event.used is None else tuple(one for one in event.used if one not in ids)
    return replace(event, exposures=exposures, used=used, context_vector=None)


def _measured(seq, event, vectors, stored):
    """The event with evidence of what stays: each form once, by the first text of it that has such vectors."""
    partition = partition_of(event.scope)
    form = exact_form(event.text), event.title, event.observed_at
    evidence = event.evidence
    if evidence is not None:
        first = {}
        for other, others, text_form in stored:
            if others == partition and (other, evidence.fingerprint) in vectors:
                first.setdefault(text_form, other)
        near = [(cosine(event.vectors.rows, vectors[other, evidence.fingerprint]), other) for other in first.values()]
        near = sorted((one for one in near if one[0] >= evidence.floor), key=lambda one: (-one[0], one[1]))
        kept, horizon = near[:32], evidence.floor
        if near[32:]:
            horizon = max(horizon, float(np.nextafter(np.float32(near[32][0]), np.float32(2))))
        exact = [other for other, others, text_form in stored if others == partition and text_form[0] == form[0]]
        evidence = replace(
            evidence,
            near=pack([k for _, k in kept], [c for c, _ in kept], [UNREAD] * len(kept)) if kept else b"",
            horizon=horizon,
            exact=tuple(exact[:32]),
            exact_total=len(exact),
        )
    stored.append((seq, partition, form))
    if event.vectors is not None:
        vectors[seq, event.vectors.fingerprint] = event.vectors.rows
    return replace(event, evidence=evidence)
