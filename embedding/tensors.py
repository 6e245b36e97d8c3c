"""Named arrays in one file, memory-mapped: the safetensors format, read and written by hand.

    | 8 bytes            | N bytes                                          | data        |
    | N, little-endian   | JSON: {name: {dtype, shape, data_offsets}, ...}  | raw arrays  |

Mapping the file makes loading free and keeps pages that no text needs out of
memory. The header is padded with spaces so that the data starts at a multiple
of 64 bytes; the writer's bytes depend on names, order and values only.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderUnavailable

_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I8": np.dtype("i1"), "I64": np.dtype("<i8")}
_ALIGNMENT = 64

_REMEDY = "install helixlog again, its files are not complete"


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read-only arrays by name, in the file's order; nothing is read before it is used.

    Raises:
        EmbedderUnavailable: The file is missing, cut short or no safetensors file.
    """
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(f"cannot read the weights {path}: {error}", remedy=_REMEDY) from error
    start = 8 + int.from_bytes(content[:8], "little")
    try:
        entries = msgspec.json.decode(content[8:start], type=dict[str, Any])
        entries.pop("__metadata__", None)
        return {
            name: _array(content, start, msgspec.convert(entry, _Entry, strict=False))
            for name, entry in entries.items()
        }
    except (msgspec.MsgspecError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(f"the weights {path} are damaged: {error}", remedy=_REMEDY) from error


def _array(content: mmap.mmap, start: int, entry: _Entry) -> NDArray[Any]:
    begin, end = entry.data_offsets
    dtype = _DTYPES[entry.dtype]
    flat = np.frombuffer(content, dtype=dtype, count=(end - begin) // dtype.itemsize, offset=start + begin)
    return flat.reshape(entry.shape)


def write_tensors(path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    """Write `tensors` in the order given; equal input makes equal bytes."""
    names = {dtype: name for name, dtype in _DTYPES.items()}
    header: dict[str, _Entry] = {}
    offset = 0
    for name, tensor in tensors.items():
        header[name] = _Entry(names[tensor.dtype], list(tensor.shape), (offset, offset + tensor.nbytes))
        offset += tensor.nbytes
    text = msgspec.json.encode(header)
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor).tobytes())
