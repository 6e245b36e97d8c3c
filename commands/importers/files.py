"""Reading a source's files: bytes, lines and the facts that go into provenance."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from ...errors import InvalidInput, NotFound
from ...eventlog.events import Provenance, SourceKind, Span
from .gather import Gatherer, printable

TEXT_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
QUOTE_LIMIT = 2000
"""A longer slice of a source is not quoted; its span says where it is."""

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_EOL = re.compile(r"(\r\n|\r|\n)")
_SKIPPED_FOLDERS = frozenset({"node_modules"})


class FileFacts(msgspec.Struct, frozen=True):
    """What identifies a file that was read: its name within the source, digest, mtime (UTC ns) and address."""

    label: str
    digest: str
    mtime: int
    uri: str | None

    def provenance(
        self, kind: SourceKind, *, span: Span | None = None, quote: str | None = None, session_id: str | None = None
    ) -> Provenance:
        """Where a text of this file came from."""
        return Provenance(
            kind=kind,
            file=self.label,
            file_hash=self.digest,
            file_mtime=self.mtime,
            uri=self.uri,
            span=span,
            quote=quote,
            session_id=session_id,
        )


class TextFile(msgspec.Struct, frozen=True):
    """A file's lines without their ends, and the byte each begins at."""

    facts: FileFacts
    data: bytes
    lines: tuple[str, ...]
    starts: tuple[int, ...]

    def span(self, first: int, last: int) -> Span:
        """Lines `first` to `last` (from 0, inclusive) without the white space around them."""
        head, tail = self.lines[first], self.lines[last].rstrip(" \t")
        return Span(
            line_from=first + 1,
            line_to=last + 1,
            byte_from=self.starts[first] + len(head) - len(head.lstrip(" \t")),
            byte_to=self.starts[last] + len(tail.encode("utf-8", "surrogateescape")),
        )

    def quote(self, span: Span) -> str | None:
        """The exact source of `span`; None when it is too long to quote or no valid text."""
        raw = self.data[span.byte_from : span.byte_to].decode("utf-8", "replace")
        exact = printable(raw) == raw.replace("\r\n", "\n").replace("\r", "\n")
        return raw if exact and len(raw) <= QUOTE_LIMIT else None


def read_file(path: Path, label: str) -> tuple[bytes, FileFacts]:
    """A regular file's bytes and facts.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: It is no file, or cannot be read.
    """
    status = status_of(path)
    data = read_head(path)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    uri = path.as_uri() if path.is_absolute() else None
    return data, FileFacts(label=printable(label), digest=digest, mtime=status.st_mtime_ns, uri=uri)


def read_head(path: Path, limit: int = -1) -> bytes:
    """The first `limit` bytes of a regular file (default: all of it).

    Raises:
        NotFound, InvalidInput: As `read_file`.
    """
    if not stat.S_ISREG(status_of(path).st_mode):
        raise InvalidInput(f"{printable(str(path))} is not a file", remedy="name a file, or another kind of source")
    with _reading(path), path.open("rb") as stream:
        return stream.read(limit)


def status_of(path: Path) -> os.stat_result:
    """What the file system says of `path`.

    Raises:
        NotFound: There is nothing.
        InvalidInput: It cannot be reached.
    """
    with _reading(path):
        return path.stat()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    shown = printable(str(path))
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"there is no {shown}", remedy="check the path") from error
    except OSError as error:
        raise InvalidInput(f"{shown} cannot be read: {error.strerror}", remedy="check its permissions") from error


def read_text(path: Path, label: str, *, damaged: Literal["refuse", "escape"] = "refuse") -> TextFile:
    """A UTF-8 file by lines.

    `damaged` says what becomes of bytes that are no UTF-8: the file is refused, or they are escaped (as lone
    surrogates) for the reader to replace.

    Raises:
        NotFound, InvalidInput: As `read_file`; InvalidInput too for binary files and other encodings.
    """
    data, facts = read_file(path, label)
    if damaged == "refuse":
        _check_text(data, facts.label)
    text = data.decode("utf-8", "surrogateescape")
    start = 0
    if text.startswith(_BOM):
        text, start = text[1:], 3
    parts = _EOL.split(text)
    starts = []
    for line, end in zip(parts[::2], [*parts[1::2], ""], strict=True):
        starts.append(start)
        start += len(line.encode("utf-8", "surrogateescape")) + len(end)
    return TextFile(facts=facts, data=data, lines=tuple(parts[::2]), starts=tuple(starts))


def _check_text(data: bytes, label: str) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{label} is UTF-16", remedy="save it as UTF-8 and import again")
    if b"\0" in data:
        raise InvalidInput(f"{label} is a binary file", remedy="name a text file")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{label}:{line} is not UTF-8",
            remedy="convert the file (for example `iconv -f latin1 -t utf-8`) and import again",
        ) from error


def parse_json(text: str) -> object:
    """The value of a JSON text; None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def text_files(path: Path, out: Gatherer) -> Iterator[TextFile]:
    """The text file `path`, or every text file below the folder `path` in order of name.

    Below a folder, hidden names, `node_modules` and symbolic links are passed over, and a file that cannot be
    read becomes a warning. Links are not followed: one inside the folder would repeat its target, one that
    leads out would import what nobody asked for.

    Raises:
        NotFound, InvalidInput: `path` itself cannot be read.
    """
    if not path.is_dir():
        yield read_text(path, path.name)
        return
    found = False
    for file in _walk(path, out):
        found = True
        try:
            yield read_text(file, file.relative_to(path).as_posix())
        except (InvalidInput, NotFound) as error:
            out.warn(f"left out: {error}")
    if not found:
        out.warn(f"no file in {path} ends in {', '.join(sorted(TEXT_SUFFIXES))}")


def _walk(root: Path, out: Gatherer) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        out.warn(f"left out: {error.filename} cannot be read: {error.strerror}")

    for folder, folders, files in os.walk(root, onerror=unreadable):
        folders[:] = sorted(x for x in folders if not x.startswith(".") and x not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            file = Path(folder, name)
            if name.startswith(".") or file.suffix.lower() not in TEXT_SUFFIXES:
                continue
            if file.is_symlink():
                out.warn(f"left out: {file.relative_to(root).as_posix()} is a symbolic link")
            else:
                yield file
