"""Notes from markdown and plain text: one a paragraph or top-level list item, titled by the headings above."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...eventlog.events import Metadata
from .blocks import Block, split_blocks
from .files import TextFile, text_files
from .frontmatter import FrontMatter, read_front_matter
from .gather import Gatherer, source_key
from .note import Note, Source
from .when import leading_date, parse_time

_KIND = re.compile(r"[a-z][a-z0-9_-]{0,39}$")
_DATES = ("date", "created", "modified")


def read_markdown(path: Path) -> Source:
    """The notes of a file, or of every .md, .markdown and .txt file below a folder.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: `path` is a file that is no UTF-8 text; below a folder such files become warnings.
    """
    out = Gatherer("markdown")
    for file in text_files(path, out):
        for note in file_notes(file, read_front_matter(file.lines), out):
            out.add(note)
    return out.source()


def file_notes(file: TextFile, front: FrontMatter, out: Gatherer) -> Iterator[Note]:
    """One note a block of `file`, with what its front matter says of all of them."""
    label = file.facts.label
    title = front.text("title")
    kind = front.text("type")
    tags = out.tags((x.removeprefix("#") for x in front.words("tags")), label)
    expires_at = _expiry(front, label, out)
    file_date = _file_date(front, label, out)
    for block in split_blocks(file.lines, front.body):
        where = f"{label}:{block.first + 1}"
        text = out.text(block.text, where)
        date = _heading_date(block) or file_date
        span = file.span(block.first, block.last)
        yield Note(
            text=text,
            title=_title(title, block, where, out),
            kind=kind if kind and _KIND.match(kind) else "fact",
            tags=tags,
            metadata=_checkbox(block),
            provenance=file.facts.provenance("file", span=span, quote=file.quote(span)),
            observed_at=parse_time(date) if date else None,
            temporal_text=date,
            expires_at=expires_at,
            source_key=source_key(out.name, label, *block.headings, text),
            local_id=where,
        )


def _title(root: str | None, block: Block, where: str, out: Gatherer) -> str | None:
    path = block.headings if root in {None, *block.headings[:1]} else (root, *block.headings)
    return out.title([x for x in path if x], where)


def _checkbox(block: Block) -> Metadata:
    return {} if block.checked is None else {"checked": block.checked}


def _heading_date(block: Block) -> str | None:
    """The date that the nearest dated heading above begins with."""
    return next((date for text in reversed(block.headings) if (date := leading_date(text))), None)


def _file_date(front: FrontMatter, label: str, out: Gatherer) -> str | None:
    """What the front matter says, else the date the file's name begins with."""
    for key in _DATES:
        if (raw := front.text(key)) is None:
            continue
        if parse_time(raw) is not None:
            return out.text(raw, label)
        out.warn(f"{label}: `{key}: {raw}` is no ISO 8601 time and was passed over")
    return leading_date(PurePosixPath(label).name)


def _expiry(front: FrontMatter, label: str, out: Gatherer) -> int | None:
    raw = front.text("expires")
    expires_at = parse_time(raw, edge="end") if raw else None
    if raw and expires_at is None:
        out.warn(f"{label}: `expires: {raw}` is no ISO 8601 time and was passed over")
    return expires_at
