"""`import`: bring memories over from files, other systems, and exports of other stores."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..errors import ReadOnlyView
from ..eventlog.backup import backup as copy_log
from ..eventlog.events import (
    Endpoint,
    Event,
    MemoriesLinked,
    MemoryStored,
    Scope,
    SessionArchived,
)
from ..eventlog.lmdb_log import LmdbLog
from . import checks
from .importers import HELIXLOG, LinkNote, Note, Source, detect, open_source
from .importers.when import parse_time
from .intake import MARK, Further, Incoming, Intake, Progress, Rejected
from .projections import FOLDER
from .rebuild import build_graph

if TYPE_CHECKING:
    from .opened import OpenStore

WITHHELD = "a warning is withheld, since it would repeat what may not be shown to a model"
LARGE = 1_000
"""Texts from which an import publishes the projections before it answers."""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did, or with `dry_run` would do.

    `source` is the kind it was read as. Texts are added, merged, reinforced, or skipped where an earlier import brought
    them; `linked` counts edges, `further` other events (sessions, supersessions and the like). `rejected` says where
    something stands that was left out, since it may not be shown to a model again.
    """

    source: str
    added: int
    merged: int
    reinforced: int
    skipped: int
    linked: int
    further: int
    warnings: tuple[str, ...]
    dry_run: bool
    rejected: tuple[Rejected, ...] = ()


class Batch(NamedTuple):
    """Everything one source brings, in the order it is taken in."""

    source: str
    texts: Sequence[Incoming]
    links: Sequence[Further]
    further: Sequence[Further]
    warnings: tuple[str, ...]
    file: str = ""


def import_(
    self: OpenStore,
    path: str | Path,
    *,
    kind: str | None = None,
    dry_run: bool = False,
    user: str | None = None,
    project: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    container: str | None = None,
    shared: bool = False,
    tags: Sequence[str] = (),
    progress: Progress | None = None,
) -> Imported:
    """Take in markdown, Claude Code's or the MCP server's memory, the original helix's database, or an export.

    Importing again brings what is new and repeats nothing. An export of another store is merged: its memories get new
    ids and are recorded now, with what they had learned, their relations, supersessions and links. To make the same
    store from an export, use `restore_export` where there is none yet. What may not be shown to a model again is left
    out, and the answer says where it stands.

    Args:
        self: The store.
        path: A file or folder.
        kind: markdown, claude, mcp, helix-db or helixlog; told from the content if not given.
        dry_run: Do it on a copy and say what would come of it.
        user: Whose the memories are; the owner's if not given. Of an export, as they were there.
        project: See `store`; of an export, as it was there if not given, as for all that follow.
        session: See `store`.
        agent: See `store`.
        container: See `store`.
        shared: See `store`.
        tags: Tags for all of them, besides their own.
        progress: See `Progress`.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: It cannot be read; nothing was stored.
        Corrupted: An export is damaged; nothing was stored.
    """
    path, own = Path(path), checks.check_names(tags, what="tag")
    if self.at is not None:
        raise ReadOnlyView(f"this view is of @{self.at.seq} and cannot be written", remedy="write to the live memory")
    given = {"user": user, "project": project, "session": session, "agent": agent, "container": container}
    names: dict[str, Any] = {
        name: None if value is None else checks.check_name(value, what=name) for name, value in given.items()
    }
    checks.check_flag(dry_run, what="dry_run")
    scope = Scope(**names, visibility="shared" if checks.check_flag(shared, what="shared") else "private")
    if kind is None:
        kind = detect(path)
    if kind == HELIXLOG:
        from .merging import exported

        batch = exported(self, path, scope, own)._replace(file=path.name)
    else:
        batch = _noted(self, open_source(path, kind), scope, own)._replace(file=path.name)
    return _rehearse(self, batch, progress) if dry_run else _take_in(self, batch, progress, dry_run=False)


