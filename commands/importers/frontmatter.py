"""The head of a markdown file between two `---` lines, read as a small subset of YAML.

Understood are `key: value` with optional quotes, lists in brackets or one item
a line, block texts (`|`, `>`), comments, and one level of nesting, which
becomes a dotted key. Anything else means that the lines are no front matter but
text, so that nothing a person wrote is lost to a misread head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

Value = str | tuple[str, ...]

_KEY = re.compile(r"""([ ]*)(?:"([^"]+)"|'([^']+)'|([^\s#:\-"'\[{][^:#]*))[ ]*:(?:[ \t]+(.*))?$""")
_ITEM = re.compile(r"[ ]*-[ \t]+(.*)$")
_BLOCK_TEXT = re.compile(r"[|>][+-]?$")


class FrontMatter(msgspec.Struct, frozen=True):
    """The fields of a file's head, and the line (from 0) its text begins at."""

    fields: dict[str, Value] = {}
    body: int = 0

    def text(self, *keys: str) -> str | None:
        """The first of `keys` that has a non-blank text."""
        for key in keys:
            value = self.fields.get(key)
            if isinstance(value, str) and value:
                return value
        return None

    def words(self, key: str) -> tuple[str, ...]:
        """A list field; a plain text counts as one, separated by commas."""
        value = self.fields.get(key, ())
        return tuple(x.strip() for x in value.split(",") if x.strip()) if isinstance(value, str) else value


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file's `lines`; empty when there is none."""
    if not lines or lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        return FrontMatter()
    fields = _parse(lines[1:end])
    return FrontMatter() if fields is None else FrontMatter(fields=fields, body=end + 1)


def _parse(lines: Sequence[str]) -> dict[str, Value] | None:
    fields: dict[str, Value] = {}
    parent = key = ""
    i = 0
    while i < len(lines):
        line = lines[i].rstrip()
        i += 1
        if not line or line.lstrip().startswith("#"):
            continue
        if match := _ITEM.match(line):
            before = fields.get(key)
            if not key or (before and not isinstance(before, tuple)):
                return None
            fields[key] = (*(before or ()), _scalar(match[1]))
        elif match := _KEY.match(line):
            name = (match[2] or match[3] or match[4]).strip()
            raw = match[5] or ""
            parent = "" if not match[1] else parent
            key = f"{parent}.{name}" if parent else name
            if _BLOCK_TEXT.match(raw):
                block, i = _block_text(lines, i, len(match[1]))
                fields[key] = (" " if raw[0] == ">" else "\n").join(block).strip()
            else:
                fields[key] = _value(raw)
            parent = parent or name
        elif line[0] in " \t" and isinstance(before := fields.get(key), str):
            fields[key] = f"{before} {_scalar(line)}".strip()
        else:
            return None
    return fields


def _block_text(lines: Sequence[str], i: int, indent: int) -> tuple[list[str], int]:
    taken = []
    while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip(" ")) > indent):
        taken.append(lines[i].strip())
        i += 1
    return taken, i


def _value(raw: str) -> Value:
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return tuple(item for part in raw[1:-1].split(",") if (item := _scalar(part)))
    return _scalar(raw)


def _scalar(raw: str) -> str:
    raw = raw.strip()
    for quote in "\"'":
        if raw.startswith(quote) and (end := _closing(raw, quote)):
            inner = raw[1:end]
            return inner.replace("''", "'") if quote == "'" else re.sub(r'\\(["\\])', r"\1", inner)
    return re.sub(r"(?:^|\s)#.*$", "", raw).strip()


def _closing(raw: str, quote: str) -> int | None:
    """Where the text quoted at the start of `raw` ends, if only a comment follows."""
    pattern = r'"(?:[^"\\]|\\.)*"' if quote == '"' else r"'(?:[^']|'')*'"
    match = re.match(pattern, raw)
    return match.end() - 1 if match and raw[match.end() :].strip()[:1] in {"", "#"} else None
