"""What an LMDB file holds, read page by page and without LMDB: nothing in it can harm the reader.

    page   0     8     10     12     14     16
           | no  | pad | flags | lower | upper | pointers u16 .. free .. nodes |
    large  | no  | pad | flags | pages u32     | value over as many pages      |
    node   | size lo u16 | size hi u16 | flags u16 | key size u16 | key | value, or the number of a large page u64 |
    meta   page head, then magic u32, version u32, address u64, size of the map u64, page size u32 ...

Integers are little-endian (file format 1 of LMDB 0.9). Every page is taken for
a leaf, also those that no root leads to any more, so what a damaged tree has
lost is found as long as its page is there. What is found proves nothing: its
reader checks it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

HEAD = struct.Struct("<QHHHH")
NODE = struct.Struct("<HHHH")
META = struct.Struct("<IIQQI")
assert (HEAD.size, NODE.size, META.size) == (16, 8, 28)  # noqa: S101 - the diagram above, held at import

_MAGIC = 0xBEEFC0DE
_LARGE = 1
_PAGE_SIZES = (4096, 8192, 16384, 32768, 65536)
_MOST = 1 << 29
"""Bytes of the largest value that is believed in."""


def page_size(path: Path) -> int:
    """The page size of a file: what one of its two meta pages says, else LMDB's usual one."""
    with path.open("rb") as file:
        for size in _PAGE_SIZES:
            for place in (0, size):
                file.seek(place + HEAD.size)
                raw = file.read(META.size)
                if len(raw) == META.size:
                    magic, _version, _address, _map, said = META.unpack(raw)
                    if magic == _MAGIC and said in _PAGE_SIZES:
                        return int(said)
    return _PAGE_SIZES[0]


def entries(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Every key and value in the pages of a file, in the order of the pages; many are there more than once."""
    size = page_size(path)
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        for place in range(0, end, size):
            page = os.pread(file.fileno(), size, place)
            yield from _leaf(page, file.fileno(), size)


def _leaf(page: bytes, descriptor: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """The entries of a page, as far as it can be one of them."""
    if len(page) < HEAD.size:
        return
    _number, _pad, _flags, lower, _upper = HEAD.unpack_from(page)
    if not HEAD.size < lower <= len(page) or lower % 2:
        return
    for (start,) in struct.iter_unpack("<H", page[HEAD.size : lower]):
        if not lower <= start <= len(page) - NODE.size:
            continue
        low, high, flags, key_size = NODE.unpack_from(page, start)
        body, length = start + NODE.size + key_size, low | high << 16
        key = page[start + NODE.size : body]
        value = page[body : body + length]
        if flags & _LARGE:
            value = _large(page[body : body + 8], length, descriptor, size)
        if len(key) == key_size and len(value) == length:
            yield key, value


def _large(number: bytes, length: int, descriptor: int, size: int) -> bytes:
    place = int.from_bytes(number, "little") * size + HEAD.size
    return os.pread(descriptor, length, place) if length <= _MOST and place < 1 << 62 else b""
