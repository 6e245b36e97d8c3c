r"""Immutable generations: how a projection lives on disk.

A generation is a small manifest that names a checkpoint and, in order,
immutable segments: folders of files, each a range of the log. `CURRENT` names
the manifest. Publishing writes new segments, a new manifest and, last, renames
a new `CURRENT` into place; until then the old generation is what readers see,
so a crash at any point leaves it valid.

    <root>/<name>-v<version>/
        CURRENT                  "manifest-00000007.json <blake2b of its bytes>\n"
        manifest-00000007.json   Manifest
        00000006-0/              a segment, first published by generation 6
        00000007-0/ ...
        lock                     held by the one publisher

Readers never lock. The manifest that was current before, and its segments, are
kept for readers that have just read the pointer; older ones are deleted, and so
is what earlier versions of the projection have left.

Everything here is a cache of the log. `load` checks every byte of every file
before any of it is used, and answers None when something is missing or wrong;
the caller then folds the log again. Large arrays are checked by word sums at
the speed of memory (`word_checksum` says what they catch); small files and all
that native loaders will parse are checked by BLAKE2b.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import io
import mmap
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import escape
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..errors import Corrupted, OutOfSpace, StorageError
from .projection import Checkpoint

Array = NDArray[Any]
Meta = dict[str, str | int | float | bool | None]
TreeWriter = Callable[[Path], None]

_POINTER = "CURRENT"
_LOCK = "lock"
_PRIVATE, _PRIVATE_FOLDER = 0o600, 0o700
_ROW_WORDS = 512
_ROW_BYTES = 8 * _ROW_WORDS
_BLOCK_ROWS = 256
_MAPPED_FROM = 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}
_REBUILD = "delete the projection's folder; it is rebuilt from the log"


class File(msgspec.Struct, frozen=True):
    """A file of a segment: its size in bytes and `<algorithm>:<hex>`."""

    size: int
    checksum: str


class Segment(msgspec.Struct, frozen=True):
    """An immutable folder that covers the events `first_seq` to `last_seq`, both included."""

    folder: str
    first_seq: int
    last_seq: int
    meta: Meta
    files: dict[str, File]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A generation: what it is a projection of, how far it goes, and its segments in order."""

    projection: str
    version: int
    number: int
    seq: int
    chain: str
    constants: str
    segments: tuple[Segment, ...]

    @property
    def checkpoint(self) -> Checkpoint:
        """The point of the log this generation is the fold of; whether the log agrees is the caller's to judge."""
        return Checkpoint(seq=self.seq, chain=bytes.fromhex(self.chain), constants=self.constants)


