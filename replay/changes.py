"""What differs between two sets of constants, by the names that `--set` takes."""

from __future__ import annotations

from typing import TypeAlias

from ..constants import THRESHOLD_NAMES, Constants

Value: TypeAlias = float | bool | None
Changes: TypeAlias = dict[str, tuple[Value, Value]]
"""Name to (value here, value there)."""


def changes(before: Constants, after: Constants, fingerprint: str | None) -> Changes:
    """Every constant that differs.

    A threshold goes by its own name where it judges `fingerprint`, else by FINGERPRINT.NAME.
    """
    found: Changes = {}
    if before == after:
        return found
    for name in THRESHOLD_NAMES:
        ours, theirs = (getattr(one.threshold(fingerprint), name) for one in (before, after))
        if ours != theirs:
            found[name] = (ours, theirs)
    for name in before.__struct_fields__:
        if name != "thresholds" and getattr(before, name) != getattr(after, name):
            found[name] = (getattr(before, name), getattr(after, name))
    for row in sorted((before.thresholds.keys() | after.thresholds.keys()) - {_row(before, after, fingerprint)}):
        for name in THRESHOLD_NAMES:
            ours, theirs = (getattr(one.threshold(row), name) for one in (before, after))
            if ours != theirs:
                found[f"{row}.{name}"] = (ours, theirs)
    return found


def _row(before: Constants, after: Constants, fingerprint: str | None) -> str:
    """The row that judges an embedder's cosines in both sets."""
    named = fingerprint is not None and fingerprint in before.thresholds.keys() | after.thresholds.keys()
    return fingerprint if named and fingerprint is not None else "*"
