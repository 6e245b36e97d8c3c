"""Events to payloads and records to events.

A payload is the msgpack map of an event's fields with its tag, without those at
their default, every length in its shortest form. Reading never
fails on what a newer release wrote: an unknown type, or a higher version of a
known one, is an `UnknownEvent`, and unknown fields of a known type are passed
over (they stay in the bytes). A destroyed payload is an `ErasedEvent`. Older
versions go through `upcasters`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

import msgspec

from ..errors import Corrupted, InvalidInput
from . import record
from .events import EVENT_TYPES, ErasedEvent, Event, Recorded, UnknownEvent
from .record import DIGEST_SIZE, LIVE, PREFIX_SIZE, SALT_SIZE, decode_header
from .upcasters import upcast

_encode = msgspec.msgpack.Encoder().encode
_decode_fields = msgspec.msgpack.Decoder(dict[str, object]).decode

_Decode = Callable[[bytes], Event]
_CURRENT: dict[tuple[str, int], _Decode] = {
    (tag, kind.version): msgspec.msgpack.Decoder(kind).decode for tag, kind in EVENT_TYPES.items()
}
"""The payload decoder of each type in the version this release writes."""


def encode(event: Event) -> tuple[str, int, bytes]:
    """The tag, version and payload of an event.

    Raises:
        InvalidInput: Not an event of the vocabulary, or a field holds what its type does not allow.
    """
    kind = type(event)
    tag = str(kind.__struct_config__.tag) if isinstance(event, Event) else ""
    if EVENT_TYPES.get(tag) is not kind:
        raise InvalidInput(f"{kind.__name__} cannot be appended", remedy="append one of `EVENT_TYPES`")
    try:
        payload = _encode(msgspec.to_builtins(event, builtin_types=(bytes,)))
        # A payload that no reader could decode must never enter the log.
        _CURRENT[tag, kind.version](payload)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidInput(f"{tag} holds what cannot be stored: {error}", remedy="correct the field named") from error
    return tag, kind.version, payload


def decode_payload(tag: str, version: int, payload: bytes | None) -> Event:
    """The event of a payload, whatever release wrote it; None is a destroyed one.

    Raises:
        Corrupted: The payload is not what its type and version say.
    """
    if payload is None:
        return ErasedEvent(kind=tag)
    kind = EVENT_TYPES.get(tag)
    if kind is None or not 1 <= version <= kind.version:
        return UnknownEvent(kind=tag, kind_version=version, payload=payload)
    try:
        if version == kind.version:
            return _CURRENT[tag, version](payload)
        return msgspec.convert(upcast(tag, version, kind.version, _decode_fields(payload)), kind)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise Corrupted(f"the payload of a {tag} cannot be read: {error}", remedy=record.RESTORE) from error


def decode(raw: bytes) -> Recorded:
    """The event in a record; digests are not checked.

    Raises:
        Corrupted: The bytes are not a record, or its payload is not what its header says.
    """
    parts = record.read(raw)
    header = parts.header
    clock = header.recorded_at if header.clock is None else header.clock
    event = decode_payload(header.type, header.version, parts.payload)
    return Recorded(header.seq, header.recorded_at, clock, header.id, event)


def decode_run(records: Iterable[bytes], first: int, previous: bytes | None) -> Iterator[Recorded]:
    """The events of consecutive records, the first of which has seq `first`.

    With the digest `previous` that they follow, each record's digest is checked; with None none is.

    Raises:
        Corrupted: A record is damaged, missing or out of place; its seq is named.
    """
    for expected, raw in enumerate(records, first):
        yield decode_after(previous, raw, expected)
        if previous is not None:
            previous = raw[:DIGEST_SIZE]


def decode_after(previous: bytes | None, raw: bytes, seq: int) -> Recorded:
    """The event of the record `seq`, whose digest is checked to follow the digest `previous`, unless that is None.

    Raises:
        Corrupted: The record is damaged or out of place.
    """
    try:
        body = PREFIX_SIZE + (raw[DIGEST_SIZE + 1] << 8 | raw[DIGEST_SIZE + 2])
        header_bytes = raw[PREFIX_SIZE:body]
        header = decode_header(header_bytes)
        reader = _CURRENT.get((header.type, header.version))
        live = raw[DIGEST_SIZE] == LIVE and len(raw) >= body + SALT_SIZE
        event = reader(raw[body + SALT_SIZE :]) if live and reader else decode(raw).event
    except (IndexError, msgspec.DecodeError, UnicodeDecodeError, RecursionError, Corrupted) as error:
        raise damaged(seq, str(error)) from error
    if previous is not None:
        # As `record.read` and `Record.follows` have it, without taking the record apart a second time.
        kept = blake2b(raw[body:], digest_size=DIGEST_SIZE).digest() if live else record.read(raw).commitment
        if raw[:DIGEST_SIZE] != blake2b(previous + header_bytes + kept, digest_size=DIGEST_SIZE).digest():
            raise damaged(seq, "its digest does not follow")
    if header.seq != seq:
        raise damaged(seq, f"record {header.seq} is in its place")
    at, clock = header.recorded_at, header.clock
    return Recorded(seq, at, at if clock is None else clock, header.id, event)


def damaged(seq: int, why: str) -> Corrupted:
    """The error for a record that is not what was written."""
    return Corrupted(f"record {seq} is damaged: {why}", remedy=record.RESTORE)
