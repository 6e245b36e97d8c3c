"""Old events, read by this release.

An upcaster takes the raw fields of one version of one type to the next
version: a pure function on a dict, registered by (tag, from version). Stored
bytes never change, so every one of them is kept for good; they run one after
another until the version is the one in `events`.

To change a type: raise its `version`, write `_<tag>_v<n>_v<n+1>` here, register
it, and freeze a payload of the old version in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Fields = dict[str, Any]
Upcaster = Callable[[Fields], Fields]


def _content_rejected_v1_v2(fields: Fields) -> Fields:
    """An exact length narrows down what was refused; version 2 keeps only its order of magnitude."""
    length = fields.pop("length")
    return fields | {"length_band": f"<{10 ** len(str(length))}"}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("content_rejected", 1): _content_rejected_v1_v2,
}


def upcast(tag: str, version: int, to: int, fields: Fields) -> Fields:
    """Fields of `tag` as version `version` wrote them, in the form of version `to`.

    Raises:
        KeyError: A step is missing.
    """
    for step in range(version, to):
        fields = UPCASTERS[tag, step](fields)
    return fields