class Generations:
    """The generations of one projection; one object serves one thread at a time.

    Args:
        root: Folder of all projections. It need not exist.
        name: The projection's name; a plain folder name.
        version: The projection's version; another version is another folder.
    """

    def __init__(self, root: Path, name: str, version: int) -> None:
        self.path = root / f"{name}-v{version}"
        self.name = name
        self.version = version
        self.problem: str | None = None
        self._pointer = ""
        self._manifest: Manifest | None = None
        self._open: dict[tuple[str, str, File], NDArray[np.uint8]] = {}

    def twin(self) -> Generations:
        """Another reader of the same place, which need not check again what this one has checked."""
        other = Generations(self.path.parent, self.name, self.version)
        other._open = dict(self._open)
        return other

    def earlier(self) -> list[Path]:
        """The folders of earlier versions of this projection."""
        versions = {path: path.name[len(self.name) + 2 :] for path in self.path.parent.glob(f"{escape(self.name)}-v*")}
        return [path for path, number in versions.items() if number.isdecimal() and int(number) < self.version]

    def load(self) -> Manifest | None:
        """The current generation, every file of it checked, or None with the reason in `problem`.

        Files this object has checked before are not read again. `problem` is None after a success and when
        there is simply no generation.
        """
        while True:
            pointer = self._read_pointer()
            try:
                manifest = self._load(pointer) if pointer else None
                self.problem = None
            except (_DamagedError, OSError) as error:
                # Two publications since the pointer was read may have deleted what it named.
                if self._read_pointer() != pointer:
                    continue
                manifest, self.problem = None, str(error)
            if manifest is None:
                self._open = {}
            self._pointer, self._manifest = pointer, manifest
            return manifest

    def load_of(self, constants: str, chain_at: Callable[[int], bytes | None]) -> Manifest | None:
        """`load`, where that is a generation under these constants (their digest) and of this log.

        `chain_at` gives the log's chain digest at a seq, None past its head.
        """
        manifest = self.load()
        if manifest is None or manifest.constants != constants:
            return None
        return manifest if chain_at(manifest.seq) == manifest.checkpoint.chain else None

    def glance(self) -> Manifest | None:
        """The current manifest, of whose segments no file was looked at; None where there is none that can be read."""
        with contextlib.suppress(_DamagedError, OSError):
            return self._read_manifest(self._read_pointer())
        return None

    def changed(self) -> bool:
        """Whether another generation than the loaded one is current now; costs one small read."""
        return self._read_pointer() != self._pointer

    def array(self, segment: Segment, file: str) -> Array:
        """A read-only array over the file's memory map; shape and dtype are the file's own.

        Raises:
            Corrupted: The file is missing, not as written, or no array.
        """
        data = self._checked(segment, f"{file}.npy")
        try:
            return _as_array(data)
        except ValueError as error:
            raise Corrupted(f"{self.path / segment.folder / file}.npy: {error}", remedy=_REBUILD) from error

    def read(self, segment: Segment, file: str) -> bytes:
        """The bytes of a blob.

        Raises:
            Corrupted: The file is missing or not as written.
        """
        return self._checked(segment, file).tobytes()

    def folder(self, segment: Segment) -> Path:
        """Where the segment's files are, for native loaders; `load` has checked them."""
        return self.path / segment.folder

    def intact(self) -> bool:
        """Whether what is mapped still has its checksums; ask before copying it into a new segment."""
        return all(
            self._uncut(folder, name, file) and _checksum_like(file.checksum, data) == file.checksum
            for (folder, name, file), data in self._open.items()
            if "/" not in name
        )

    def _uncut(self, folder: str, name: str, file: File) -> bool:
        """A map of a file that was cut short kills the process that reads it; a deleted file's map lives on."""
        try:
            return (self.path / folder / name).stat().st_size == file.size
        except FileNotFoundError:
            return True

    @contextlib.contextmanager
    def publishing(self, timeout: float = 0) -> Iterator[Publisher | None]:
        """The right to publish, for the length of the block.

        Args:
            timeout: Seconds to wait for another publisher; 0 does not wait.

        Yields:
            A publisher, or None when another thread or process holds the lock or the folder cannot be written.
        """
        descriptor = self._lock(timeout)
        try:
            yield None if descriptor is None else Publisher(self)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _read_pointer(self) -> str:
        try:
            return (self.path / _POINTER).read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"unreadable: {error}"

    def _load(self, pointer: str) -> Manifest:
        manifest = self._read_manifest(pointer)
        self._open = {
            (segment.folder, name, file): self._verify(segment, name, file)
            for segment in manifest.segments
            for name, file in segment.files.items()
        }
        return manifest

    def _read_manifest(self, pointer: str) -> Manifest:
        name, _, digest = pointer.rstrip("\n").partition(" ")
        if not name.startswith("manifest-") or "/" in name or not digest:
            raise _DamagedError(f"{self.path / _POINTER} is garbled")
        data = (self.path / name).read_bytes()
        if _blake2b(data) != digest:
            raise _DamagedError(f"{self.path / name} is not what {_POINTER} names")
        try:
            manifest = msgspec.json.decode(data, type=Manifest)
        except msgspec.DecodeError as error:
            raise _DamagedError(f"{self.path / name}: {error}") from error
        if (manifest.projection, manifest.version) != (self.name, self.version):
            raise _DamagedError(f"{self.path} holds {manifest.projection}-v{manifest.version}")
        return manifest

    def _verify(self, segment: Segment, name: str, file: File) -> NDArray[np.uint8]:
        known = self._open.get((segment.folder, name, file))
        if known is not None:
            return known
        path = self.path / segment.folder / name
        data = _map(path)
        if len(data) != file.size:
            raise _DamagedError(f"{path} has {len(data):,} bytes instead of {file.size:,}")
        if _checksum_like(file.checksum, data) != file.checksum:
            raise _DamagedError(f"{path} does not have its checksum")
        # Files in sub-folders are read by native loaders, by path; nothing of them is kept here.
        return data if "/" not in name else data[:0].copy()

    def _checked(self, segment: Segment, name: str) -> NDArray[np.uint8]:
        file = segment.files.get(name)
        if file is None:
            raise Corrupted(f"{self.path / segment.folder} has no {name}", remedy=_REBUILD)
        try:
            data = self._verify(segment, name, file)
        except (_DamagedError, OSError) as error:
            raise Corrupted(str(error), remedy=_REBUILD) from error
        return self._open.setdefault((segment.folder, name, file), data)

    def _lock(self, timeout: float) -> int | None:
        deadline = time.monotonic() + timeout
        path = self.path / _LOCK
        while True:
            try:
                self.path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
                self.path.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
            except OSError as error:
                if error.errno in _UNWRITABLE:
                    return None
                raise _mapped(error) from error
            if _locked(descriptor, path):
                return descriptor
            os.close(descriptor)
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.005)