def _take_in(self: OpenStore, batch: Batch, progress: Progress | None, *, dry_run: bool) -> Imported:
    intake = Intake(self, batch.file)
    intake.texts(batch.texts, progress)
    linked = intake.further(batch.links)
    further = intake.further(batch.further)
    intake.finish()
    if len(batch.texts) - intake.counts["skipped"] >= LARGE and not dry_run:
        catalog = self.catalog
        if catalog.publish(lasting=True):
            build_graph(self, catalog)
    return Imported(
        source=batch.source,
        linked=linked,
        further=further,
        warnings=tuple(self.screen.shown(one, WITHHELD) for one in batch.warnings),
        dry_run=dry_run,
        rejected=tuple(intake.rejected),
        **intake.counts,
    )


def _rehearse(self: OpenStore, batch: Batch, progress: Progress | None) -> Imported:
    """The import, done to a copy of the store that is thrown away."""
    from .opened import OpenStore as Opened

    with tempfile.TemporaryDirectory(prefix="helixlog-") as folder:
        copy = Path(folder) / "store"
        copy_log(self.eventlog, copy)
        if (self.folder / FOLDER).is_dir():
            shutil.copytree(self.folder / FOLDER, copy / FOLDER, ignore=shutil.ignore_patterns("lock"))
        with LmdbLog.open(copy) as log:
            allow = tuple(self.screen.allow)
            rehearsal = Opened(copy, log, clock=self.clock, embedder=self._named, api_key=self._api_key, allow=allow)
            return _take_in(rehearsal, batch, progress, dry_run=True)


# -- notes ---------------------------------------------------------------------


def _noted(self: OpenStore, source: Source, scope: Scope, tags: tuple[str, ...]) -> Batch:
    """What a reader found, as it is taken in."""
    said = self.stamp()
    keys = {note.local_id: note.source_key for note in source.notes}
    links = [_link(self, link, keys, scope) for link in source.links]
    return Batch(
        source=source.name,
        texts=[_incoming(note, scope, tags, said) for note in source.notes],
        links=links,
        further=list(_sessions(source)),
        warnings=source.warnings,
    )


def _incoming(note: Note, scope: Scope, tags: tuple[str, ...], said: Mapping[str, Any]) -> Incoming:
    fields: dict[str, Any] = {
        name: getattr(note, name)
        for name in MemoryStored.__struct_fields__
        if name in Note.__struct_fields__ and name != "tags"
    }
    united = tuple(dict.fromkeys((*note.tags, *tags)))
    stamp: dict[str, Any] = {**said, "key": MARK + note.source_key}
    return Incoming(note.local_id, MemoryStored(**stamp, **fields, tags=united, scope=scope))


def _link(self: OpenStore, link: LinkNote, keys: Mapping[str, str], scope: Scope) -> Further:
    def make(ids: Mapping[str, str]) -> Event | None:
        if link.source_local not in ids or link.target_local not in ids:
            return None
        return MemoriesLinked(
            **self.stamp(),
            source=Endpoint(id=ids[link.source_local]),
            target=Endpoint(id=ids[link.target_local]),
            relation=link.relation,
            weight=link.weight,
            reason=link.reason,
        )

    place = [scope.visibility, scope.user or "", scope.project or ""]
    return Further(make, digest("link", *place, keys[link.source_local], keys[link.target_local], link.relation))


def _sessions(source: Source) -> Iterator[Further]:
    for row in source.sessions:
        said = {name: value for name, value in row.items() if value is not None and name != "id"}
        event = SessionArchived(
            actor="import",
            agent_id=said.get("agent_id"),
            task_id=said.get("task_id"),
            agent_type=said.get("agent_type"),
            outcome=said.get("outcome"),
            summary=said.get("summary"),
            transcript_hash=said.get("transcript_hash"),
        )
        created = said.get("created_at")
        time = parse_time(created) if created else None
        key = digest("session", source.name, *(part for item in sorted(said.items()) for part in item))
        yield Further(_as_is(event), key, time if time is None or time >= 0 else None)


def _as_is(event: Event) -> Callable[[Mapping[str, str]], Event]:
    return lambda _: event


def digest(*parts: str) -> str:
    """A short name of several strings in which no two lists meet."""
    hashed = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data) + data)
    return f"{parts[0]}:{hashed.hexdigest()}"
