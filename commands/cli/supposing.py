"""`--set` and `--constants` as the verbs take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import InvalidInput, NotFound
from .recalling import constant
from .text import STDIN, given

FORM = 'write {"recency_per_day": 0}, or what `helix constants --json` prints'


def supposed(changes: Sequence[str], file: str | None) -> dict[str, object]:
    """Changes by name: those of the file, and over them those of `--set`.

    Raises:
        InvalidInput, NotFound: The file is not there, or does not hold constants.
    """
    return {**({} if file is None else _read(file)), **dict(map(constant, changes))}


def _read(file: str) -> dict[str, object]:
    named = named_values(read_json(file, what="constants"))
    if named is None:
        raise InvalidInput(f"{file} holds no constants", remedy=FORM)
    return named


def named_values(value: object) -> dict[str, object] | None:
    """Constants by name, of a map or of a list as `helix constants` gives it; None where there are none."""
    if isinstance(value, Mapping) and "constants" in value:
        value = value["constants"]
    if isinstance(value, Mapping):
        return {str(name): item for name, item in value.items()}
    if isinstance(value, list) and all(isinstance(one, Mapping) and {"name", "value"} <= set(one) for one in value):
        return {str(one["name"]): one["value"] for one in value}
    return None


def read_json(file: str, *, what: str) -> Any:  # noqa: ANN401 - any JSON value
    """A JSON document from a file, or for `-` from standard input.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is no JSON.
    """
    if file == STDIN:
        text = given(STDIN, what=what)
    else:
        path = Path(file).expanduser()
        if not path.is_file():
            raise NotFound(f"there is no file {file}", remedy="check the path")
        text = path.read_bytes().decode("utf-8", "replace")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{file} is no JSON: {error}", remedy=FORM if what == "constants" else "check the file"
        ) from None
