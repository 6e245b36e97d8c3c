"""The whole log as JSON lines, and the same log from them.

The first line is {"format": "helixlog-log", "version": 1, "store_id", "secret",
"head", "digest"}; then follows one line per record (`lines`). An import into a
folder without a log gives the same log, to the chain digest: same ids, times,
keys and holes. The secret is in the file, so keep it as you keep the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from ..errors import Conflict, Corrupted, InvalidInput
from . import codec, layout, lines, record
from .events import Recorded, StoreCreated
from .filling import fill
from .lmdb_log import LmdbLog
from .log import Head
from .mapping import from_os

Progress = Callable[[int, int], None]
"""Called with the number of records done and of all."""

_NAME, _VERSION = "helixlog-log", 1
_BATCH = 2_000
_REMEDY = "export again from the source; nothing was imported"


class ExportHeader(msgspec.Struct, frozen=True):
    """The first line of an export."""

    format: str
    version: int
    store_id: str
    secret: bytes
    head: int
    digest: str


def export(log: LmdbLog, out: IO[bytes], progress: Progress | None = None, *, stop: int | None = None) -> Head:
    """Write the log, as it is now or up to event `stop`, to a binary stream; returns the head it was written up to.

    Raises:
        Corrupted: A record is damaged, or the secret is not there.
        Conflict: Something was erased meanwhile; what was written may hold it, and is to be thrown away.
    """
    head, generation = log.head, log.generation
    if stop is not None and stop < head.seq:
        head = Head(stop, log.get(stop).recorded_at, log.chain_at(stop))
    genesis = log.get(1).event
    store_id = genesis.store_id if isinstance(genesis, StoreCreated) else ""
    first = ExportHeader(_NAME, _VERSION, store_id, log.secret, head.seq, head.digest.hex())
    out.write(msgspec.json.encode(first) + b"\n")
    previous = record.START
    for seq, raw in enumerate(log.raw(1, head.seq), 1):
        parts = record.read(raw)
        if parts.header.seq != seq or not parts.follows(previous):
            raise codec.damaged(seq, "its digest does not follow")
        previous = parts.digest
        out.write(lines.to_line(raw) + b"\n")
        if progress and (seq % _BATCH == 0 or seq == head.seq):
            progress(seq, head.seq)
    if log.head.seq < head.seq or log.generation != generation:
        raise Conflict(
            f"something was erased from {log.folder} during the export", remedy="throw it away; export again"
        )
    return head


def read_header(first_line: bytes | str) -> ExportHeader:
    """The first line of an export; raises InvalidInput if it is none, or one of a newer release."""
    try:
        header = msgspec.json.decode(first_line, type=ExportHeader)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise lines.malformed(1, str(error)) from error
    if header.format != _NAME or header.version != _VERSION:
        raise InvalidInput(
            f"line 1 of the export says {header.format} version {header.version}, not {_NAME} version {_VERSION}",
            remedy="import it with the release that wrote it",
        )
    return header


def read_events(source: Iterable[bytes]) -> Iterator[Recorded]:
    """The events of an export, by its lines, the first included; each digest is checked.

    Raises:
        InvalidInput: A line cannot be read.
        Corrupted: A digest, or the number of records, is not what the export says.
    """
    for raw in _records(iter(source)):
        yield codec.decode(raw)


def import_log(source: Iterable[bytes], folder: Path | str, progress: Progress | None = None) -> Head:
    """Make the log of a store from the lines of an export; all or nothing.

    Raises:
        Conflict: The folder has a log already.
        InvalidInput, Corrupted: See `read_events`.
        StoreReadOnly, OutOfSpace: The folder cannot be written.
    """
    folder = Path(folder)
    if layout.exists(folder):
        raise Conflict(f"{folder} has a log already", remedy="import into another folder, or merge")
    rows = iter(source)
    header = read_header(next(rows, b""))
    try:
        with layout.building(layout.log_folder(folder)) as new:
            fill(new, _checked(header, rows), None if progress is None else lambda seq: progress(seq, header.head))
            if layout.make_secret(folder, header.secret) != header.secret:
                raise Conflict(f"{folder} has a secret of another store", remedy="import into another folder")
    except OSError as error:
        raise from_os(error, str(folder)) from error
    with LmdbLog.open(folder) as log:
        return log.head


def _records(rows: Iterator[bytes]) -> Iterator[bytes]:
    return _checked(read_header(next(rows, b"")), rows)


def _checked(header: ExportHeader, rows: Iterator[bytes]) -> Iterator[bytes]:
    """Records of the lines after the first; a chain that ends where the header says."""
    previous, seq = record.START, 0
    for number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        raw = lines.from_line(row, number, previous)
        seq += 1
        if record.read(raw).header.seq != seq:
            raise lines.malformed(number, f"it is not record {seq}")
        previous = raw[: record.DIGEST_SIZE]
        yield raw
    if (seq, previous.hex()) != (header.head, header.digest):
        raise Corrupted(
            f"the export ends with record {seq} ({previous.hex()[:8]}..), "
            f"its first line says {header.head} ({header.digest[:8]}..)",
            remedy=_REMEDY,
        )
