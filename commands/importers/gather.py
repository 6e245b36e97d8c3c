"""Collecting notes under the rules all readers share: valid text, unique keys, links with both ends."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from ..checks import LONGEST_NAME, LONGEST_TEXT
from .note import LinkNote, Note, Source

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
TITLE_SEPARATOR = " > "
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

# Tab and newline are text; other control characters, and halves of surrogate pairs, are not.
_INVALID = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_NEWLINE = re.compile(r"\r\n?")


def printable(text: str) -> str:
    """`text` with newlines as LF and U+FFFD for each control character and lone surrogate."""
    return _INVALID.sub(REPLACEMENT, _NEWLINE.sub("\n", text))


def source_key(source: str, *parts: str) -> str:
    """A stable key for `parts` of a source, in which no two different lists of parts meet."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return f"{source}:{digest.hexdigest()}"


class Gatherer:
    """The notes, links and warnings of one source while it is being read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._notes: dict[str, Note] = {}
        self._links: dict[tuple[str, str, str], LinkNote] = {}
        self._warnings: list[str] = []
        self._repeated = 0

    def warn(self, message: str) -> None:
        """Tell the person importing about something that was left out or altered."""
        self._warnings.append(printable(message))

    def text(self, raw: str, where: str) -> str:
        """`raw` made valid and stripped; says so when a character had to be replaced."""
        clean = printable(raw)
        if _INVALID.search(_NEWLINE.sub("\n", raw)):
            self.warn(f"{where}: control characters or broken Unicode were replaced by {REPLACEMENT}")
        return clean.strip()

    def title(self, path: Sequence[str], where: str) -> str | None:
        """One line naming a place, outermost first; a long one keeps its inner end."""
        parts = [" ".join(self.text(part, where).split()) for part in path]
        while len(parts) > 1 and len(TITLE_SEPARATOR.join(parts)) > LONGEST_NAME:
            parts = parts[1:]
        title = TITLE_SEPARATOR.join(parts)
        return (title if len(title) <= LONGEST_NAME else title[: LONGEST_NAME - 1] + _ELLIPSIS) or None

    def tags(self, raw: Iterable[str], where: str) -> tuple[str, ...]:
        """Valid, non-blank tags on one line, each once, in order."""
        kept = dict.fromkeys(tag for item in raw if (tag := " ".join(self.text(item, where).split())))
        if too_long := [tag for tag in kept if len(tag) > LONGEST_NAME]:
            self.warn(f"{where}: {len(too_long)} tags are longer than {LONGEST_NAME} characters and were left out")
        return tuple(tag for tag in kept if tag not in too_long)

    def add(self, note: Note) -> None:
        """Take a note; one whose text stood in the same place before adds nothing."""
        size = len(note.text.encode())
        if size > LONGEST_TEXT:
            place = f"{note.provenance.file}, {note.local_id}"
            self.warn(f"left out: {place} has {size:,} bytes, more than {LONGEST_TEXT:,}; split it and import again")
        elif note.source_key in self._notes:
            self._repeated += 1
        else:
            self._notes[note.source_key] = note

    def link(self, link: LinkNote) -> None:
        """Take a link; a repeated one adds nothing."""
        self._links.setdefault((link.source_local, link.target_local, link.relation), link)

    def source(self, sessions: tuple[dict[str, str | None], ...] = ()) -> Source:
        """What was gathered."""
        known = {note.local_id for note in self._notes.values()}
        links = tuple(x for x in self._links.values() if {x.source_local, x.target_local} <= known)
        if dangling := len(self._links) - len(links):
            self.warn(f"{dangling} links lead to memories that are not in this source and were left out")
        if self._repeated:
            self.warn(f"{self._repeated} notes repeat an earlier one of the same place and were left out")
        return Source(
            name=self.name,
            notes=tuple(self._notes.values()),
            links=links,
            warnings=tuple(self._warnings),
            sessions=sessions,
        )
