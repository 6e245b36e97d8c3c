"""What a process did to the files of a folder, in order; paths are relative to it."""

from __future__ import annotations

import msgspec


class Write(msgspec.Struct, frozen=True):
    """Bytes put at an offset of an open file; `durable` when the call returns (O_DSYNC)."""

    file: int
    offset: int
    data: bytes
    durable: bool = False


class Resize(msgspec.Struct, frozen=True):
    """A file cut or grown to a size."""

    file: int
    size: int


class Sync(msgspec.Struct, frozen=True):
    """What was written to an open file, or the entries of an open folder, made durable."""

    file: int


class Enter(msgspec.Struct, frozen=True):
    """A path opened, the file made by it or not; later operations name it by `file`."""

    file: int
    path: str
    made: bool
    cut: bool


class Folder(msgspec.Struct, frozen=True):
    """A folder made."""

    path: str


class Remove(msgspec.Struct, frozen=True):
    """A name taken away."""

    path: str


class Rename(msgspec.Struct, frozen=True):
    """A name moved over another, or given a second one (`kept`)."""

    old: str
    new: str
    kept: bool = False


class Said(msgspec.Struct, frozen=True):
    """A line on standard output."""

    line: str


Operation = Write | Resize | Sync | Enter | Folder | Remove | Rename | Said
