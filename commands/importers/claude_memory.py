"""Notes from a memory folder of Claude Code: one a topic file, and what `MEMORY.md` says beyond its index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from .files import TextFile, text_files
from .frontmatter import FrontMatter, read_front_matter
from .gather import Gatherer, source_key
from .markdown import file_notes
from .note import LinkNote, Note, Source
from .when import parse_time

INDEX = "MEMORY.md"

_TYPES = ("user", "feedback", "project", "reference")
_KINDS = {"feedback": "preference", "reference": "reference"}
# What a person asked for is never merged into a similar text (kept under this tag; see docs/decisions).
_PROTECTING = {"feedback": ("user-preference",)}
_INDEX_LINE = re.compile(r"\[([^\[\]\n]+)\]\((?:\./)?([^()\s]+)\)[^\n]*$")
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]")
_SHOWN = 5


def read_claude_memory(path: Path) -> Source:
    """The notes of the memory folder `path`, of the folder that the index `path` stands in, or of one topic file.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: `path` is a file that is no UTF-8 text; in a folder such files become warnings.
    """
    folder = path.parent if path.name == INDEX else path
    out = Gatherer("claude")
    files = {file.facts.label: (file, read_front_matter(file.lines)) for file in text_files(folder, out)}
    index = files.pop(INDEX, None)
    titles = _index(index[0].lines if index else ())
    topics = {label.rsplit(".", 1)[0]: topic for label, topic in files.items() if memory_type(topic[1])}
    for file, front in files.values():
        notes = [_note(file, front, titles, out)] if memory_type(front) else file_notes(file, front, out)
        for note in notes:
            if note is not None:
                out.add(note)
    for note in file_notes(*index, out) if index else ():
        if not _is_index_line(note, files, out):
            out.add(note)
    _add_links(topics, out)
    return out.source()


def memory_type(front: FrontMatter) -> str | None:
    """user, feedback, project or reference; None for front matter that is not a memory's."""
    given = front.text("metadata.type", "type")
    if given in _TYPES:
        return given
    return "project" if front.text("name") and front.text("description") else None


def _index(lines: Sequence[str]) -> dict[str, str]:
    """Title by file, as the index lines give it."""
    return {found[2]: found[1] for line in lines if (found := _INDEX_LINE.search(line))}


def _is_index_line(note: Note, files: dict[str, tuple[TextFile, FrontMatter]], out: Gatherer) -> bool:
    """Whether a block of the index only leads to a file that was read."""
    found = _INDEX_LINE.match(note.text)
    if found is None:
        return False
    if found[2] not in files and found[2].endswith(".md"):
        out.warn(f"{note.local_id}: {found[2]} is not there; the line itself was kept as a memory")
    return found[2] in files


def _note(file: TextFile, front: FrontMatter, titles: dict[str, str], out: Gatherer) -> Note | None:
    """A topic file as one note: its body, under its description."""
    label, name, description = file.facts.label, front.text("name"), front.text("description")
    written = [i for i in range(front.body, len(file.lines)) if file.lines[i].strip()]
    span = file.span(written[0], written[-1]) if written else None
    text = out.text("\n".join(file.lines[front.body :]) if written else description or "", label)
    if not text:
        out.warn(f"left out: {label} says nothing")
        return None
    session = front.text("metadata.originSessionId", "originSessionId")
    stem, kind = label.rsplit(".", 1)[0], memory_type(front) or ""
    title = description if description and written else name or titles.get(label) or stem
    date = _modified(front, label, out)
    return Note(
        text=text,
        title=out.title([title], label),
        kind=_KINDS.get(kind, "fact"),
        tags=out.tags((kind, *_PROTECTING.get(kind, ()), *front.words("tags")), label),
        metadata={key: out.text(value, label) for key in ("name", "description") if (value := front.text(key))},
        provenance=file.facts.provenance(
            "file",
            span=span,
            quote=file.quote(span) if span else None,
            session_id=session and out.text(session, label),
        ),
        observed_at=parse_time(date) if date else None,
        temporal_text=date,
        source_key=source_key(out.name, stem, text),
        local_id=stem,
    )


def _modified(front: FrontMatter, label: str, out: Gatherer) -> str | None:
    raw = front.text("metadata.modified", "modified", "date", "created")
    if raw is None or parse_time(raw) is not None:
        return raw and out.text(raw, label)
    out.warn(f"{label}: `{raw}` is no ISO 8601 time and was passed over")
    return None


def _add_links(topics: dict[str, tuple[TextFile, FrontMatter]], out: Gatherer) -> None:
    """A `relates_to` for every [[name]] outside code that some topic goes by."""
    known = {name: stem for stem, (_, front) in topics.items() for name in _names(stem, front)}
    unknown: list[str] = []
    for stem, (file, front) in topics.items():
        body = _CODE.sub("", "\n".join(file.lines[front.body :]))
        for name in dict.fromkeys(x.strip().removesuffix(".md") for x in _LINK.findall(body)):
            target = known.get(name.casefold())
            if target is None:
                unknown.append(name)
            elif target != stem:
                out.link(LinkNote(source_local=stem, target_local=target, relation="relates_to"))
    if unknown:
        shown = ", ".join(f"[[{name}]]" for name in unknown[:_SHOWN])
        out.warn(f"{len(unknown)} links lead to no memory of this folder: {shown}")


def _names(stem: str, front: FrontMatter) -> Iterator[str]:
    """What a link may call a topic: its file, with or without folder, or its name."""
    for name in (stem.rsplit("/", 1)[-1], stem, front.text("name")):
        if name:
            yield name.strip().casefold()
