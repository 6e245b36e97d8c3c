"""Digests of what is believed, one a room: equal for equal prefixes of the log under equal constants.

They cover the state and not how it is laid out: neither the room to grow, nor
the numbers of names, nor names that nothing carries, nor where a centroid
stands, nor edges that were taken back, nor what is left in the row of a text
that begins no memory. So an incremental fold, one that was saved and opened
again, a cold one and one whose later changes were undone have the same digests,
whatever batches they were given.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .beliefs import Beliefs
from .columns import Names

Arrays = dict[str, NDArray[Any]]

_OF_THE_TEXT = ("root", "status", "joined_cosine")
_LABELS = ("partition", "kind", "user", "project", "session", "agent", "container", "origin", "print", "fingerprint")
_LAYOUT = ("centroid", "velocity_from")


def digests(beliefs: Beliefs) -> dict[str, str]:
    """The digests of the ledger, the effectiveness table and the graph, by those names."""
    beliefs.effectiveness.flush()
    own = beliefs.memories.roots()
    rooms = {"ledger": _ledger(beliefs, own), "effectiveness": _learned(beliefs, own), "graph": _graph(beliefs)}
    point = (beliefs.seq, beliefs.constants.digest())
    return {name: _digest((name, *point, facts), arrays) for name, (facts, arrays) in rooms.items()}


def fingerprints(beliefs: Beliefs) -> list[str]:
    """The embedders that texts came with vectors or evidence of, and the one in use; sorted."""
    table, names = beliefs.texts.table, beliefs.texts.labels.names
    codes = np.unique(np.concatenate([table["fingerprint"], table["print"]]))
    found = {names[code] for code in codes.tolist() if code >= 0}
    return sorted(found if beliefs.fingerprint is None else found | {beliefs.fingerprint})


def _ledger(beliefs: Beliefs, own: NDArray[np.bool_]) -> tuple[object, Arrays]:
    texts, memories = beliefs.texts, beliefs.memories
    changed = {root: codes for root, codes in memories.terms.items() if own[root]}
    labels = _Places(texts.labels, *(texts.table[name] for name in _LABELS), *texts.grants.values())
    terms = _Places(texts.terms, texts.term_codes.values, *changed.values())
    pins = _Places(memories.pins, memories.table["pin"][own])
    facts = (
        beliefs.fingerprint,
        beliefs.adoptions,
        texts.owner,
        labels.names,
        terms.names,
        sorted((text, labels.of(users)) for text, users in texts.grants.items()),
        pins.names,
        sorted((root, terms.of(codes)) for root, codes in changed.items()),
        sorted((old, list(new)) for old, new in memories.successors.items() if own[old]),
        beliefs.ignored,
        (beliefs.unresolved, beliefs.unknown, beliefs.membership.pairs_computed),
    )
    arrays = {f"text {name}": texts.table[name] for name in texts.table.schema}
    arrays |= {f"text {name}": labels.places[texts.table[name]] for name in _LABELS}
    for name in memories.table.schema:
        column = memories.table[name]
        arrays[name] = column if name in _OF_THE_TEXT else column[own]
    arrays["pin"] = pins.places[arrays["pin"]]
    arrays["terms"] = terms.places[texts.term_codes.values]
    arrays["near"] = np.concatenate([piece.view(np.uint8) for piece in texts.near_entries.pieces()])
    return facts, arrays


def _learned(beliefs: Beliefs, own: NDArray[np.bool_]) -> tuple[object, Arrays]:
    learned = beliefs.effectiveness
    arrays = {name: learned.table[name][own] for name in learned.table.schema if name not in _LAYOUT}
    centroids = [learned.centroids[row] if row >= 0 else np.empty(0) for row in learned.table["centroid"][own].tolist()]
    roots = learned.velocity_roots.values
    counted = own[roots] & (np.arange(len(roots)) >= learned.table["velocity_from"][roots])
    prints = _Places(beliefs.texts.labels, arrays["context_print"])
    arrays["context_print"] = prints.places[arrays["context_print"]]
    arrays["centroids"] = np.concatenate([np.empty(0), *centroids])
    arrays["velocity roots"], arrays["velocity times"] = roots[counted], learned.velocity_times.values[counted]
    return (prints.names, [len(centroid) for centroid in centroids]), arrays


def _graph(beliefs: Beliefs) -> tuple[object, Arrays]:
    graph = beliefs.graph
    live = graph.table["until"] == 0
    arrays = {name: graph.table[name][live] for name in graph.table.schema if name != "until"}
    relations = _Places(graph.relations, arrays["relation"])
    arrays["relation"] = relations.places[arrays["relation"]]
    others = np.concatenate([arrays["source"], arrays["target"]])
    ends = _Places(graph.ends, -1 - others[others < 0])
    for name in ("source", "target"):
        numbers = arrays[name]
        outside = np.flatnonzero(numbers < 0)
        numbers[outside] = -1 - ends.places[-1 - numbers[outside]]
    return (relations.names, ends.names), arrays


class _Places:
    """The names that some codes stand for, in alphabetical order, and by code its place there; -1 stays itself."""

    def __init__(self, names: Names, *codes: NDArray[Any] | tuple[int, ...]) -> None:
        used = np.unique(np.concatenate([np.empty(0, np.int64), *(np.asarray(part, np.int64) for part in codes)]))
        order = sorted(used[used >= 0].tolist(), key=names.names.__getitem__)
        self.names = [names.names[code] for code in order]
        self.places = np.full(len(names) + 1, -1, np.int64)
        self.places[order] = np.arange(len(order))

    def of(self, codes: tuple[int, ...]) -> list[int]:
        """The places of some codes."""
        places: list[int] = self.places[list(codes)].tolist()
        return places


def _digest(facts: object, arrays: Arrays) -> str:
    described = [(name, array.dtype.str, len(array)) for name, array in arrays.items()]
    hashed = blake2b(msgspec.msgpack.encode((facts, described)), digest_size=16)
    for array in arrays.values():
        hashed.update(np.ascontiguousarray(array).view(np.uint8).data)
    return hashed.hexdigest()
