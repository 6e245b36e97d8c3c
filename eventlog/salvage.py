"""What can be saved of a damaged log: a new log of every record whose bytes prove themselves.

Records are looked for page by page (`pages`), so no damage stops the search or
harms the process. A record is proven when its digest is that of its bytes and
of a digest before it: that cannot happen by chance. Where the digest before it
is lost, a record is kept as long as the one behind it names its digest, and is
reported as `unproven`.

The new log has the same sequence numbers. In the place of a lost record stands
its hole, an altered record without a payload, and a `MemoryErased` at the end
lists every hole, so the new log verifies. From the first hole on its digests
are others, since that of a lost record cannot be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..errors import Corrupted
from . import codec, layout, pages, record
from .appending import Entropy, KeyEntry
from .events import EVENT_TYPES, Draft, ErasedRecord, Event, MemoryErased, MemoryStored, StoreCreated
from .filling import fill
from .lmdb_log import LmdbLog
from .mapping import from_os
from .record import Header, KeyMark, Record
from .transaction import ID, KEY, RECORD, SEALED, decode_key

Progress = Callable[[int, int], None]
"""Called with the number of records done and of all."""

TEXT = str(MemoryStored.__struct_config__.tag)
"""What a record of an unreadable type is taken for: a text elsewhere may name its seq."""

_NOTHING = bytes(record.DIGEST_SIZE)


class Salvaged(msgspec.Struct, frozen=True, kw_only=True):
    """What became of each record of a damaged log.

    `head` is the last seq of which anything is known. `lost` are in the new log as holes; `unproven` are kept although
    the digest before them is lost; `repaired` had a wrong digest of right bytes. `digest` is the new log's, in hex.
    `genesis_lost` says that the first record was lost and another stands in for it.
    """

    path: str
    head: int
    kept: int
    lost: tuple[int, ...]
    unproven: tuple[int, ...]
    repaired: tuple[int, ...]
    genesis_lost: bool
    digest: str


class Found:
    """What the pages of a file say: records by seq, ids and keys by the seq they lead to."""

    def __init__(self, path: Path) -> None:
        self.records: dict[int, list[bytes]] = {}
        self.ids: dict[int, str] = {}
        self.keys: dict[int, KeyMark] = {}
        self._last = 0
        beyond: set[int] = set()
        for key, value in pages.entries(path):
            if key[:1] == RECORD and len(key) == 9:
                self._record(value)
            elif key[:1] == ID and len(value) == 8:
                seq = int.from_bytes(value, "big")
                self.ids[seq] = key[1:].decode(errors="replace")
                beyond.add(seq)
            elif key[:1] == KEY and len(key) == 17:
                self._key(key[1:], value)
        self._known = beyond | self.keys.keys()

    def _record(self, raw: bytes) -> None:
        try:
            seq = record.read(raw).header.seq
        except Corrupted:
            return
        held = self.records.setdefault(seq, [])
        if raw not in held:
            held.append(raw)

    def _key(self, digest: bytes, value: bytes) -> None:
        try:
            entry: KeyEntry = decode_key(value)
        except msgspec.DecodeError:
            return
        self.keys[entry.first] = KeyMark(digest, entry.content, entry.last - entry.first + 1)

    def candidates(self, seq: int) -> list[_Candidate]:
        """Everything that says it is record `seq`."""
        return [_Candidate(raw, record.read(raw)) for raw in self.records.get(seq, ())]

    def head(self, proven: int) -> int:
        """The last seq that anything names; a number far behind the last proven record is noise."""
        likely = [seq for seq in (*self._known, *self.records) if seq <= 2 * proven + 1_000]
        return max([proven, *likely])


class _Candidate(NamedTuple):
    raw: bytes
    parts: Record


class _Verdict(msgspec.Struct):
    raws: dict[int, bytes]
    unproven: list[int]
    repaired: list[int]


def judge(found: Found, last: int) -> _Verdict:
    """The records 1..last that are kept, by seq."""
    verdict = _Verdict({}, [], [])
    before: set[bytes] = {record.START}
    following = found.candidates(1)
    for seq in range(1, last + 1):
        candidates, following = following, found.candidates(seq + 1)
        good = [one for one in candidates if any(one.parts.follows(digest) for digest in before)]
        if good:
            chosen = max(good, key=lambda one: one.parts.kept is not None)  # what was erased stays erased
            verdict.raws[seq] = chosen.raw
            before = {chosen.parts.digest}
        else:
            before = _doubtful(verdict, seq, candidates, before, following)
    return verdict


def _doubtful(
    verdict: _Verdict, seq: int, candidates: list[_Candidate], before: set[bytes], following: list[_Candidate]
) -> set[bytes]:
    """Judge a record by the one behind it; the digests that may be that of this record."""
    for one in candidates:
        for digest in before:
            derived = record.link(digest, one.parts.header_bytes, one.parts.commitment)
            if any(each.parts.follows(derived) for each in following):
                verdict.raws[seq] = derived + one.raw[record.DIGEST_SIZE :]
                verdict.repaired.append(seq)
                return {derived}
        if not before and any(each.parts.follows(one.parts.digest) for each in following) and _event(one.parts):
            verdict.raws[seq] = one.raw
            verdict.unproven.append(seq)
            return {one.parts.digest}
    return {one.parts.digest for one in candidates}


def _event(one: Record) -> Event | None:
    try:
        return codec.decode_payload(one.header.type, one.header.version, one.payload)
    except Corrupted:
        return None


def _without_unlisted(verdict: _Verdict) -> None:
    """Drop altered payloads that no erasure accounts for any more."""
    read = {seq: record.read(raw) for seq, raw in verdict.raws.items()}
    listed: dict[int, bytes] = {}
    for one in read.values():
        event = _event(one) if one.header.type == str(MemoryErased.__struct_config__.tag) else None
        if isinstance(event, MemoryErased):
            listed |= {entry.seq: entry.commitment for entry in event.rewritten}
    for seq, one in read.items():
        if one.kept is not None:
            now = b"" if one.payload is None else record.commit(one.salt or b"", one.payload)
            if listed.get(seq) != now:
                del verdict.raws[seq]


def salvage(
    data: Path,
    target: Path,
    *,
    secret: bytes | None,
    genesis: StoreCreated,
    clock: int,
    entropy: Entropy,
    reason: str,
    at_least: int = 0,
    progress: Progress | None = None,
) -> Salvaged:
    """Make a new store folder `target` of what the LMDB file `data` still proves; `data` is only read.

    Args:
        data: The file of the generation in force.
        target: A path where nothing is yet, or an empty folder.
        secret: The store's secret; None where it is lost: a new one is made.
        genesis: Stands in for the first event where that is lost.
        clock: The writer's clock, UTC ns, for the event that lists the holes.
        entropy: `entropy(n)` gives n random bytes.
        reason: Said by that event.
        at_least: A seq that is known to have been in the log.
        progress: See `Progress`.

    Raises:
        Corrupted: There is no record in the file.
        Conflict: `target` is there and not empty.
        StoreReadOnly, OutOfSpace: It cannot be written.
    """
    found = Found(data)
    last = max((seq for seq in found.records if seq <= 2 * len(found.records) + 1_000), default=0)
    verdict = judge(found, last)
    _without_unlisted(verdict)
    if not verdict.raws:
        raise Corrupted(f"{data} holds no record that can be read", remedy="restore a backup")
    head = max(found.head(max(verdict.raws)), at_least)
    lost = [seq for seq in range(1, head + 1) if seq not in verdict.raws]
    stand_in = None if 1 in verdict.raws else genesis
    raws = _rewritten(verdict, found, head, stand_in, entropy)
    try:
        with layout.building(target) as new:
            layout.make_secret(new, secret or entropy(layout.SECRET_SIZE))
            layout.log_folder(new).mkdir()
            fill(layout.log_folder(new), raws, None if progress is None else lambda seq: progress(seq, head))
    except OSError as error:
        raise from_os(error, str(target)) from error
    with LmdbLog.open(target, entropy=entropy) as log:
        holes = [seq for seq in lost if seq > 1]
        if holes:
            log.append([_listing(log, holes, reason)], clock=clock)
        digest = log.head.digest.hex()
    return Salvaged(
        path=str(target),
        head=head,
        kept=len(verdict.raws),
        lost=tuple(lost),
        unproven=tuple(verdict.unproven),
        repaired=tuple(verdict.repaired),
        genesis_lost=stand_in is not None,
        digest=digest,
    )


def _rewritten(
    verdict: _Verdict, found: Found, head: int, stand_in: StoreCreated | None, entropy: Entropy
) -> Iterator[bytes]:
    """The records 1..head of the new log, each linked to the one before."""
    before, time = record.START, -(1 << 63)
    first = record.read(verdict.raws[min(verdict.raws)]).header.recorded_at
    taken = {record.read(raw).header.id for raw in verdict.raws.values()}
    for seq in range(1, head + 1):
        raw = verdict.raws.get(seq)
        if raw is not None:
            raw = relinked(raw, before)
            time = record.read(raw).header.recorded_at
        elif seq == 1 and stand_in is not None:
            tag, version, payload = codec.encode(stand_in)
            raw = record.write(before, Header(1, first, None, tag, version), entropy(record.SALT_SIZE), payload)
            time = first
        else:
            raw = record.write_altered(before, _hole(found, seq, time, taken), _NOTHING)
        before = raw[: record.DIGEST_SIZE]
        yield raw


def _hole(found: Found, seq: int, time: int, taken: set[str | None]) -> Header:
    """The header of a lost record: what ids and keys say of it, and its type where that can be read."""
    tags = [record.read(raw).header for raw in found.records.get(seq, ())]
    known = next((header for header in tags if header.type in EVENT_TYPES and header.type != "store_created"), None)
    tag, version = (TEXT, MemoryStored.version) if known is None else (known.type, EVENT_TYPES[known.type].version)
    own_id = found.ids.get(seq)
    return Header(seq, time, None, tag, version, None if own_id in taken else own_id, found.keys.get(seq))


def _listing(log: LmdbLog, holes: list[int], reason: str) -> Draft:
    headers = [record.read(raw).header for raw in log.records_at(holes) if raw is not None]
    memories = tuple(header.id for header in headers if header.type == TEXT and header.id is not None)
    rewritten = tuple(ErasedRecord(seq=seq, commitment=b"") for seq in holes)
    return Draft(MemoryErased(memories=memories, rewritten=rewritten, reason=reason))


def relinked(raw: bytes, before: bytes) -> bytes:
    """A record behind another digest."""
    parts = record.read(raw)
    return record.link(before, parts.header_bytes, parts.commitment) + raw[record.DIGEST_SIZE :]


def holds_records(data: Path) -> bool:
    """Whether there is anything to salvage."""
    return any(key[:1] == RECORD for key, _ in pages.entries(data))


def in_force(log: Path) -> str | None:
    """The generation that a log folder without a pointer goes on in: where the seals lead, from the first one."""
    names = sorted(path.name for path in log.iterdir() if (path / layout.DATA).is_file())
    sealed = {name: _seal(log / name / layout.DATA) for name in names}
    targets = set(sealed.values())
    name = next((name for name in names if name not in targets), None)
    while name is not None and (following := sealed.get(name)) in sealed:
        name = following
    return name


def _seal(data: Path) -> str | None:
    return next((value.decode(errors="replace") for key, value in pages.entries(data) if key == SEALED), None)
