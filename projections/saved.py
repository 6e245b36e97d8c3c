"""Beliefs on disk: three generations, of the ledger, the effectiveness table and the graph, at one point of the log.

The rooms are folded in one pass, so they are only good together: a generation
that is missing, damaged, of another point or of other constants makes all three
worthless, and the log is folded again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..constants import Constants
from .beliefs import Beliefs
from .columns import Column, Lookup, Names, Pieces, Table
from .effectiveness import learning
from .effectiveness.learning import Reader
from .effectiveness.spread import Centroids
from .effectiveness.store import SavedExposures
from .generations import Generations, Manifest, Publisher, Segment
from .graph import edges
from .ledger import memories, texts
from .ledger.membership import Measurer
from .projection import Checkpoint
from .saved_history import SavedHistory

VERSION = 6
"""Raised when the same events give other beliefs, or when what is saved changes."""

ROOMS = ("ledger", "effectiveness", "graph")
Arrays = dict[str, Any]
State = dict[str, Any]


class SavedBeliefs:
    """The three generations of one store, and the notes of what they were before.

    Args:
        root: Folder of all projections.
        chain_at: The log's chain digest at a seq, None past its head.
    """

    def __init__(self, root: Path, chain_at: Callable[[int], bytes | None]) -> None:
        self.rooms = {name: Generations(root, name, VERSION) for name in ROOMS}
        self._history = SavedHistory(root, VERSION, chain_at)
        self._exposures = SavedExposures(root, VERSION, chain_at)
        self._chain_at = chain_at

    def load(self, measurer: Measurer, contexts: Reader | None = None) -> Beliefs | None:
        """The beliefs as they were saved, under the constants then in force, or None where they cannot be used.

        Args:
            measurer: See `membership`.
            contexts: See `effectiveness`.
        """
        while True:
            # What was checked is deleted by the publication after the next, and one may be writing just now.
            with contextlib.suppress(OSError):
                found = self._loaded(measurer, contexts)
                if found is not None:
                    return found
            if not any(room.changed() for room in self.rooms.values()):
                return None

    def _loaded(self, measurer: Measurer, contexts: Reader | None) -> Beliefs | None:
        manifests = {name: room.load() for name, room in self.rooms.items()}
        points = {None if found is None else found.checkpoint for found in manifests.values()}
        (point,) = points if len(points) == 1 else (None,)
        ledger = manifests["ledger"]
        if point is None or ledger is None or self._chain_at(point.seq) != point.chain:
            return None
        constants = Constants.from_dict(_Reader(self.rooms["ledger"], ledger).state["constants"])
        if point.constants != constants.digest():
            return None
        beliefs = Beliefs(constants, measurer, contexts=contexts)
        for name, fill in (("ledger", _fill_ledger), ("effectiveness", _fill_learned), ("graph", _fill_graph)):
            manifest = manifests[name]
            if manifest is None:
                return None
            fill(beliefs, _Reader(self.rooms[name], manifest))
        beliefs.seq = point.seq
        beliefs.history.start = point.seq
        beliefs.history.earlier = partial(self._history.load, point=point, terms=beliefs.texts.terms)
        exposures = beliefs.effectiveness.exposures
        exposures.start = point.seq
        exposures.earlier = partial(self._exposures.load, point, beliefs.texts.labels)
        return beliefs

    def save(self, beliefs: Beliefs, chain: bytes) -> bool:
        """Publish the beliefs at their seq; False when another process is publishing.

        True also where that is of no use, as another has published the beliefs at a later event.
        """
        point = Checkpoint(seq=beliefs.seq, chain=chain, constants=beliefs.constants.digest())
        if self._surpassed(point):
            return True
        beliefs.effectiveness.flush()
        if not self._history.save(beliefs.history, point, beliefs.texts.terms):
            return False
        if not self._exposures.save(beliefs.effectiveness.exposures, point, beliefs.texts.labels):
            return False
        with contextlib.ExitStack() as stack:
            written: list[tuple[Publisher, Segment]] = []
            publishers = [stack.enter_context(room.publishing()) for room in self.rooms.values()]
            for publisher, describe in zip(publishers, (_ledger, _learned, _graph), strict=True):
                if publisher is None or None in publishers:
                    return False
                written.append((publisher, _segment(publisher, *describe(beliefs), beliefs.seq)))
            # Nobody is to find rooms of different points for long: they are worthless.
            for publisher, segment in written:
                publisher.commit(point, (segment,))
        return True

    def _surpassed(self, point: Checkpoint) -> bool:
        """Whether all rooms on disk are at one later point of this log."""
        manifests = [room.glance() for room in self.rooms.values()]
        points = {None if found is None else found.checkpoint for found in manifests}
        (there,) = points if len(points) == 1 else (None,)
        return there is not None and there.seq > point.seq and self._chain_at(there.seq) == there.chain


def _segment(publisher: Publisher, arrays: Arrays, state: State, seq: int) -> Segment:
    blobs = {"state.msgpack": msgspec.msgpack.encode(state)}
    return publisher.segment(arrays, blobs, first_seq=1, last_seq=seq, meta={})


class _Reader:
    """One saved room."""

    def __init__(self, room: Generations, manifest: Manifest) -> None:
        self._room, (self._segment,) = room, manifest.segments
        self.state: State = msgspec.msgpack.decode(room.read(self._segment, "state.msgpack"), strict=False)

    def array(self, name: str) -> NDArray[Any]:
        return self._room.array(self._segment, name)

    def table(self, name: str, schema: Mapping[str, tuple[str, Any]]) -> Table:
        return Table.mapped(self._room.folder(self._segment) / f"{name}.npy", self.state[name], schema)

    def lookup(self, name: str) -> Lookup:
        return Lookup(self.array(f"{name}_keys"), self.array(f"{name}_rows"))


def _lookups(**columns: NDArray[Any]) -> Arrays:
    return _packed({name: Lookup.over(column) for name, column in columns.items()})


def _packed(lookups: Mapping[str, Lookup]) -> Arrays:
    arrays: Arrays = {}
    for name, lookup in lookups.items():
        arrays[f"{name}_keys"], arrays[f"{name}_rows"] = lookup.keys, lookup.rows
    return arrays


def _ledger(beliefs: Beliefs) -> tuple[Arrays, State]:
    own, state = beliefs.texts, beliefs.memories
    text_block, text_meta = own.table.pack()
    memory_block, memory_meta = state.table.pack()
    arrays = {
        "texts": text_block,
        "memories": memory_block,
        "terms": own.term_codes.values,
        "near": [piece.view(np.uint8) for piece in own.near_entries.pieces()],
        **_lookups(id=own.table["id"], exact=own.table["exact"], form=own.table["form"]),
        **_packed({"term": own.term_lookup()}),
    }
    return arrays, {
        "texts": text_meta,
        "memories": memory_meta,
        "owner": own.owner,
        "labels": own.labels.names,
        "term_names": own.terms.names,
        "grants": own.grants,
        "pins": state.pins.names,
        "changed_terms": state.terms,
        "successors": state.successors,
        "constants": beliefs.constants.as_dict(),
        "adoptions": beliefs.adoptions,
        "prunes": beliefs.prunes,
        "fingerprint": beliefs.fingerprint,
        "unresolved": beliefs.unresolved,
        "unknown": beliefs.unknown,
        "ignored": beliefs.ignored,
        "pairs_computed": beliefs.membership.pairs_computed,
    }


def _fill_ledger(beliefs: Beliefs, saved: _Reader) -> None:
    state, own, held = saved.state, beliefs.texts, beliefs.memories
    own.owner = state["owner"]
    own.table = saved.table("texts", texts.SCHEMA)
    own.labels, own.terms = Names(state["labels"]), Names(state["term_names"])
    own.term_codes = Column(saved.array("terms"))
    own.near_entries = Pieces(saved.array("near").view(own.near_entries.base.dtype))
    own.grants = {int(key): tuple(users) for key, users in state["grants"].items()}
    own.by_id, own.by_exact, own.by_form, own.by_term = map(saved.lookup, ("id", "exact", "form", "term"))
    held.adopt(saved.table("memories", memories.SCHEMA))
    held.pins = Names(state["pins"])
    held.terms = {int(key): tuple(codes) for key, codes in state["changed_terms"].items()}
    held.successors = {int(key): tuple(new) for key, new in state["successors"].items()}
    beliefs.fingerprint, beliefs.adoptions = state["fingerprint"], list(state["adoptions"])
    beliefs.prunes = [(seq, clock) for seq, clock in state["prunes"]]
    beliefs.unresolved, beliefs.unknown = state["unresolved"], state["unknown"]
    beliefs.arrived = len(own)
    beliefs.ignored = [(seq, why) for seq, why in state["ignored"]]
    beliefs.membership.pairs_computed = state["pairs_computed"]


def _learned(beliefs: Beliefs) -> tuple[Arrays, State]:
    learned = beliefs.effectiveness
    block, meta = learned.table.pack()
    arrays = {
        "effectiveness": block,
        "velocity_roots": learned.velocity_roots.values,
        "velocity_times": learned.velocity_times.values,
        "centroids": np.concatenate([np.empty(0), *learned.centroids]),
    }
    return arrays, {"effectiveness": meta, "dims": [len(centroid) for centroid in learned.centroids]}


def _fill_learned(beliefs: Beliefs, saved: _Reader) -> None:
    beliefs.effectiveness.adopt(
        saved.table("effectiveness", learning.SCHEMA),
        saved.array("velocity_roots"),
        saved.array("velocity_times"),
        Centroids(saved.array("centroids"), saved.state["dims"]),
    )


def _graph(beliefs: Beliefs) -> tuple[Arrays, State]:
    graph = beliefs.graph
    block, meta = graph.table.pack()
    arrays = {"edges": block, **_lookups(source=graph.table["source"], target=graph.table["target"])}
    return arrays, {"edges": meta, "relations": graph.relations.names, "ends": graph.ends.names}


def _fill_graph(beliefs: Beliefs, saved: _Reader) -> None:
    graph = beliefs.graph
    graph.table = saved.table("edges", edges.SCHEMA)
    graph.relations, graph.ends = Names(saved.state["relations"]), Names(saved.state["ends"])
    graph.adopt(saved.lookup("source"), saved.lookup("target"))
