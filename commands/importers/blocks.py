"""Markdown cut into blocks: a top-level list item with all it holds, or a paragraph with the code after it.

Block structure follows CommonMark, with these liberties, each so that a block
is what a person would call one remark:

- two more columns than its item make a line belong to it, also under `1. `;
- code, fenced or indented, belongs to the block before it under the same
  heading, and a fence without an end is ordinary text;
- `---` under several lines ends the paragraph instead of making it a heading;
- a single line that ends in a colon, or is bold and no sentence, right before a
  list, acts as that list's heading;
- comments are taken out, except in code; one without an end is ordinary text.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Literal

import msgspec

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_BREAK = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_MARKER = re.compile(r"[ \t]*(?:[-*+]|([0-9]{1,9})[.)])(?:[ \t]+|$)")
_CHECKBOX = re.compile(r"\[([ xX])\](?=\s)")
_LEAD = re.compile(r".*:(?:\*\*|__)?$|(?P<bold>\*\*|__)(?:(?!(?P=bold)).)*[^.!?\s](?P=bold)$")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_COMMENT = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<!--(?:-?>|.*?(?:-->|$))")
_COMMENT_END = "-->"
_LEAD_LIMIT = 120
_TAB = 4
_CODE_INDENT = 4
_NESTED = 2


class Block(msgspec.Struct, frozen=True):
    """Lines `first` to `last` (from 0, inclusive) and their text without list marker, indentation and comments.

    `headings` is the path of headings above, outermost first; `checked` the state of a checkbox item.
    """

    first: int
    last: int
    text: str
    headings: tuple[str, ...]
    checked: bool | None = None


def split_blocks(lines: Sequence[str], start: int = 0) -> list[Block]:
    """The blocks of `lines[start:]`, in order; headings, breaks and markup without words are none."""
    return _Splitter(lines).split(start)


class _Open:
    """A block that may still grow. An item's text begins at character `start` and column `width` of its line."""

    def __init__(self, kind: Literal["paragraph", "item"], at: int, line: str, *, start: int = 0) -> None:
        self.kind = kind
        self.first = self.last = at
        self.indent = _columns(line)
        self.width = _columns(line, start) if start else self.indent
        self.lines = [line[start:].lstrip(" \t")]
        self.verbatim: set[int] = set()

    def extend(self, at: int, line: str, *, verbatim: bool = False) -> None:
        self.lines += [""] * (at - self.last - 1)
        if verbatim:
            self.verbatim.add(len(self.lines))
        self.lines.append(line)
        self.last = at

    def text(self) -> str:
        inner = (_columns(x) for x in self.lines[1:] if x.strip())
        width = min([self.width, *(x for x in inner if x >= self.indent + _NESTED)])
        rest = (x if i in self.verbatim else _dedent(x, width) for i, x in enumerate(self.lines[1:], 1))
        return "\n".join([self.lines[0], *rest]).strip()


