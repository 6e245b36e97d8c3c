"""`init`: make a store, or say what one is."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..embedding import available, load
from ..errors import Conflict, Corrupted
from ..eventlog.events import StoreCreated
from ..eventlog.lmdb_log import LmdbLog
from .creating import NO_EMBEDDER, create_log
from .opened import OpenStore
from .where import find, read_mark

if TYPE_CHECKING:
    from ..embedding.protocol import Embedder
    from .opened import Clock


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """A store: its folder and id, its embedder by name and fingerprint (null for none), and whether it is new."""

    store: str
    store_id: str
    embedder: str | None
    fingerprint: str | None
    created: bool


def init(
    path: str | Path | None = None,
    *,
    embedder: str | Embedder | None = None,
    owner: str | None = None,
    clock: Clock = time.time_ns,
    api_key: str | None = None,
) -> Initialised:
    """Make a store; where there is one already, leave it as it is and describe it.

    Args:
        path: The store's folder; found as the command line finds it if not given.
        embedder: Name of an embedder, or one of your own; "minilm" if not given, "none" for none.
        owner: Name of the owner.
        clock: Gives UTC nanoseconds.
        api_key: For embedders behind an API.

    Raises:
        Conflict: There is a store with another embedder or owner.
        InvalidInput, EmbedderUnavailable: The embedder cannot be had, or the path is a file.
        StoreReadOnly, OutOfSpace: The folder cannot be written.
        Corrupted, NewerFormat: There is a store that cannot be read.
    """
    folder = find(path, environ=os.environ, start=Path.cwd()).folder
    log, created = _log(folder, embedder, owner, clock, api_key)
    store = OpenStore(folder, log, clock=clock)
    try:
        genesis = log.get(1).event
        if not isinstance(genesis, StoreCreated):
            raise Corrupted(
                f"the log of {folder} does not begin with a genesis", remedy="restore a backup of the store"
            )
        fingerprint = store.view().beliefs.fingerprint
        if not created:
            asked = fingerprint if embedder is None else fingerprint_of(embedder, api_key=api_key)
            _check(folder, genesis, fingerprint, asked, owner)
    finally:
        store.close()
    return Initialised(
        store=str(folder),
        store_id=genesis.store_id,
        embedder=embedder_name(fingerprint),
        fingerprint=fingerprint,
        created=created,
    )


def _log(
    folder: Path, embedder: str | Embedder | None, owner: str | None, clock: Clock, api_key: str | None
) -> tuple[LmdbLog, bool]:
    """The store's log, and whether it was made just now."""
    if read_mark(folder) is None:
        try:
            return create_log(folder, embedder=embedder, clock=clock, owner=owner, api_key=api_key), True
        except Conflict:
            pass  # Another process made it just now.
    return LmdbLog.open(folder), False


def _check(folder: Path, genesis: StoreCreated, fingerprint: str | None, asked: str | None, owner: str | None) -> None:
    """Refuse to pass off a store as another.

    Raises:
        Conflict: It has another embedder or owner.
    """
    if owner is not None and owner != genesis.owner:
        raise Conflict(
            f"the store at {folder} belongs to {genesis.owner or 'an owner without a name'}",
            remedy="leave --owner out, or name another folder with --store",
        )
    if asked != fingerprint:
        raise Conflict(
            f"the store at {folder} has the embedder {fingerprint or NO_EMBEDDER}, not {asked or NO_EMBEDDER}",
            remedy="leave --embedder out, or change the store with `helix reembed`",
        )


def fingerprint_of(embedder: str | Embedder, *, api_key: str | None = None) -> str | None:
    """The fingerprint of an embedder; None for "none". One whose identity is known beforehand is not loaded.

    Raises:
        InvalidInput, EmbedderUnavailable: It cannot be had.
    """
    if not isinstance(embedder, str):
        return embedder.identity.fingerprint
    if embedder == NO_EMBEDDER:
        return None
    known = {one.name: one.fingerprint for one in available()}
    return known.get(embedder) or load(embedder, api_key=api_key).identity.fingerprint


def embedder_name(fingerprint: str | None) -> str | None:
    """The name of the embedder with a fingerprint, which ends in a digest."""
    return None if fingerprint is None else fingerprint.rpartition("-")[0]
