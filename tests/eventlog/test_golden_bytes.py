"""The payload bytes of every event type are pinned in `golden.json`.

A difference means that old stores and new code disagree: raise the type's
version, write an upcaster, and pin the new bytes beside the old ones with

    python tests/eventlog/test_golden_bytes.py

which adds entries that are missing and never changes one that is there.
"""

import functools
import json
import types
import typing
from pathlib import Path

import msgspec
import pytest
from helixlog.eventlog import codec
from helixlog.eventlog.events import EVENT_TYPES

GOLDEN = Path(__file__).parent / "golden.json"


def example(kind, *, full):
    """An event with every field set to something of its own, or only those that must be."""
    hints = typing.get_type_hints(kind)
    fields = {}
    for place, field in enumerate(msgspec.structs.fields(kind), 1):
        if full or field.required:
            fields[field.name] = value_of(hints[field.name], field.name, place)
    return kind(**fields)


def value_of(hint, name, place):
    options = typing.get_args(hint)
    match typing.get_origin(hint):
        case types.UnionType | typing.Union:
            return value_of(options[0], name, place)
        case typing.Literal:
            return options[-1]
        case origin if origin is tuple:
            return (value_of(options[0], name, place),)
        case origin if origin is dict:
            return {"text": name, "number": place, "share": place + 0.5, "yes": True}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return example(hint, full=True)
    return {str: f"{name} \u00e9", int: 100 * place, float: place / 8, bytes: b"\x00\xff" * place, bool: place != 8}[
        hint
    ]


@functools.cache
def pinned():
    """By tag, version and form; hex."""
    return json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}


@functools.cache
def current():
    return {
        f"{tag} v{kind.version} {form}": codec.encode(example(kind, full=form == "full"))[2].hex()
        for tag, kind in EVENT_TYPES.items()
        for form in ("full", "minimal")
    }


@pytest.mark.parametrize("name", current())
def test_payload_bytes_are_what_they_were(name):
    assert current()[name] == pinned()[name]


@pytest.mark.parametrize("name", pinned())
def test_every_payload_ever_pinned_can_be_read(name):
    tag, version, form = name.split()
    event = codec.decode_payload(tag, int(version[1:]), bytes.fromhex(pinned()[name]))
    kind = EVENT_TYPES[tag]
    assert type(event) is kind
    if version == f"v{kind.version}":
        assert event == example(kind, full=form == "full")


@pytest.mark.parametrize("kind", EVENT_TYPES.values(), ids=lambda kind: kind.__name__)
def test_the_full_example_sets_every_field(kind):
    event = example(kind, full=True)
    for field in msgspec.structs.fields(kind):
        assert field.required or getattr(event, field.name) != field.default, field.name


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(current() | pinned(), indent=0) + "\n")