class _Splitter:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.headings: list[tuple[int, str]] = []
        self.lead: str | None = None
        self.open: _Open | None = None
        self.gap = True
        self.in_comment = False
        self.last_comment_end = max((i for i, x in enumerate(lines) if _COMMENT_END in x), default=-1)
        self.endless: dict[str, int] = {}

    def split(self, start: int) -> list[Block]:
        i = start
        while i < len(self.lines):
            line = self.visible(i)
            if not line.strip():
                self.gap = True
            elif end := self.fence_end(i, line):
                self.code(i, line, end)
                i = end
            else:
                self.line(i, line)
            i += 1
        self.close()
        return self.blocks

    # -- comments and code -----------------------------------------------------

    def visible(self, i: int) -> str:
        """Line `i` without its comments."""
        line = self.lines[i]
        if self.in_comment:
            end = line.find(_COMMENT_END)
            if end < 0:
                return ""
            line, self.in_comment = line[end + len(_COMMENT_END) :], False
        elif "<!--" not in line:
            return line
        return _COMMENT.sub(lambda found: self.uncommented(found, i), line).rstrip()

    def uncommented(self, found: re.Match[str], i: int) -> str:
        if found[1] is not None:
            return found[0]
        if not found[0].endswith(_COMMENT_END):
            if self.last_comment_end <= i:
                return found[0]
            self.in_comment = True
        return ""

    def fence_end(self, i: int, line: str) -> int | None:
        """The line that ends the fenced code beginning at `i`, if such begins there and ends."""
        marker = _MARKER.match(line)
        opening = _FENCE.match(line, marker.end() if marker else 0)
        if opening is None:
            return None
        sign, length = opening[1][0], len(opening[1])
        # A search that failed once would fail again further down: this keeps many open fences linear.
        if length >= self.endless.get(sign, length + 1):
            return None
        for j in range(i + 1, len(self.lines)):
            ending = _FENCE_END.match(self.lines[j])
            if ending and ending[1][0] == sign and len(ending[1]) >= length:
                return j
        self.endless[sign] = length
        return None

    def code(self, i: int, line: str, end: int) -> None:
        # Code that is not indented into its item keeps the indentation it has.
        outside = self.open is not None and _columns(line) < self.open.indent + _NESTED
        if self.open is None or _MARKER.match(line):
            self.line(i, line)
        else:
            self.open.extend(i, line, verbatim=outside)
        if self.open is not None:
            for j in range(i + 1, end + 1):
                self.open.extend(j, self.lines[j], verbatim=outside)
        self.gap = True

    # -- structure ---------------------------------------------------------------

    def line(self, i: int, line: str) -> None:
        block, indent = self.open, _columns(line)
        if block and block.kind == "item" and indent >= block.indent + _NESTED:
            block.extend(i, line)
        elif heading := _heading(line):
            self.close()
            self.head(*heading)
        elif block and self.is_underline(block, line):
            self.open = None
            self.head(1 if "=" in line else 2, block.lines[0].strip())
        elif _BREAK.match(line):
            self.close()
            self.lead = None
        elif self.is_item(line, indent):
            self.item(i, line)
        elif block and (not self.gap or indent >= _CODE_INDENT):
            block.extend(i, line)
        else:
            self.close()
            self.lead = None
            self.open = _Open("paragraph", i, line)
        self.gap = False

    def is_underline(self, block: _Open, line: str) -> bool:
        single = block.kind == "paragraph" and len(block.lines) == 1
        return single and not self.gap and _UNDERLINE.match(line) is not None

    def is_item(self, line: str, indent: int) -> bool:
        marker = _MARKER.match(line)
        if marker is None:
            return False
        if self.open is None or self.open.kind == "item":
            return True
        if self.gap:
            return indent < _CODE_INDENT
        # Inside a paragraph a number is more often a wrapped sentence's than a list's.
        return indent < _CODE_INDENT and marker[1] in {None, "1"} and marker.end() < len(line)

    def item(self, i: int, line: str) -> None:
        marker, above = _MARKER.match(line), self.open
        if above and above.kind == "paragraph" and self.is_lead(above, line):
            self.lead = above.lines[0].strip().rstrip(":").strip("*_").rstrip(":")
            self.open = None
        elif above is None or above.kind == "paragraph":
            self.lead = None
        self.close()
        self.open = _Open("item", i, line, start=marker.end() if marker else 0)

    def is_lead(self, block: _Open, item: str) -> bool:
        text = block.lines[0].strip()
        short = len(block.lines) == 1 and len(text) <= _LEAD_LIMIT
        return short and _LEAD.match(text) is not None and _has_words(item) and _has_words(text)

    def head(self, level: int, text: str) -> None:
        self.lead = None
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        if text:
            self.headings.append((level, text))

    def close(self) -> None:
        block, self.open = self.open, None
        text = block.text() if block else ""
        if block is None or not _has_words(text):
            return
        path = tuple(text for _, text in self.headings)
        box = _CHECKBOX.match(text) if block.kind == "item" else None
        self.blocks.append(
            Block(
                first=block.first,
                last=block.last,
                text=text,
                headings=(*path, self.lead) if self.lead else path,
                checked=box[1] != " " if box else None,
            )
        )


def _heading(line: str) -> tuple[int, str] | None:
    match = _HEADING.match(line)
    if match is None:
        return None
    text = line[match.end() :].strip()
    bare = text.rstrip("#")
    return len(match[1]), bare.rstrip() if not bare or bare[-1] in " \t" else text


def _has_words(text: str) -> bool:
    """Whether anything but markup is in `text`."""
    return bool(_TAG.sub("", text).strip(string.punctuation + string.whitespace))


def _columns(line: str, stop: int | None = None) -> int:
    """How far a line, or its character `stop`, is indented; a tab goes to the next multiple of four."""
    column = 0
    for char in line[:stop]:
        if char not in " \t" and stop is None:
            break
        column += _TAB - column % _TAB if char == "\t" else 1
    return column


def _dedent(line: str, width: int) -> str:
    """`line` without its first `width` columns of white space."""
    column = at = 0
    while column < width and line[at : at + 1] in {" ", "\t"}:
        column += _TAB - column % _TAB if line[at] == "\t" else 1
        at += 1
    return line[at:]
