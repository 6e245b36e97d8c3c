"""The bytes of `Evidence.near`: the nearest earlier texts as the writer measured them.

    0        4        8   9
    +--------+--------+---+--------+--------+---+ ...
    | seq    | cosine | g | seq    | cosine | g |
    +--------+--------+---+--------+--------+---+ ...
     uint32   float32  uint8                           little-endian, nearest first

`seq` is the sequence number of the earlier `memory_stored` event, `cosine` the
canonical cosine, `g` the guard byte (0 when no guard forbids a merge).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput

EVIDENCE_LIMIT = 32
"""Entries an event keeps at most."""

ENTRY = np.dtype([("seq", "<u4"), ("cosine", "<f4"), ("guard", "u1")])
"""One entry; unpacked arrays have this dtype."""

assert ENTRY.itemsize == 9  # noqa: S101 - the drawing above, checked when the module is read


def pack(seqs: ArrayLike, cosines: ArrayLike, guards: ArrayLike) -> bytes:
    """Pack entries, nearest first.

    Args:
        seqs: Sequence numbers from 1, below 2**32.
        cosines: Canonical cosines in [-1, 1], falling.
        guards: Guard bytes, 0 to 255.

    Raises:
        InvalidInput: More than `EVIDENCE_LIMIT` entries, unequal lengths, or a value out of range.
    """
    wide_seqs, wide_cosines, wide_guards = (
        np.asarray(seqs, np.int64),
        np.asarray(cosines, np.float64),
        np.asarray(guards),
    )
    if not (wide_seqs.shape == wide_cosines.shape == wide_guards.shape and wide_seqs.ndim == 1):
        raise _bad("lists of unequal length")
    if len(wide_seqs) > EVIDENCE_LIMIT:
        raise _bad(f"{len(wide_seqs)} entries, more than {EVIDENCE_LIMIT}")
    ranges = ((wide_seqs, 1, 2**32 - 1), (wide_cosines, -1, 1), (wide_guards, 0, 255))
    if not all(((low <= values) & (values <= high)).all() for values, low, high in ranges):
        raise _bad("a value out of range")
    if (np.diff(wide_cosines) > 0).any():
        raise _bad("entries that are not nearest first")
    entries = np.empty(len(wide_seqs), ENTRY)
    entries["seq"], entries["cosine"], entries["guard"] = wide_seqs, wide_cosines, wide_guards
    return entries.tobytes()


def unpack(near: bytes) -> NDArray[np.void]:
    """The entries of one event as a read-only array of dtype `ENTRY`.

    Raises:
        InvalidInput: The length is not a whole number of entries.
    """
    return unpack_many([near])[0]


def unpack_many(nears: Sequence[bytes]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The entries of many events, at once.

    Returns:
        All entries, and offsets of shape (events + 1,): those of event i are `entries[offsets[i]:offsets[i + 1]]`.

    Raises:
        InvalidInput: A length is not a whole number of entries.
    """
    sizes = np.fromiter((len(near) for near in nears), np.int64, len(nears))
    if (sizes % ENTRY.itemsize).any():
        raise _bad("a length that is no multiple of nine bytes")
    offsets = np.zeros(len(nears) + 1, np.int64)
    np.cumsum(sizes // ENTRY.itemsize, out=offsets[1:])
    return np.frombuffer(b"".join(nears), ENTRY), offsets


def _bad(what: str) -> InvalidInput:
    return InvalidInput(f"evidence with {what}", remedy="measure the text again; its evidence is a cache")
