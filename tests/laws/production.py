"""The production fold of a list of events, and its beliefs in the form of `snapshots`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from helixlog.constants import Constants
from helixlog.eventlog.events import MemoryStored, Recorded
from helixlog.projections.beliefs import Beliefs
from helixlog.projections.columns import NONE
from helixlog.projections.effectiveness.exposures import Context
from helixlog.projections.graph.edges import Graph
from helixlog.projections.ledger.guards import guard, mark
from helixlog.projections.ledger.memories import STATUS
from helixlog.projections.nearby import Nearby
from helixlog.projections.vector.index import VectorIndex
from helixlog.recall.visibility import holding
from snapshots import BACK, bits


class Production:
    """Folds events in batches; vectors come from a real index, in memory."""

    def __init__(
        self, log: list[Recorded], constants: Constants, *, batch: int = 1_000, stop: int | None = None
    ) -> None:
        self._bodies = {r.seq: r.event for r in log if isinstance(r.event, MemoryStored)}
        self._indexes: dict[str, VectorIndex] = {}
        self._log = log
        self.beliefs = Beliefs(constants, self, contexts=self.contexts)
        for start in range(0, len(log[:stop]), batch):
            self.beliefs.apply(log[:stop][start : start + batch])

    def compare(self, ordinal: int, other: int) -> int:
        return guard(self.body(ordinal).text, self.body(other).text)

    def mark(self, ordinal: int) -> int | None:
        return mark(self.body(ordinal).text)

    def complete(self, ordinal: int, floor: float):
        texts = self.beliefs.texts
        fingerprint = texts.label("fingerprint", ordinal)
        if fingerprint not in self._indexes:
            index = self._indexes[fingerprint] = VectorIndex.open(Path("/nonexistent"), fingerprint)
            index.apply(self._log)
        return Nearby(texts, self._indexes[fingerprint], self.body).complete(ordinal, floor)

    def contexts(self, seqs):
        for seq in seqs:
            vector = self._log[seq - 1].event.context_vector
            yield Context(vector.rows[0], vector.dtype)

    def body(self, ordinal: int) -> MemoryStored:
        return self._bodies[int(self.beliefs.texts.table["seq"][ordinal])]


def snapshot(beliefs: Beliefs, t: int) -> dict[str, object]:
    texts, memories = beliefs.texts, beliefs.memories
    erased = texts.table["erased"]
    roots = sorted({memories.root(o) for o in range(len(texts)) if not erased[o]})
    believed = [holding(beliefs, t), *(holding(beliefs, t, valid_at=t - back) for back in BACK)]
    return {
        "fingerprint": beliefs.fingerprint,
        "root_of": [-1 if erased[o] else memories.root(o) for o in range(len(texts))],
        "status": ["erased" if erased[o] else STATUS[memories.table["status"][o]] for o in range(len(texts))],
        "memories": {root: {**state(beliefs, root), **readings(beliefs, root, t, believed)} for root in roots},
        "edges": edges(beliefs),
        "names": sorted(
            [root, relation, key]
            for root in roots
            for kind, relation in (("e", "mentions"), ("c", "in_category"))
            for key in memories.named(root, kind)
        ),
        "reports": {
            "pairs_computed": beliefs.membership.pairs_computed,
            "unresolved": beliefs.unresolved,
            "ignored": [list(entry) for entry in beliefs.ignored],
            "unknown_events": beliefs.unknown,
        },
    }


def time(value: int) -> int | None:
    return None if value == NONE else int(value)


def state(beliefs: Beliefs, root: int) -> dict[str, object]:
    texts, memories, learned = beliefs.texts, beliefs.memories, beliefs.effectiveness
    table, learnt = memories.table, learned.table
    centroid = int(learnt["centroid"][root])
    start = int(learnt["velocity_from"][root])
    events = learned.velocity_times.values[start:][learned.velocity_roots.values[start:] == root]
    pin = int(table["pin"][root])
    own = [time(texts.table[name][root]) for name in ("valid_from", "observed_at")]
    return {
        "id": texts.id_of(root),
        "lead": int(table["lead"][root]),
        "kind": texts.label("kind", root),
        **{name: time(texts.table[name][root]) for name in ("valid_from", "valid_to")},
        "expires_at": time(table["expires_at"][root]),
        "begins": own[1] if own[0] is None else own[0],
        "pin": None if pin < 0 else memories.pins.names[pin],
        "accesses": int(table["accesses"][root]),
        **{name: bool(table[name][root]) for name in ("protected", "forgotten", "erased", "pruned")},
        "restored_at": int(table["since"][root]),
        "restored_uses": int(table["uses_before"][root]),
        "k0": int(learnt["settled"][root]),
        **{name: int(learnt[name][root]) for name in ("anchor", "uses", "hits", "contexts")},
        "exposed": int(table["exposed"][root]),
        "last_returned": time(table["returned_at"][root]),
        "members": [int(member) for member in memories.members(root)],
        "tags": list(memories.named(root, "t")),
        "entities": list(memories.named(root, "e")),
        "categories": list(memories.named(root, "c")),
        "superseded_by": list(memories.successors.get(root, ())),
        "salience": bits(table["salience"][root]),
        "e": bits(learnt["effectiveness"][root]),
        "spread": bits(learnt["spread"][root]),
        "centroid": None if centroid < 0 else [bits(number) for number in learned.centroids[centroid].tolist()],
        "velocity_events": events.tolist(),
    }


def readings(beliefs: Beliefs, root: int, t: int, believed: list[np.ndarray]) -> dict[str, object]:
    learned, rows = beliefs.effectiveness, np.array([root])
    value, adjusted, days, velocity = learned.standing(rows, t)
    return {
        "value": bits(value[0]),
        "adjusted": bits(adjusted[0]),
        "velocity": int(velocity[0]),
        "recency_days": int(days[0]),
        "visible": bool(believed[0][root]),
        "held": [bool(mask[root]) for mask in believed[1:]],
    }


def edges(beliefs: Beliefs) -> list[list[object]]:
    graph = beliefs.graph
    return sorted(
        [end(graph, source), end(graph, target), relation, weight.hex()]
        for (source, target, relation), weight in graph.resolved(beliefs.memories.root).items()
    )


def end(graph: Graph, number: int) -> list[object]:
    return ["memory", number] if number >= 0 else graph.end_name(number).split(":", 1)
