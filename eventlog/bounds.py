"""Bounds of the numbers in events: refused where an event enters a log, by an append or an import.

Reading takes what is there. A number that got in before there were bounds must
not make a store unreadable, so folds bring it into bounds.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2_000_000_000)]
Weight = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]


class _Sure(msgspec.Struct, frozen=True):
    confidence: Share | None = None


class _Known(msgspec.Struct, frozen=True):
    effectiveness: Share = 0.0
    uses: Count = 0
    hits: Count = 0


class _Stored(msgspec.Struct, frozen=True):
    prior: _Known | None = None
    salience: Share | None = None
    entities: tuple[_Sure, ...] = ()
    categories: tuple[_Sure, ...] = ()
    relations: tuple[_Sure, ...] = ()
    provenance: _Sure = _Sure()


class _Annotated(msgspec.Struct, frozen=True):
    salience: Share | None = None
    add_entities: tuple[_Sure, ...] = ()
    add_categories: tuple[_Sure, ...] = ()


class _Linked(msgspec.Struct, frozen=True):
    weight: Weight = 1.0


_DECODERS: dict[str, msgspec.msgpack.Decoder[object]] = {
    "memory_stored": msgspec.msgpack.Decoder(_Stored),
    "memory_annotated": msgspec.msgpack.Decoder(_Annotated),
    "memories_linked": msgspec.msgpack.Decoder(_Linked),
}
"""By type, readers of the fields that have bounds; they pass over all others."""


def check_bounds(tag: str, payload: bytes) -> None:
    """Refuse a payload that holds a number out of bounds.

    Raises:
        msgspec.ValidationError: It does; its field is named.
    """
    decoder = _DECODERS.get(tag)
    if decoder is not None:
        decoder.decode(payload)
