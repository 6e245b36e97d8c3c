"""Provenance: where a text comes from, filled in from what the caller says and the file it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from typing import get_args

from ..errors import InvalidInput, NotFound
from ..eventlog.events import Provenance, SourceKind, Span
from . import checks

KINDS: tuple[str, ...] = get_args(SourceKind)
WORDS = ("note", "session_id", "agent_id", "tool", "uri", "file", "quote", "document_id", "chunk_id")
"""Fields of a provenance that hold a caller's words."""
LONGEST_QUOTE = 2_000
LARGEST_FILE = 1 << 30
"""Bytes of a file that is read for its hash."""
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def provenance_of(
    source: str | Provenance,
    *,
    file: str | None = None,
    lines: str | None = None,
    uri: str | None = None,
    quote: str | None = None,
    confidence: float | None = None,
    derived_from: Sequence[str] = (),
) -> Provenance:
    """The provenance of a text.

    Args:
        source: `KIND[:NOTE]`, or a provenance that is complete.
        file: Path of a file that is there; its hash and time are recorded.
        lines: `FROM` or `FROM-TO`, from 1, of that file; their bytes and words are recorded.
        uri: Another address.
        quote: The source's words; those of `lines` if not given.
        confidence: 0 to 1.
        derived_from: Ids.

    Raises:
        InvalidInput: The kind, lines or confidence are malformed.
        NotFound: There is no such file.
    """
    if isinstance(source, Provenance):
        return _checked(source)
    if not isinstance(source, str):
        raise InvalidInput(f"the source is {type(source).__name__}", remedy="write KIND or KIND:NOTE")
    if isinstance(derived_from, str):
        raise InvalidInput(
            "the ids it is derived from are one string", remedy=f"pass a list such as [{derived_from!r}]"
        )
    kind, _, note = source.partition(":")
    if kind not in KINDS:
        raise InvalidInput(
            f"unknown source {source!r}", remedy=f"write KIND or KIND:NOTE, with KIND one of {', '.join(KINDS)}"
        )
    if file is None and lines is not None:
        raise InvalidInput("lines are given without a file", remedy="name the file as well")
    span, words, digest, mtime = _read_file(file, lines)
    found = Provenance(
        kind="file" if kind == "user" and file is not None else kind,  # type: ignore[arg-type]
        note=note.strip() or None,
        file=file,
        span=span,
        quote=quote if quote is not None else words,
        file_hash=digest,
        file_mtime=mtime,
        uri=uri,
        confidence=None if confidence is None else checks.check_share(confidence, what="confidence"),
        derived_from=tuple(derived_from),
    )
    return _checked(found)


def _checked(provenance: Provenance) -> Provenance:
    """A provenance whose words can be stored and shown; raises InvalidInput."""
    for name in WORDS:
        word = getattr(provenance, name)
        if word is not None:
            checks.check_text(word, what=name.replace("_", " "))
    return provenance


def _read_file(file: str | None, lines: str | None) -> tuple[Span | None, str | None, str | None, int | None]:
    if file is None:
        return None, None, None, None
    checks.check_text(file, what="file name")
    path = Path(file)
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
            raise InvalidInput(f"{file} is no file of at most {LARGEST_FILE:,} bytes", remedy="name a file of text")
        data, mtime = path.read_bytes(), status.st_mtime_ns
    except OSError as error:
        raise NotFound(
            f"{file} cannot be read: {error.strerror}", remedy="give the path of a file that is there"
        ) from None
    digest = blake2b(data, digest_size=16).hexdigest()
    if lines is None:
        return None, None, digest, mtime
    first, last = _line_range(lines)
    pieces = data.splitlines(keepends=True)
    if last > len(pieces):
        raise InvalidInput(f"{file} has {len(pieces)} lines, not {last}", remedy="give lines that are there")
    start = sum(map(len, pieces[: first - 1]))
    chosen = b"".join(pieces[first - 1 : last])
    span = Span(line_from=first, line_to=last, byte_from=start, byte_to=start + len(chosen))
    words = checks.CONTROL.sub("\ufffd", chosen.decode("utf-8", "replace").rstrip("\r\n")[:LONGEST_QUOTE])
    return span, words if words.strip() else None, digest, mtime


def _line_range(lines: str) -> tuple[int, int]:
    match = _LINES.fullmatch(lines.strip())
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not 1 <= first <= last:
        raise InvalidInput(f"{lines!r} is no range of lines", remedy="write FROM or FROM-TO, for example 10-14")
    return first, last
