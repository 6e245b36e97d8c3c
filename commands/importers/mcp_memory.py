"""Notes from the file of the MCP memory server: one an observation, and one a relation.

A relation becomes the sentence it says ("Ada maintains parser") with both
entities named, not an edge: its verb is free text, and an entity may have no
observation an edge could end at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ...errors import InvalidInput
from .files import TextFile, parse_json, read_text
from .gather import Gatherer, source_key
from .note import Note, Source, term

_NAME = ("name", "entityName", "entity_name", "id")
_TYPE = ("entityType", "entity_type")
_FROM = ("from", "from_id", "source")
_TO = ("to", "to_id", "target")
_VERB = ("relationType", "relation_type", "relation")
_TEXT = ("content", "text", "observation")


class _Record(msgspec.Struct, frozen=True):
    """A JSON object of the file and the lines (from 0, inclusive) it stands in."""

    fields: dict[str, object]
    first: int
    last: int


class _Reader:
    """Turns records into notes; knows every entity's type before the first relation is read."""

    def __init__(self, file: TextFile, out: Gatherer) -> None:
        self.file = file
        self.out = out
        self.types: dict[str, str | None] = {}
        self.counts: dict[str, int] = {}

    def where(self, record: _Record) -> str:
        return f"{self.file.facts.label}:{record.first + 1}"

    def field(self, record: _Record, keys: tuple[str, ...]) -> str | None:
        for key in keys:
            value = record.fields.get(key)
            if isinstance(value, str) and (text := self.out.text(value, self.where(record))):
                return text
        return None

    def entity(self, record: _Record, name: str) -> Iterator[Note]:
        observations = list(self.observations(record))
        kind = self.types.get(name)
        for text in observations or [f"{name} ({kind})" if kind else name]:
            number = self.counts[name] = self.counts.get(name, 0) + 1
            yield Note(
                text=text,
                title=self.out.title([name], self.where(record)) if observations else None,
                entities=(term(name, kind),),
                provenance=self.file.facts.provenance("import", span=self.file.span(record.first, record.last)),
                source_key=source_key(self.out.name, "entity", name, text),
                local_id=name if number == 1 else json.dumps([name, number], ensure_ascii=False),
            )

    def observations(self, record: _Record) -> Iterator[str]:
        given = record.fields.get("observations", [])
        for item in given if isinstance(given, list) else [given]:
            fields = item if isinstance(item, dict) else {"text": item}
            text = self.field(_Record(fields, record.first, record.last), _TEXT)
            if text:
                yield text
            elif not isinstance(item, str):
                self.out.warn(f"{self.where(record)}: an observation is no text and was left out")

    def relation(self, record: _Record, ends: tuple[str, str, str]) -> Note:
        source, verb, target = ends
        return Note(
            text=f"{source} {verb} {target}",
            entities=(
                term(source, self.types.get(source), role="subject"),
                term(target, self.types.get(target), role="object"),
            ),
            metadata={"from": source, "relation": verb, "to": target},
            provenance=self.file.facts.provenance("import", span=self.file.span(record.first, record.last)),
            source_key=source_key(self.out.name, "relation", *ends),
            local_id=json.dumps(ends, ensure_ascii=False),
        )


def read_mcp_memory(path: Path) -> Source:
    """The notes of a `memory.jsonl`, or of the same graph as one JSON object.

    A line that is damaged or of another form becomes a warning, as the server itself passes over it.

    Raises:
        NotFound: There is nothing at `path`.
        InvalidInput: No line can be read.
    """
    out = Gatherer("mcp")
    file = read_text(path, path.name, damaged="escape")
    reader = _Reader(file, out)
    records = list(_records(file, out))
    named = [(record, reader.field(record, _NAME)) for record in records if not _is_relation(record)]
    for record, name in named:
        if name and not reader.types.get(name):
            reader.types[name] = reader.field(record, _TYPE)
    for record, name in named:
        if name is None:
            out.warn(f"{reader.where(record)}: an entity without a name was left out")
        for note in reader.entity(record, name) if name else ():
            out.add(note)
    for record in filter(_is_relation, records):
        source, verb, target = (reader.field(record, keys) for keys in (_FROM, _VERB, _TO))
        if source and verb and target:
            out.add(reader.relation(record, (source, verb, target)))
        else:
            out.warn(f"{reader.where(record)}: a relation without both ends and a type was left out")
    return out.source()


def is_record(value: object) -> bool:
    """Whether a JSON value is an entity, a relation, or a whole graph of them."""
    if not isinstance(value, dict):
        return False
    if "entities" in value:
        return isinstance(value["entities"], list)
    return value.get("type") in {"entity", "relation"} or "observations" in value


def _is_relation(record: _Record) -> bool:
    kind = record.fields.get("type")
    return kind == "relation" or (kind != "entity" and "observations" not in record.fields)


def _records(file: TextFile, out: Gatherer) -> Iterator[_Record]:
    whole = parse_json("\n".join(file.lines))
    if isinstance(whole, dict) and "entities" in whole:
        yield from _graph(whole, len(file.lines) - 1)
        return
    written = [i for i, line in enumerate(file.lines) if line.strip(" \t\0")]
    bad = 0
    for i in written:
        value = parse_json(file.lines[i])
        if isinstance(value, dict):
            yield _Record(value, i, i)
        else:
            bad += 1
            out.warn(f"left out: {file.facts.label}:{i + 1} is no JSON object")
    if written and bad == len(written):
        raise InvalidInput(
            f"{file.facts.label}:{written[0] + 1} is no JSON object, nor is any other line",
            remedy="name the memory server's file, with one entity or relation a line",
        )


def _graph(whole: dict[str, object], last: int) -> Iterator[_Record]:
    for key, kind in (("entities", "entity"), ("relations", "relation")):
        items = whole.get(key)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                yield _Record({**item, "type": kind}, 0, last)
