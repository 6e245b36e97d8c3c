"""A log as one LMDB transaction sees it.

    i | own id                  -> seq, 8 bytes big-endian
    k | keyed digest of a key   -> msgpack [first, last, content digest]
    m | "format"                -> the store's format, in digits
    m | "sealed"                -> the generation that took the place of this one
    r | seq, 8 bytes big-endian -> record (`record.py`)

One tree, told apart by the first byte: named databases can only be opened
under LMDB's write lock, so a reader would wait for a writer, and each costs
every commit another page. Records sort last, so that they can be appended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from .appending import KeyEntry, Plan, WriteView
from .readers import Readers, readers_of

if TYPE_CHECKING:
    import lmdb

ID, KEY, META, RECORD = b"i", b"k", b"m", b"r"
FORMAT, SEALED = META + b"format", META + b"sealed"

decode_key = msgspec.msgpack.Decoder(KeyEntry).decode
_encode_key = msgspec.msgpack.Encoder().encode


def record_key(seq: int) -> bytes:
    """The key of a record."""
    return RECORD + seq.to_bytes(8, "big")


class Transaction(WriteView):
    """A `WriteView` in an LMDB transaction; good while that is open."""

    def __init__(self, environment: lmdb.Environment, txn: lmdb.Transaction[bytes]) -> None:
        self._environment = environment
        self._txn = txn

    @property
    def number(self) -> int:
        """Which transaction this is; one that reads has the number of the last commit that it sees."""
        return self._txn.id()

    def add(self, planned: Plan) -> None:
        """Write what a request adds."""
        put = self._txn.put
        for seq, raw in planned.records:
            put(record_key(seq), raw, append=True)
        for own_id, seq in planned.ids:
            put(ID + own_id.encode(), seq.to_bytes(8, "big"))
        if planned.key:
            put(KEY + planned.key[0], _encode_key(planned.key[1]))

    def put(self, key: bytes, value: bytes) -> None:
        """Write one entry."""
        self._txn.put(key, value)

    def meta(self, key: bytes) -> bytes | None:
        """One of the entries that say something of the whole log."""
        return self._txn.get(key)

    def entries(self, kind: bytes, start: int = 0) -> Iterator[tuple[bytes, bytes]]:
        """Keys (without their first byte) and values of one kind, in order; records from `start` on."""
        with self._txn.cursor() as cursor:
            if cursor.set_range(record_key(start) if kind == RECORD else kind):
                for key, value in cursor.iternext():
                    if key[:1] != kind:
                        return
                    yield key[1:], value

    def readers(self) -> Readers:
        """Who else reads the log just now."""
        return readers_of(self._environment)

    def copy_to(self, folder: str) -> None:
        """Write a compact copy of all this transaction sees into an empty folder."""
        self._environment.copy(folder, compact=True, txn=self._txn)

    def key(self, digest: bytes) -> KeyEntry | None:
        """See `WriteView`."""
        found = self._txn.get(KEY + digest)
        return None if found is None else decode_key(found)

    def id_seq(self, own_id: str) -> int | None:
        """See `WriteView`."""
        found = self._txn.get(ID + own_id.encode())
        return None if found is None else int.from_bytes(found, "big")

    def last_record(self) -> bytes | None:
        """See `Reader`."""
        with self._txn.cursor() as cursor:
            return cursor.value() if cursor.last() and cursor.key()[:1] == RECORD else None

    def records_at(self, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Reader`."""
        get = self._txn.get
        return [get(record_key(seq)) if seq > 0 else None for seq in seqs]

    def linked_at(self, seqs: Sequence[int]) -> list[tuple[bytes | None, bytes | None]]:
        """See `Reader`. The two are neighbours in the tree, so that one way down finds both."""
        with self._txn.cursor() as cursor:
            return [_linked(cursor, seq) if seq > 0 else (None, None) for seq in seqs]

    def run_from(self, start: int, count: int) -> list[bytes]:
        """See `Reader`."""
        with self._txn.cursor() as cursor:
            if not cursor.set_range(record_key(start)):
                return []
            return list(islice(cursor.iternext(keys=False, values=True), count))

    def ids_from(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """See `Reader`."""
        wanted = ID + prefix.encode()
        with self._txn.cursor() as cursor:
            if not cursor.set_range(wanted):
                return []
            found = islice(cursor.iternext(), limit)
            return [(key[1:].decode(), int.from_bytes(seq, "big")) for key, seq in found if key.startswith(wanted)]


def _linked(cursor: lmdb.Cursor[bytes], seq: int) -> tuple[bytes | None, bytes | None]:
    raw = cursor.value() if cursor.set_key(record_key(seq)) else None
    return cursor.value() if cursor.prev() and cursor.key() == record_key(seq - 1) else None, raw