class Publisher:
    """Writes the next generation; get one from `Generations.publishing`.

    A segment counts only once a commit names it. Whatever a crash or an abandoned block leaves behind is deleted by
    a later commit.
    """

    def __init__(self, generations: Generations) -> None:
        self._home = generations
        self._number = 1 + max(_numbers(generations.path), default=0)
        self._written = 0

    def segment(
        self,
        arrays: Mapping[str, Array | Sequence[Array]],
        blobs: Mapping[str, bytes],
        *,
        first_seq: int,
        last_seq: int,
        meta: Meta,
        trees: Mapping[str, TreeWriter] | None = None,
    ) -> Segment:
        """Write and sync a new segment.

        Args:
            arrays: By file name without suffix; a sequence of pieces is concatenated along the first axis, without a
                copy in memory.
            blobs: By file name.
            first_seq: First event covered.
            last_seq: Last event covered.
            meta: Small facts kept in the manifest.
            trees: By sub-folder name, what fills the (existing, empty) sub-folder; its files are checked by BLAKE2b.

        Raises:
            OutOfSpace: The disk or a quota is full.
            StorageError: The folder cannot be written.
        """
        folder = f"{self._number:08d}-{self._written}"
        path = self._home.path / folder
        self._written += 1
        with _mapping_errors():
            path.mkdir(mode=_PRIVATE_FOLDER)
            for name, array in arrays.items():
                _write_array(path / f"{name}.npy", [array] if isinstance(array, np.ndarray) else array)
            for name, data in blobs.items():
                _write(path / name, data)
            for name, fill in (trees or {}).items():
                (path / name).mkdir(mode=_PRIVATE_FOLDER)
                fill(path / name)
            files = {str(file.relative_to(path)): file for file in sorted(path.rglob("*")) if file.is_file()}
            for place in (*files.values(), *(p for p in path.rglob("*") if p.is_dir()), path):
                place.chmod(_PRIVATE_FOLDER if place.is_dir() else _PRIVATE)
                _sync(place)
            names = {f"{name}.npy" for name in arrays}
            described = {name: _describe(file, array=name in names) for name, file in files.items()}
        return Segment(folder=folder, first_seq=first_seq, last_seq=last_seq, meta=meta, files=described)

    def commit(self, checkpoint: Checkpoint, segments: Sequence[Segment]) -> Manifest:
        """Make these segments, old or new, the current generation; then delete what no reader needs.

        Raises:
            OutOfSpace: The disk or a quota is full.
            StorageError: The folder cannot be written.
        """
        home = self._home
        manifest = Manifest(
            projection=home.name,
            version=home.version,
            number=self._number,
            seq=checkpoint.seq,
            chain=checkpoint.chain.hex(),
            constants=checkpoint.constants,
            segments=tuple(segments),
        )
        data = msgspec.json.format(msgspec.json.encode(manifest))
        name = f"manifest-{self._number:08d}.json"
        with _mapping_errors():
            previous = home._read_pointer()  # noqa: SLF001 - the publisher is the other half of its generations
            _replace(home.path / name, data)
            _replace(home.path / _POINTER, f"{name} {_blake2b(data)}\n".encode())
        with contextlib.suppress(OSError):
            self._sweep(manifest, previous)
        self._number += 1
        self._written = 0
        return manifest

    def _sweep(self, manifest: Manifest, previous: str) -> None:
        """Delete what is not of this generation or the one before it, and what earlier versions have left."""
        kept = {_POINTER, _LOCK, f"manifest-{self._number:08d}.json", previous.partition(" ")[0]}
        kept.update(segment.folder for segment in manifest.segments)
        with contextlib.suppress(_DamagedError, OSError):
            kept.update(s.folder for s in self._home._read_manifest(previous).segments)  # noqa: SLF001
        for path in self._home.path.iterdir():
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        for path in self._home.earlier():
            shutil.rmtree(path, ignore_errors=True)


def merge_plan(sizes: Sequence[int], new: int) -> int:
    """How many of the leading segments stay when a segment of size `new` is added.

    Those after them are merged with the new one into a single segment: neighbours merge when the right reaches
    half of the left. So there are O(log n) segments, and each row is copied O(log n) times.
    """
    kept = len(sizes)
    while kept and 2 * new >= sizes[kept - 1]:
        kept -= 1
        new += sizes[kept]
    return kept


