"""Making a store and opening its log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..constants import Constants
from ..embedding import load
from ..errors import Conflict
from ..eventlog.events import StoreCreated
from ..eventlog.ids import new_id
from ..eventlog.lmdb_log import LmdbLog, exists
from ..eventlog.record import FORMAT
from .screening import Screen
from .where import Mark, check_folder, no_store, read_mark, write_mark

if TYPE_CHECKING:
    from ..embedding.protocol import Embedder
    from .opened import Clock

DEFAULT_EMBEDDER = "minilm"
NO_EMBEDDER = "none"


def open_log(
    folder: Path,
    *,
    create: bool,
    read_only: bool,
    embedder: str | Embedder | None,
    clock: Clock,
    owner: str | None = None,
    api_key: str | None = None,
) -> LmdbLog:
    """The log of a store, made first if that is wanted.

    Raises:
        StoreMissing: There is no store.
        Corrupted, NewerFormat: It cannot be read.
    """
    if read_mark(folder) is None:
        if exists(folder):
            return _marked(folder, LmdbLog.open(folder, read_only=read_only))
        if not create:
            raise no_store(folder)
        try:
            return create_log(folder, embedder=embedder, clock=clock, owner=owner, api_key=api_key)
        except Conflict:
            pass  # Another process made it just now.
    return LmdbLog.open(folder, read_only=read_only)


def _marked(folder: Path, log: LmdbLog) -> LmdbLog:
    """A log whose store was not marked: its making was broken off just before that."""
    genesis = log.get(1).event
    if isinstance(genesis, StoreCreated) and log.writable:
        write_mark(folder, Mark(format=FORMAT, store_id=genesis.store_id))
    return log


def create_log(
    folder: Path,
    *,
    embedder: str | Embedder | None,
    clock: Clock,
    owner: str | None = None,
    api_key: str | None = None,
) -> LmdbLog:
    """Make a store.

    Raises:
        Conflict: There is one.
        InvalidInput, EmbedderUnavailable: The embedder cannot be had.
        StoreReadOnly, OutOfSpace: The folder cannot be written.
    """
    check_folder(folder)
    now = clock()
    store_id = new_id(now, os.urandom)
    genesis = _genesis(store_id, embedder, owner, api_key)
    refused = Screen().event(genesis)
    if refused is not None:
        raise refused.error()
    log = LmdbLog.create(folder, genesis, clock=now)
    write_mark(folder, Mark(format=FORMAT, store_id=store_id))
    return log


def _genesis(store_id: str, embedder: str | Embedder | None, owner: str | None, api_key: str | None) -> StoreCreated:
    constants = Constants()
    chosen = DEFAULT_EMBEDDER if embedder is None else embedder
    if chosen == NO_EMBEDDER:
        return StoreCreated(
            store_id=store_id, tenant=store_id, format=FORMAT, constants=constants.as_dict(), owner=owner
        )
    loaded = load(chosen, api_key=api_key) if isinstance(chosen, str) else chosen
    return StoreCreated(
        store_id=store_id,
        tenant=store_id,
        format=FORMAT,
        constants=constants.with_thresholds(loaded.identity.fingerprint, loaded.thresholds).as_dict(),
        owner=owner,
        fingerprint=loaded.identity.fingerprint,
        embedder=msgspec.to_builtins(loaded.identity),
    )
