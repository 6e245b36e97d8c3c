"""The projections of a store as files and as digests: for `verify`, `rebuild` and `health`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..eventlog.log import LogReader
from ..projections.catalog import Catalog
from ..projections.digests import fingerprints
from ..projections.generations import Generations

__all__ = ["FOLDER", "Published", "digests", "estranged", "fingerprints", "homes", "published"]

FOLDER = "projections"


class Published(NamedTuple):
    """A projection's generation on disk: how far it goes (None without one), what is wrong, its chain digest."""

    name: str
    seq: int | None
    problem: str | None
    chain: bytes | None = None


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
        Published(home.path.name, None, home.problem)
        if manifest is None
        else Published(home.path.name, manifest.seq, home.problem, manifest.checkpoint.chain)
        for home, manifest in found
    ]


def estranged(root: Path, log: LogReader) -> Iterator[str]:
    """What is wrong with generations that are not of this log: beyond its head, or of one that went another way."""
    found = [one for one in published(root) if one.seq is not None and one.chain is not None]
    head = log.head.seq
    ahead = [one for one in found if (one.seq or 0) > head]
    if ahead:
        names = ", ".join(one.name for one in ahead)
        furthest = max(one.seq or 0 for one in ahead)
        yield f"projections cover @{furthest} and the log ends at @{head}: an older log was put back ({names})"
    parted = [one for one in found if one not in ahead and log.chain_at(one.seq or 0) != one.chain]
    if parted:
        names = ", ".join(one.name for one in parted)
        yield f"projections are of another log, or of one that went another way ({names})"


def digests(catalog: Catalog) -> dict[str, str]:
    """A digest of each projection's canonical state, by name; see `Catalog.digests`."""
    return catalog.digests()
