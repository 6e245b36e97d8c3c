"""Digests of what is believed, one a room: equal for equal prefixes of the log under equal constants.

They cover the state and not how it is laid out: neither the room to grow, nor
the numbers of names, nor where a centroid stands, nor edges that were taken
back, nor what is left in the row of a text that begins no memory. So an
incremental fold, one that was saved and opened again, and a cold one have the
same digests, whatever batches they were given.
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
    own: NDArray[np.bool_] = beliefs.memories.table["root"] == np.arange(len(beliefs.texts))
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
    labels, terms = _places(texts.labels), _places(texts.terms)
    facts = (
        beliefs.fingerprint,
        beliefs.adoptions,
        texts.owner,
        sorted(texts.labels.names),
        sorted(texts.terms.names),
        sorted((text, labels[list(users)].tolist()) for text, users in texts.grants.items()),
        memories.pins.names,
        sorted((root, terms[list(codes)].tolist()) for root, codes in memories.terms.items() if own[root]),
        sorted((old, list(new)) for old, new in memories.successors.items() if own[old]),
        beliefs.ignored,
        (beliefs.unresolved, beliefs.unknown, beliefs.membership.pairs_computed),
    )
    arrays = {f"text {name}": texts.table[name] for name in texts.table.schema}
    arrays |= {f"text {name}": labels[texts.table[name]] for name in _LABELS}
    for name in memories.table.schema:
        column = memories.table[name]
        arrays[name] = column if name in _OF_THE_TEXT else column[own]
    arrays["terms"] = terms[texts.term_codes.values]
    arrays["near"] = np.concatenate([piece.view(np.uint8) for piece in texts.near_entries.pieces()])
    return facts, arrays


def _learned(beliefs: Beliefs, own: NDArray[np.bool_]) -> tuple[object, Arrays]:
    learned = beliefs.effectiveness
    arrays = {name: learned.table[name][own] for name in learned.table.schema if name not in _LAYOUT}
    centroids = [learned.centroids[row] if row >= 0 else np.empty(0) for row in learned.table["centroid"][own].tolist()]
    roots = learned.velocity_roots.values
    counted = own[roots] & (np.arange(len(roots)) >= learned.table["velocity_from"][roots])
    arrays["context_print"] = _places(beliefs.texts.labels)[arrays["context_print"]]
    arrays["centroids"] = np.concatenate([np.empty(0), *centroids])
    arrays["velocity roots"], arrays["velocity times"] = roots[counted], learned.velocity_times.values[counted]
    return [len(centroid) for centroid in centroids], arrays


def _graph(beliefs: Beliefs) -> tuple[object, Arrays]:
    graph = beliefs.graph
    live = graph.table["gone"] == 0
    arrays = {name: graph.table[name][live] for name in graph.table.schema if name != "gone"}
    return (graph.relations.names, graph.ends.names), arrays


def _places(names: Names) -> NDArray[np.int64]:
    """By its number, the place of each name in alphabetical order; -1, for no name, stays itself."""
    order = sorted(range(len(names)), key=names.names.__getitem__)
    places = np.full(len(names) + 1, -1, np.int64)
    places[order] = np.arange(len(names))
    return places


def _digest(facts: object, arrays: Arrays) -> str:
    described = [(name, array.dtype.str, len(array)) for name, array in arrays.items()]
    hashed = blake2b(msgspec.msgpack.encode((facts, described)), digest_size=16)
    for array in arrays.values():
        hashed.update(np.ascontiguousarray(array).view(np.uint8).data)
    return hashed.hexdigest()
