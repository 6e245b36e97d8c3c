"""The projections of a store as files and as digests: for `verify`, `rebuild` and `health`."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from ..projections.beliefs import Beliefs
from ..projections.catalog import Catalog
from ..projections.columns import Table
from ..projections.generations import Generations

FOLDER = "projections"


class Published(NamedTuple):
    """A projection's generation on disk: how far it goes (None without one), and what is wrong with it."""

    name: str
    seq: int | None
    problem: str | None


def homes(root: Path) -> Iterator[Generations]:
    """Every projection that has a folder, by name."""
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        name, mark, version = path.name.rpartition("-v")
        if mark and version.isdecimal() and path.is_dir():
            yield Generations(root, name, int(version))


def published(root: Path) -> list[Published]:
    """Every generation on disk, each byte of it checked."""
    found = [(home, home.load()) for home in homes(root)]
    return [
        Published(home.path.name, None if manifest is None else manifest.seq, home.problem) for home, manifest in found
    ]


def digests(catalog: Catalog) -> dict[str, str]:
    """A digest of each projection's canonical state, by name; equal for equal logs, however they were folded."""
    beliefs = catalog.beliefs
    result = {"text": catalog.text.digest()}
    for fingerprint in sorted(fingerprints(beliefs)):
        result[f"vector {fingerprint}"] = catalog.vectors_of(fingerprint).digest()
    return result | _rooms(beliefs)


def fingerprints(beliefs: Beliefs) -> set[str]:
    """The embedders that texts of the store have vectors of."""
    labels = beliefs.texts.labels.names
    codes = np.unique(beliefs.texts.table["fingerprint"])
    found = {labels[code] for code in codes.tolist() if code >= 0}
    return found if beliefs.fingerprint is None else found | {beliefs.fingerprint}


def _rooms(beliefs: Beliefs) -> dict[str, str]:
    """Digests of the ledger, the effectiveness table and the graph."""
    texts, memories, learned, graph = beliefs.texts, beliefs.memories, beliefs.effectiveness, beliefs.graph
    learned.flush()
    ledger = (
        beliefs.seq,
        beliefs.constants.digest(),
        beliefs.fingerprint,
        texts.owner,
        texts.labels.names,
        texts.terms.names,
        sorted(texts.grants.items()),
        memories.pins.names,
        sorted(memories.terms.items()),
        sorted(memories.successors.items()),
        beliefs.ignored,
        _digest(texts.term_codes.values),
        _digest(*texts.near_entries.pieces()),
    )
    effectiveness = (
        _digest(learned.velocity_roots.values, learned.velocity_times.values),
        _digest(*learned.centroids),
    )
    return {
        "ledger": _table_digest((texts.table, memories.table), ledger),
        "effectiveness": _table_digest((learned.table,), effectiveness),
        "graph": _table_digest((graph.table,), (graph.relations.names, graph.ends.names)),
    }


def _table_digest(tables: tuple[Table, ...], beside: object) -> str:
    columns = [(name, table[name]) for table in tables for name in table.schema]
    facts = [(name, column.dtype.str, len(column)) for name, column in columns]
    hashed = blake2b(msgspec.msgpack.encode((facts, beside)), digest_size=16)
    for _, column in columns:
        hashed.update(np.ascontiguousarray(column).view(np.uint8).data)
    return hashed.hexdigest()


def _digest(*arrays: np.ndarray) -> str:  # type: ignore[type-arg]
    hashed = blake2b(digest_size=16)
    for array in arrays:
        hashed.update(np.ascontiguousarray(array).view(np.uint8).data)
    return hashed.hexdigest()
