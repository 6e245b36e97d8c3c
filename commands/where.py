"""Where a store is: --store, else HELIX_STORE, else the nearest `.helix` upwards, else the user's data folder.

Upwards means from the working folder to the root of the file system, and then
the folder that all worktrees of a git repository share, so that they share a
store as well. A `.helix` folder of another system (it has a helix.db, but no
helixlog.json) is passed over, and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..errors import (
    Corrupted,
    HelixlogError,
    InvalidInput,
    NewerFormat,
    OutOfSpace,
    StorageError,
    StoreMissing,
    StoreReadOnly,
)
from ..eventlog.record import FORMAT

MARK = "helixlog.json"
LOCAL = ".helix"
OWN = (MARK, "log", "projections", "secret")
"""A store's own files and folders; half-made ones have `.new` in their names."""


class Place(NamedTuple):
    """A store's folder, how it was found, and folders of another system that were passed over."""

    folder: Path
    found_by: str
    passed_over: tuple[Path, ...] = ()


class Mark(msgspec.Struct, frozen=True):
    """What `helixlog.json` says."""

    format: int
    store_id: str


def find(store: str | Path | None, *, environ: Mapping[str, str], start: Path) -> Place:
    """The store's place; it need not exist.

    Raises:
        InvalidInput: What names it is blank or no path.
    """
    if store is not None:
        return Place(_folder(store, "--store"), "--store")
    named = environ.get("HELIX_STORE")
    if named:
        return Place(_folder(named, "HELIX_STORE"), "HELIX_STORE")
    passed: list[Path] = []
    for folder in _upwards(start):
        local = folder / LOCAL
        if (local / MARK).is_file():
            return Place(local, f"nearest {LOCAL}", tuple(passed))
        if (local / "helix.db").is_file():
            passed.append(local)
    data = environ.get("XDG_DATA_HOME") or str(Path(environ.get("HOME", "~")).expanduser() / ".local" / "share")
    return Place(Path(data) / "helixlog", "data folder", tuple(passed))


def _folder(store: str | Path, name: str) -> Path:
    if not str(store).strip() or "\0" in str(store):
        raise InvalidInput(f"{name} {str(store)!r} names no folder", remedy="give the path of a store's folder")
    try:
        return Path(store).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{name} {store}: {error}", remedy="give the path of a store's folder") from None


def _upwards(start: Path) -> list[Path]:
    folders = [start, *start.parents]
    for folder in folders:
        pointer = folder / ".git"
        if pointer.is_file():
            shared = _common_dir(pointer)
            if shared is not None:
                folders.append(shared.parent)
            break
    return folders


def _common_dir(pointer: Path) -> Path | None:
    """The git folder that a worktree shares with its repository."""
    try:
        line = pointer.read_text(encoding="utf-8").strip()
        folder = (pointer.parent / line.removeprefix("gitdir:").strip()).resolve()
        common = (folder / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return (folder / common).resolve()


def read_mark(folder: Path) -> Mark | None:
    """The store's mark, or None where there is no store.

    Raises:
        StorageError: The mark may not be read.
        Corrupted: It says nothing sensible.
        NewerFormat: A newer release made the store.
    """
    path = folder / MARK
    try:
        mark = msgspec.json.decode(path.read_bytes(), type=Mark)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise StorageError(
            f"{path} cannot be read: {error.strerror}", remedy="see whose store it is, and who may read it"
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise Corrupted(f"{path}: {error}", remedy="restore the file from a backup of the store") from error
    if mark.format > FORMAT:
        raise NewerFormat(
            f"{folder} has format {mark.format}, this release reads up to {FORMAT}",
            remedy="upgrade with `pip install -U helixlog`",
        )
    return mark


def write_mark(folder: Path, mark: Mark) -> None:
    """Mark a folder as a store, and keep it out of version control unless it holds other things as well.

    Raises:
        StoreReadOnly, OutOfSpace: The folder cannot be written.
    """
    from ..eventlog.layout import put_file

    try:
        ignore = folder / ".gitignore"
        own = folder.name == LOCAL or all(one.name in OWN or ".new" in one.name for one in folder.iterdir())
        if own and not ignore.exists():
            put_file(ignore, b"*\n")
        put_file(folder / MARK, msgspec.json.encode(mark) + b"\n")
    except OSError as error:
        raise _refused(error, f"{folder} cannot be written") from error


def check_folder(folder: Path) -> None:
    """Refuse to make a store where something else is.

    Raises:
        InvalidInput: The path is a file.
        StoreReadOnly, OutOfSpace: The folder cannot be made.
    """
    from ..eventlog.layout import make_folder

    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file", remedy="name a folder with --store")
    try:
        make_folder(folder)
    except OSError as error:
        raise _refused(error, f"{folder} cannot be made") from error


def _refused(error: OSError, what: str) -> HelixlogError:
    from ..eventlog.mapping import from_os

    mapped = from_os(error, what)
    if isinstance(mapped, OutOfSpace):
        return mapped
    return StoreReadOnly(f"{what}: {error.strerror}", remedy="choose a folder you may write with --store")


def no_store(folder: Path) -> StoreMissing:
    """The error of a command that needs a store where there is none."""
    remedy = "make one with `helix init`, or name another with --store"
    return StoreMissing(f"there is no store at {folder}", remedy=remedy)
