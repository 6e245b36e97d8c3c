"""Telling what kind of source a path is, by what is in it, and opening it."""

from __future__ import annotations

import stat
from pathlib import Path

from ...errors import InvalidInput
from .claude_memory import INDEX, memory_type, read_claude_memory
from .files import TEXT_SUFFIXES, parse_json, read_head, status_of
from .frontmatter import read_front_matter
from .gather import printable
from .helix_db import DATABASE, MAGIC, read_helix_db
from .markdown import read_markdown
from .mcp_memory import is_record, read_mcp_memory
from .note import Source

HELIXLOG = "helixlog"
"""Our own export; it is replayed, not read as notes."""

_READERS = {
    "markdown": read_markdown,
    "claude": read_claude_memory,
    "mcp": read_mcp_memory,
    "helix-db": read_helix_db,
}
KINDS = (HELIXLOG, *_READERS)
"""Every kind of source."""

_HEAD = 1 << 20
_HEAD_LINES = 40
_STORE_MARK = "helixlog.json"


def detect(path: Path) -> str:
    """The kind of source at `path`, one of `KINDS`.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: It is none of them.
    """
    return _folder_kind(path) if stat.S_ISDIR(status_of(path).st_mode) else _file_kind(path)


def open_source(path: Path, kind: str | None = None) -> Source:
    """Everything at `path`, read as `kind` (default: what it looks like).

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: `kind` is unknown, or the source is malformed.
    """
    if kind is not None and kind not in KINDS:
        raise InvalidInput(f"there is no kind of source `{kind}`", remedy=f"use one of {', '.join(KINDS)}")
    status_of(path)
    kind = kind or detect(path)
    if kind == HELIXLOG:
        raise InvalidInput(f"{path.name} is an export of Helixlog", remedy="merge it, instead of reading it as notes")
    return _READERS[kind](path)


def _folder_kind(path: Path) -> str:
    if (path / _STORE_MARK).is_file():
        raise InvalidInput(f"{printable(str(path))} is a store", remedy="export it, and import the export")
    if (path / DATABASE).is_file():
        return "helix-db"
    return "claude" if _is_claude_memory(path) else "markdown"


def _is_claude_memory(folder: Path) -> bool:
    """Whether an index lies in `folder`, alone or with memories beside it."""
    if not (folder / INDEX).is_file():
        return False
    beside = [x for x in sorted(folder.glob("*.md")) if x.name != INDEX and x.is_file()]
    return not beside or any(_is_memory(x) for x in beside)


def _is_memory(file: Path) -> bool:
    lines = read_head(file, _HEAD).decode("utf-8-sig", "replace").splitlines()[:_HEAD_LINES]
    return memory_type(read_front_matter(lines)) is not None


def _file_kind(path: Path) -> str:
    data = read_head(path, _HEAD)
    if data.startswith(MAGIC):
        return "helix-db"
    kind = _json_kind(data)
    if kind is None and len(data) == _HEAD:
        kind = _json_kind(read_head(path))
    if kind:
        return kind
    if path.name == INDEX and _is_claude_memory(path.parent):
        return "claude"
    if path.suffix.lower() in TEXT_SUFFIXES:
        return "markdown"
    raise InvalidInput(
        f"{printable(path.name)} is no source that can be recognised", remedy=f"name its kind: {', '.join(KINDS)}"
    )


def _json_kind(data: bytes) -> str | None:
    """The kind of a JSON file, by its first object that has one."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    text = data.decode("utf-8-sig", "replace")
    for part in (*text.split("\n", _HEAD_LINES)[:_HEAD_LINES], text):
        value = parse_json(part)
        if isinstance(value, dict) and is_own_header(value):
            return HELIXLOG
        if is_record(value):
            return "mcp"
    return None


def is_own_header(value: dict[str, object]) -> bool:
    """Whether a JSON object is the first line of an export of Helixlog."""
    mark = value.get("format")
    return isinstance(mark, str) and mark.startswith(HELIXLOG)
