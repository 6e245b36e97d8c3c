"""The projections of a store as files and as digests: for `verify`, `rebuild` and `health`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..projections.catalog import Catalog
from ..projections.digests import fingerprints
from ..projections.generations import Generations

__all__ = ["FOLDER", "Published", "digests", "fingerprints", "homes", "published"]

FOLDER = "projections"


class Published(NamedTuple):
    """A projection's generation on disk: how far it goes (None without one), and what is wrong with it."""

    name: str
    seq: int | None
    problem: str | None


def homes(root: Path) -> Iterator[Generations]:
    """Every projection that has a folder, by name."""
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        name, mark, version = path.name.rpartition("-v")
        if mark and version.isdecimal() and path.is_dir():
            yield Generations(root, name, int(version))


def published(root: Path) -> list[Published]:
    """Every generation on disk, each byte of it checked."""
    found = [(home, home.load()) for home in homes(root)]
    return [
        Published(home.path.name, None if manifest is None else manifest.seq, home.problem) for home, manifest in found
    ]


def digests(catalog: Catalog) -> dict[str, str]:
    """A digest of each projection's canonical state, by name; see `Catalog.digests`."""
    return catalog.digests()
