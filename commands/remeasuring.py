"""Evidence without the texts that are erased: what a writer would have recorded had they never been there.

An entry of an erased text goes. Where another text of the same form stands
behind it, that one takes its place, measured anew from recorded vectors, since
evidence lists each form once, by its first text. Where the horizon is, or may
be, the cosine of an erased text that was left off, the list is declared
complete only down to its last entry: the fold computes what lies below.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..eventlog.events import Evidence, MemoryStored
from ..projections.catalog import Catalog
from ..projections.digests import fingerprints
from ..projections.ledger.guards import UNREAD
from ..projections.nearby import NEVER, matched, rows_of
from ..projections.vector.evidence import ENTRY, EVIDENCE_LIMIT, pack

CLOSE = 1e-5
"""Cosines nearer than this may be the same, computed in another precision."""

MOST_MEASURED = 512
"""Vectors of erased texts beyond which every horizon is taken for one that may be theirs."""

ROWS_AT_ONCE = 4_096


class Remeasured:
    """Evidence without some texts.

    Args:
        catalog: The projections while those texts are still there.
        gone: Their ordinals, rising.
    """

    def __init__(self, catalog: Catalog, gone: Sequence[int]) -> None:
        self._catalog = catalog
        self._texts = texts = catalog.beliefs.texts
        self._gone = set(gone)
        self._seqs = texts.table["seq"][list(gone)].astype(np.int64)
        self._exact = set(texts.table["exact"][list(gone)].tolist())
        self._telling = self._horizons()
        self._touched = {int(texts.table["seq"][row]): row for row in self._listing() | self._equal() | self._telling}

    def evidence(self, seq: int, event: MemoryStored) -> Evidence | None:
        """The evidence of a text that stays, by its event; the very same object where nothing of it changes."""
        before, ordinal = event.evidence, self._touched.get(seq)
        if before is None or ordinal is None:
            return before
        entries = np.frombuffer(before.near, ENTRY)
        lost = np.isin(entries["seq"], self._seqs)
        changes: dict[str, object] = {}
        if lost.any():
            changes["near"] = self._near(ordinal, event, before, entries, lost)
        if ordinal in self._telling:
            left = np.frombuffer(bytes(changes.get("near", before.near)), ENTRY)["cosine"]  # type: ignore[call-overload]
            changes["horizon"] = max(before.horizon, float(left[-1]) if len(left) else NEVER)
        exact = int(self._texts.table["exact"][ordinal])
        if exact in self._exact:
            repeats = [row for row in self._texts.by_exact.find(np.uint64(exact)) if row < ordinal]
            seqs = [int(self._texts.table["seq"][row]) for row in repeats if self._stays(row)]
            changes.update(exact=tuple(seqs[:EVIDENCE_LIMIT]), exact_total=len(seqs))
        after = msgspec.structs.replace(before, **changes)
        return before if after == before else after

    def _stays(self, ordinal: int) -> bool:
        return ordinal not in self._gone and not self._texts.table["erased"][ordinal]

    def _near(
        self, ordinal: int, event: MemoryStored, before: Evidence, entries: NDArray[np.void], lost: NDArray[np.bool_]
    ) -> bytes:
        kept = [(float(one["cosine"]), int(one["seq"]), int(one["guard"])) for one in entries[~lost]]
        for seq in entries["seq"][lost].tolist():
            found = self._next_of_form(ordinal, event, before.fingerprint, seq)
            if found is not None and found[0] >= before.horizon:
                kept.append((*found, UNREAD))
        kept.sort(key=lambda one: (-one[0], one[1]))
        return pack([one[1] for one in kept], [one[0] for one in kept], [one[2] for one in kept]) if kept else b""

    def _next_of_form(self, ordinal: int, event: MemoryStored, fingerprint: str, seq: int) -> tuple[float, int] | None:
        """Cosine and seq of the text that stands for the form of an erased one, as the text `ordinal` saw it."""
        texts, index = self._texts, self._catalog.vectors_of(fingerprint)
        form = texts.table["form"][texts.ordinal_at(seq)]
        own, at = rows_of(event.vectors), int(texts.table["seq"][ordinal])
        found: list[tuple[float, int]] = []
        prints: set[int] = set()
        for row in texts.by_form.find(np.uint64(form)):
            printed = int(texts.table["print"][row])
            # Of equal texts with vectors of one embedder only the first is ever looked at.
            if row >= ordinal or not self._stays(row) or printed in prints:
                continue
            windows, _ = index.windows(np.array([row], np.int64), seq=at)
            if printed >= 0:
                prints.add(printed)
            if len(windows) and len(own):
                found.append((matched(own, windows), int(texts.table["seq"][row])))
        return max(found, key=lambda one: (one[0], -one[1]), default=None)

    def _listing(self) -> set[int]:
        """Texts whose evidence lists one that goes."""
        pieces = [piece["seq"] for piece in self._texts.near_entries.pieces()]
        found = np.flatnonzero(np.isin(np.concatenate(pieces), self._seqs)) if pieces else ()
        # A text without entries begins where the next one does, so the last that begins there is the one.
        return set((np.searchsorted(self._texts.table["near_start"], found, "right") - 1).tolist())

    def _equal(self) -> set[int]:
        """Texts that say the very same as one that goes."""
        return {row for exact in self._exact for row in self._texts.by_exact.find(np.uint64(exact))}

    def _horizons(self) -> set[int]:
        """Texts that stay and whose horizon may be the cosine of one that goes."""
        table, telling = self._texts.table, set[int]()
        names = self._texts.labels
        for fingerprint in fingerprints(self._catalog.beliefs):
            stays = np.ones(len(self._texts), np.bool_)
            stays[list(self._gone)] = False
            stays &= (table["fingerprint"] == names.find(fingerprint)) & (table["horizon"] > table["floor"])
            stays &= np.isin(table["partition"], table["partition"][list(self._gone)])
            stays[: min(self._gone)] = False
            later = np.flatnonzero(stays)
            if len(later):
                telling.update(self._told(fingerprint, later.astype(np.int64)))
        return telling

    def _told(self, fingerprint: str, later: NDArray[np.int64]) -> list[int]:
        index = self._catalog.vectors_of(fingerprint)
        gone, _ = index.windows(np.array(sorted(self._gone), np.int64))
        if not len(gone):
            return []
        if len(gone) > MOST_MEASURED:
            return list(map(int, later))
        told: list[int] = []
        horizons = self._texts.table["horizon"]
        for start in range(0, len(later), ROWS_AT_ONCE):
            some = later[start : start + ROWS_AT_ONCE]
            windows, owner = index.windows(some)
            products = windows @ gone.T
            close = (np.abs(products - horizons[some][owner][:, None]) < CLOSE).any(axis=1)
            told += some[np.unique(owner[close])].tolist()
        return told