def word_checksum(data: NDArray[np.uint8]) -> str:
    """Sums of 64-bit words over the rows and columns of a grid, hashed: about 8 GB/s.

    The bytes are laid out as rows of 512 words (4 KiB), in blocks of 256 rows. BLAKE2b covers, in order, the sum
    (modulo 2**64) of every row, the sums of every column of each block, the bytes after the last whole row and the
    length.

    Certain to be noticed: any word whose change is the only one in its row, or in its column of its block; so every
    change within one row of 4 KiB, and any cut or added tail. Rows or blocks that trade places, move or become zero
    are noticed unless their sums happen to be equal (for data that is not constructed so, 1 in 2**64). Not noticed:
    changes whose sums cancel along rows and columns at once, as when one number is added at two opposite corners of
    a rectangle and subtracted at the others. It guards against accidents, not against forgery.
    """
    hashed = blake2b(digest_size=16)
    rows = len(data) // _ROW_BYTES
    words = data[: rows * _ROW_BYTES].view(np.uint64).reshape(rows, _ROW_WORDS)
    for start in range(0, rows, _BLOCK_ROWS):
        block = words[start : start + _BLOCK_ROWS]
        hashed.update(block.sum(axis=1))
        hashed.update(block.sum(axis=0))
    hashed.update(data[rows * _ROW_BYTES :].tobytes())
    hashed.update(len(data).to_bytes(8, "little"))
    return hashed.hexdigest()


class _DamagedError(Exception):
    """A file is not what its manifest says; becomes `Generations.problem`."""


def _blake2b(data: bytes | memoryview) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _checksum_like(checksum: str, data: NDArray[np.uint8]) -> str:
    algorithm = checksum.partition(":")[0]
    return f"{algorithm}:{word_checksum(data) if algorithm == 'words' else _blake2b(data.data)}"


def _describe(path: Path, *, array: bool) -> File:
    size = path.stat().st_size
    if array and size >= _MAPPED_FROM:
        return File(size, f"words:{word_checksum(_map(path))}")
    with path.open("rb") as file:
        return File(size, f"blake2b:{file_digest(file, functools.partial(blake2b, digest_size=16)).hexdigest()}")


def _map(path: Path) -> NDArray[np.uint8]:
    """The file's bytes: mapped when large, so that a matrix is never copied into memory."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < _MAPPED_FROM:
            return np.frombuffer(file.read(), np.uint8)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


def _as_array(data: NDArray[np.uint8]) -> Array:
    """The array inside the bytes of an .npy file, without copying it.

    Raises:
        ValueError: The bytes are not those of one plain array.
    """
    head = io.BytesIO(data[:4096].tobytes())
    if np.lib.format.read_magic(head) != (1, 0):
        raise ValueError("an array file of another version")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(head)
    body = data[head.tell() :]
    if fortran or dtype.hasobject or body.nbytes != dtype.itemsize * int(np.prod(shape, dtype=np.int64)):
        raise ValueError("shape and size of the array disagree")
    return body.view(dtype).reshape(shape)


def _write_array(path: Path, pieces: Sequence[Array]) -> None:
    first = pieces[0]
    header = {
        "descr": np.lib.format.dtype_to_descr(first.dtype),
        "fortran_order": False,
        "shape": (sum(len(piece) for piece in pieces), *first.shape[1:]),
    }
    with path.open("xb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for piece in pieces:
            if (piece.dtype, piece.shape[1:]) != (first.dtype, first.shape[1:]):
                raise ValueError("the pieces of an array differ in dtype or shape")
            file.write(np.ascontiguousarray(piece).data)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        os.fchmod(file.fileno(), _PRIVATE)
        file.write(data)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace(path: Path, data: bytes) -> None:
    """Put a file in place so that after a crash it is there whole or not at all."""
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.unlink(missing_ok=True)
    _write(temporary, data)
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _locked(descriptor: int, path: Path) -> bool:
    """Whether we now hold the lock and the lock is still the file at `path`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _numbers(path: Path) -> Iterator[int]:
    """The generation numbers that names in the folder have used."""
    for entry in path.iterdir():
        digits = entry.name.removeprefix("manifest-")[:8]
        if digits.isdecimal():
            yield int(digits)


def _mapped(error: OSError) -> StorageError:
    if error.errno in _FULL:
        return OutOfSpace(f"no room for a projection: {error}", remedy="free some space; the log is unharmed")
    return StorageError(
        f"a projection cannot be written: {error}", remedy="check the store's folder; the log is unharmed"
    )


@contextlib.contextmanager
def _mapping_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _mapped(error) from error
