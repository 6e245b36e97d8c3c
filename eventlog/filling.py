"""Records that exist already, put into a log as they are, with the ids and keys they are found by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import lmdb

from . import record, sharing
from .appending import KeyEntry, Plan
from .environment import INITIAL_MAP
from .lmdb_log import begin_generation
from .log import Appended
from .mapping import from_lmdb
from .transaction import Transaction

BATCH = 2_000
Done = Callable[[int], None]
"""Called with the seq of the last record written."""


def add(transaction: Transaction, raws: Sequence[bytes]) -> None:
    """Write records in the order of their seqs, behind what is there."""
    headers = [record.read(raw).header for raw in raws]
    records = [(header.seq, raw) for header, raw in zip(headers, raws, strict=True)]
    ids = [(header.id, header.seq) for header in headers if header.id is not None]
    nowhere = Appended(0, 0, 0)
    transaction.add(Plan(nowhere, records, ids, None))
    for header in headers:
        if header.key is not None:
            mark = header.key
            entry = KeyEntry(header.seq, header.seq + mark.count - 1, mark.content)
            transaction.add(Plan(nowhere, [], [], (mark.key, entry)))


def fill(log: Path, raws: Iterable[bytes], done: Done | None = None) -> None:
    """Make the first generation of a log folder that is being built, and write records into it."""
    begin_generation(log, lambda _transaction: None)
    shared = sharing.shared(log, map_size=INITIAL_MAP)

    def write(batch: list[bytes]) -> None:
        if batch:
            shared.write(lambda transaction: add(transaction, batch))
            if done is not None:
                done(record.read(batch[-1]).header.seq)

    try:
        batch: list[bytes] = []
        for raw in raws:
            batch.append(raw)
            if len(batch) >= BATCH:
                write(batch)
                batch = []
        write(batch)
    except lmdb.Error as error:
        raise from_lmdb(error, str(log)) from error
    finally:
        sharing.release(shared)
