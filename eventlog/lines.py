"""Records as lines of JSON, and back, to the bit.

    {"seq": 2, "recorded_at": 5, "clock": 4, "type": "memory_stored", "version": 1, "id": "01..",
     "key": {"key": hex, "content": hex, "count": 1}, "digest": hex, "salt": base64, "payload": {..}}

Absent header fields are left out. A payload is written from its bytes, not from
the struct, so what this release does not know survives. In it bytes are
{"$b64": ..}, numbers JSON lacks {"$float": "nan"}, and a map with a key that
is no text, or begins with "$", is {"$map": [[key, value], ..]}. A payload that
would not come back to the same bytes is "raw": base64 in its place. An altered
record has its first "commitment" too; a destroyed one has neither salt nor
payload.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from typing import Any

import msgspec

from ..errors import Corrupted, InvalidInput
from . import record
from .bounds import check_bounds
from .codec import damaged

_encode_json = msgspec.json.Encoder().encode
_encode_payload = msgspec.msgpack.Encoder().encode
_decode_payload = msgspec.msgpack.Decoder().decode
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class _Key(msgspec.Struct, frozen=True):
    key: str
    content: str
    count: int


class _Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    seq: int
    recorded_at: int
    type: str
    version: int
    digest: str
    clock: int | None = None
    id: str | None = None
    key: _Key | None = None
    commitment: str | None = None
    salt: bytes | None = None
    payload: Any = msgspec.UNSET
    raw: bytes | None = None


_decode_line = msgspec.json.Decoder(_Line).decode


def to_line(raw: bytes) -> bytes:
    """A record as a line, without the newline; raises Corrupted."""
    parts = record.read(raw)
    header, mark = parts.header, parts.header.key
    payload, opaque = _payload_to_json(parts.payload)
    return _encode_json(
        _Line(
            seq=header.seq,
            recorded_at=header.recorded_at,
            clock=header.clock,
            type=header.type,
            version=header.version,
            id=header.id,
            key=_Key(mark.key.hex(), mark.content.hex(), mark.count) if mark else None,
            digest=parts.digest.hex(),
            commitment=parts.kept.hex() if parts.kept is not None else None,
            salt=parts.salt,
            payload=payload,
            raw=opaque,
        )
    )


def from_line(text: bytes | str, number: int, previous: bytes) -> bytes:
    """The record of a line, which follows the digest `previous`; `number` (from 1) is the line's.

    Raises:
        InvalidInput: It is not a line as `to_line` writes them.
        Corrupted: Its digest is not that of its content.
    """
    try:
        line = _decode_line(text)
        mark = (
            record.KeyMark(bytes.fromhex(line.key.key), bytes.fromhex(line.key.content), line.key.count)
            if line.key
            else None
        )
        header = record.Header(line.seq, line.recorded_at, line.clock, line.type, line.version, line.id, mark)
        payload = _payload_from_json(line)
        if payload is not None:
            check_bounds(line.type, payload)
        if line.commitment is not None:
            raw = record.write_altered(previous, header, bytes.fromhex(line.commitment), line.salt, payload)
        elif line.salt is not None and payload is not None:
            raw = record.write(previous, header, line.salt, payload)
        else:
            raise malformed(number, "salt and payload, or commitment, are not there")
        record.read(raw)
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, OverflowError, RecursionError, Corrupted) as error:
        if isinstance(error, InvalidInput):
            raise
        raise malformed(number, str(error)) from error
    if not digest_is(raw, line.digest):
        raise damaged(line.seq, f"line {number} of the export has another digest than its content")
    return raw


def digest_is(raw: bytes, claimed: str) -> bool:
    """Whether a record's digest, derived from its content, is the one that was exported."""
    return raw[: record.DIGEST_SIZE].hex() == claimed


def malformed(number: int, why: str) -> InvalidInput:
    """The error for a line that cannot be read."""
    return InvalidInput(f"line {number} of the export cannot be read: {why}", remedy="export again from the source")


def _payload_to_json(payload: bytes | None) -> tuple[Any, bytes | None]:
    if payload is None:
        return msgspec.UNSET, None
    try:
        value = _to_json(_decode_payload(payload))
        if _encode_payload(_from_json(value)) == payload:
            return value, None
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        pass
    return msgspec.UNSET, payload


def _payload_from_json(line: _Line) -> bytes | None:
    if line.payload is not msgspec.UNSET:
        return _encode_payload(_from_json(line.payload))
    return line.raw


def _to_json(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, bytes):
        return {"$b64": b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: _to_json(item) for key, item in value.items()}
        return {"$map": [[_to_json(key), _to_json(item)] for key, item in value.items()]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _from_json(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$b64": str(text)}:
            return b64decode(text, validate=True)
        case {"$float": str(text)}:
            return _FLOATS[text]
        case {"$map": list(pairs)}:
            return {_from_json(key): _from_json(item) for key, item in pairs}
        case _:
            return {key: _from_json(item) for key, item in value.items()}
