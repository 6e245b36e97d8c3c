"""Notes from the SQLite database of the original helix: its insights with what they had earned, and their edges."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ...errors import InvalidInput
from ...eventlog.events import Metadata, Prior
from .files import FileFacts, parse_json, read_file
from .gather import Gatherer, printable, source_key
from .note import LinkNote, Note, Source
from .when import parse_time

DATABASE = "helix.db"
MAGIC = b"SQLite format 3\0"

_EXTRAS = ("last_used", "last_feedback_at", "recent_uses", "context_spread")
_NEUTRAL = 0.5
_COUNT_LIMIT = 2**53

Row = dict[str, object]


def read_helix_db(path: Path) -> Source:
    """The notes of a `helix.db`, or of the one in the folder `path`; the file is not altered.

    Columns that an older schema lacks are taken as unknown. Sessions are handed over beside the notes.

    Raises:
        NotFound: There is no database.
        InvalidInput: It is damaged, in use, or not helix's.
    """
    file = path / DATABASE if path.is_dir() else path
    data, facts = read_file(file, file.name)
    if not data.startswith(MAGIC):
        raise InvalidInput(f"{facts.label} is no SQLite database", remedy="name the helix.db in a .helix folder")
    out = Gatherer("helix-db")
    insights, edges, sessions = _tables(file)
    for row in insights:
        if note := _note(row, facts, out):
            out.add(note)
    for row in edges:
        _add_link(row, facts.label, out)
    if sessions:
        out.warn(f"{len(sessions)} archived sessions are no memories and were not imported as such")
    return out.source(tuple(_session(row) for row in sessions))


def _tables(file: Path) -> tuple[list[Row], list[Row], list[Row]]:
    # Reading in WAL mode leaves files beside a database that has none; without a log `immutable` is as good, so
    # long as nobody writes meanwhile, which is checked.
    wal = file.with_name(file.name + "-wal")
    pending = wal.exists() and wal.stat().st_size > 0
    before = file.stat().st_mtime_ns
    uri = f"{file.absolute().as_uri()}?mode=ro{'' if pending else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as database:
            database.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            database.execute("BEGIN")
            insights, edges, sessions = (list(_rows(database, x)) for x in ("insight", "insight_edges", "session_log"))
            known = _columns(database, "insight")
    except (sqlite3.Error, UnicodeError) as error:  # a message or a column's name may quote bytes that are no UTF-8
        raise InvalidInput(
            f"{file.name} cannot be read: {error}",
            remedy="end running helix sessions, make its folder writable, or restore it",
        ) from error
    if not {"id", "content"} <= set(known):
        raise InvalidInput(
            f"{file.name} has no table of insights", remedy="name a database of helix, schema 5 or later"
        )
    if not pending and (file.stat().st_mtime_ns != before or (wal.exists() and wal.stat().st_size > 0)):
        raise InvalidInput(f"{file.name} was written to while it was read", remedy="import again")
    return insights, edges, sessions


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")]


def _rows(database: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Every row of `table`, oldest first; none when there is no such table."""
    names = [x for x in _columns(database, table) if x not in {"embedding", "context_centroid"}]
    if names:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        query = f"SELECT {quoted} FROM {table} ORDER BY rowid"  # noqa: S608 - the database's own names, quoted
        for row in database.execute(query):
            yield dict(zip(names, row, strict=True))


def _note(row: Row, facts: FileFacts, out: Gatherer) -> Note | None:
    where = f"{facts.label}, insight {row['id']}"
    content = row.get("content")
    text = out.text(content, where) if isinstance(content, str) else ""
    if not text:
        out.warn(f"left out: {where} has no text")
        return None
    name = out.text(str(row.get("name") or row["id"]), where)
    created = _time(row, "created_at", where, out)
    return Note(
        text=text,
        tags=_tags(row.get("tags"), where, out),
        metadata=_metadata(row, name, where, out),
        provenance=facts.provenance("import"),
        prior=_prior(row, where, out),
        observed_at=parse_time(created) if created else None,
        temporal_text=created,
        source_key=source_key(out.name, name, text),
        local_id=str(row["id"]),
    )


def _prior(row: Row, where: str, out: Gatherer) -> Prior:
    raw = row.get("effectiveness")
    effectiveness = float(raw) if isinstance(raw, (int, float)) else _NEUTRAL
    kept = min(1.0, max(0.0, effectiveness))
    uses = _count(row.get("use_count"))
    # Before schema 6 every use was a hit, because nothing else was counted.
    hits = _count(row["causal_hits"]) if "causal_hits" in row else uses
    if kept != effectiveness or hits > uses:
        out.warn(f"{where}: effectiveness {effectiveness:g} and {hits} hits of {uses} uses were brought into range")
    return Prior(effectiveness=kept, uses=uses, hits=min(hits, uses))


def _count(raw: object) -> int:
    return int(min(max(raw, 0), _COUNT_LIMIT)) if isinstance(raw, (int, float)) else 0


def _tags(raw: object, where: str, out: Gatherer) -> tuple[str, ...]:
    tags = parse_json(raw) if isinstance(raw, str) and raw.strip() else []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        out.warn(f"{where}: its tags are no list of texts and were left out")
        return ()
    return out.tags(tags, where)


def _metadata(row: Row, name: str, where: str, out: Gatherer) -> Metadata:
    kept: Metadata = {"name": name}
    for key in _EXTRAS:
        value = row.get(key)
        if isinstance(value, (int, float)) and math.isfinite(value):
            kept[key] = value
        elif isinstance(value, str) and (text := out.text(value, where)):
            kept[key] = text
    return kept


def _time(row: Row, key: str, where: str, out: Gatherer) -> str | None:
    raw = row.get(key)
    if isinstance(raw, str) and parse_time(raw) is not None:
        return out.text(raw, where)
    if raw is not None:
        out.warn(f"{where}: {key} is no ISO 8601 time and was passed over")
    return None


def _add_link(row: Row, label: str, out: Gatherer) -> None:
    source, target, weight = row.get("src_id"), row.get("dst_id"), row.get("weight", 1.0)
    relation = row.get("relation") or "similar"
    if not isinstance(weight, (int, float)) or weight <= 0 or not isinstance(relation, str) or source == target:
        out.warn(f"{label}: the edge from {source} to {target} leads nowhere or weighs nothing and was left out")
        return
    out.link(
        LinkNote(
            source_local=str(source),
            target_local=str(target),
            relation=out.text(relation, label),
            weight=min(1.0, float(weight)),
        )
    )


def _session(row: Row) -> dict[str, str | None]:
    return {key: None if value is None else printable(str(value)) for key, value in row.items()}
