"""The bytes of a record: what the log keeps for one event.

    live (form 0)
    0        32  33      35         35+h      51+h
    | digest | 0 | h u16 | header h | salt 16 | payload .. |

    altered (form 1): the payload was destroyed, or rewritten without some numbers
    0        32  33      35         35+h             67+h      83+h
    | digest | 1 | h u16 | header h | commitment 32 [| salt 16 | payload .. ] |

    commitment = BLAKE2b-256(salt || payload), of the payload as first written
    digest     = BLAKE2b-256(digest before || header || commitment)

Integers are big-endian. The digest before the first record is 32 zero bytes.
The header is in clear and never changes. The payload holds everything
personal; its salt makes the commitment say nothing about it once both are
gone. An altered record keeps the first commitment, so the chain still
verifies; a destroyed one ends there. What a rewritten payload may be is said by
`MemoryErased.rewritten`.
"""

from __future__ import annotations

import struct
from hashlib import blake2b

import msgspec

from ..errors import Corrupted, InvalidInput

FORMAT = 1
"""The format of the stores this release writes, and the highest it reads."""

DIGEST_SIZE = 32
SALT_SIZE = 16
START = bytes(DIGEST_SIZE)
"""The digest before the first record."""

MAX_PAYLOAD = 1 << 28

LIVE = 0
ALTERED = 1
PREFIX = struct.Struct(f">{DIGEST_SIZE}sBH")
PREFIX_SIZE = 35
assert PREFIX.size == PREFIX_SIZE  # noqa: S101 - the diagram above, held at import

RESTORE = "restore a backup, or `helix verify` to see every damaged record"


class KeyMark(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An idempotency key in a header: keyed digests (16 bytes each) of the key and of its content.

    Only the first record of the batch carries it; `count` is the number of records in the batch.
    """

    key: bytes
    content: bytes
    count: int


class Header(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What survives an erasure. `clock` is there only where it differs from `recorded_at`; times in UTC ns."""

    seq: int
    recorded_at: int
    clock: int | None
    type: str
    version: int
    id: str | None = None
    key: KeyMark | None = None


class Record(msgspec.Struct, frozen=True):
    """A record taken apart.

    `kept` is the first commitment of an altered one; salt and payload are None when destroyed.
    """

    digest: bytes
    header: Header
    header_bytes: bytes
    kept: bytes | None
    salt: bytes | None
    payload: bytes | None

    @property
    def commitment(self) -> bytes:
        """The commitment that the digest covers."""
        return commit(self.salt or b"", self.payload or b"") if self.kept is None else self.kept

    def follows(self, previous: bytes) -> bool:
        """Whether the digest is the one that follows the digest `previous`."""
        return self.digest == link(previous, self.header_bytes, self.commitment)


_encode_header = msgspec.msgpack.Encoder().encode
decode_header = msgspec.msgpack.Decoder(Header).decode


def commit(salt: bytes, payload: bytes) -> bytes:
    """The commitment to a payload, 32 bytes."""
    return blake2b(salt + payload, digest_size=DIGEST_SIZE).digest()


def link(previous: bytes, header: bytes, commitment: bytes) -> bytes:
    """The chain digest after a record, 32 bytes."""
    return blake2b(previous + header + commitment, digest_size=DIGEST_SIZE).digest()


def write(previous: bytes, header: Header, salt: bytes, payload: bytes) -> bytes:
    """A live record that follows the digest `previous`.

    Raises:
        InvalidInput: The payload is larger than 256 MiB.
    """
    if len(payload) > MAX_PAYLOAD:
        raise InvalidInput(f"an event of {len(payload):,} bytes is too large", remedy="split it; 256 MiB is the limit")
    header_bytes = _encode_header(header)
    digest = link(previous, header_bytes, commit(salt, payload))
    return PREFIX.pack(digest, LIVE, len(header_bytes)) + header_bytes + salt + payload


def write_altered(
    previous: bytes, header: Header, commitment: bytes, salt: bytes | None = None, payload: bytes | None = None
) -> bytes:
    """An altered record that follows `previous`; without salt and payload it is a destroyed one."""
    header_bytes = _encode_header(header)
    prefix = PREFIX.pack(link(previous, header_bytes, commitment), ALTERED, len(header_bytes))
    return prefix + header_bytes + commitment + (salt or b"") + (payload or b"")


def read(raw: bytes) -> Record:
    """Take a record apart; digests are not checked here.

    Raises:
        Corrupted: These are not the bytes of a record.
    """
    try:
        digest, form, length = PREFIX.unpack_from(raw)
        body = PREFIX_SIZE + length
        header_bytes = raw[PREFIX_SIZE:body]
        header = decode_header(header_bytes)
    except (struct.error, msgspec.DecodeError) as error:
        raise Corrupted(f"a record's header cannot be read: {error}", remedy=RESTORE) from error
    if form == LIVE and len(raw) >= body + SALT_SIZE:
        salt, payload = raw[body : body + SALT_SIZE], raw[body + SALT_SIZE :]
        return Record(digest, header, header_bytes, None, salt, payload)
    salted = body + DIGEST_SIZE
    if form == ALTERED and len(raw) == salted:
        return Record(digest, header, header_bytes, raw[body:], None, None)
    if form == ALTERED and len(raw) >= salted + SALT_SIZE:
        salt, payload = raw[salted : salted + SALT_SIZE], raw[salted + SALT_SIZE :]
        return Record(digest, header, header_bytes, raw[body:salted], salt, payload)
    raise Corrupted(f"record {header.seq} has no known form", remedy=RESTORE)


def destroyed(raw: bytes) -> bytes:
    """The same record without its payload and salt."""
    record = read(raw)
    return PREFIX.pack(record.digest, ALTERED, len(record.header_bytes)) + record.header_bytes + record.commitment


def rewritten(raw: bytes, salt: bytes, payload: bytes) -> bytes:
    """The same record with another payload; `commit(salt, payload)` belongs into `MemoryErased.rewritten`."""
    return destroyed(raw) + salt + payload
