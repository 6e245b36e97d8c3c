"""Every projection folded anew beside the store, and compared by digest with the one in use."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..projections.catalog import Catalog
from ..projections.digests import digests as of_beliefs
from ..recall.view import Point
from .projections import digests

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""


class Projection(msgspec.Struct, frozen=True, kw_only=True):
    """A projection: the digest of the one in use and of the one folded anew, which are the same if all is well."""

    name: str
    digest: tuple[str | None, str | None]
    same: bool


def refolded(self: OpenStore, point: Point, progress: Progress | None) -> tuple[Projection, ...]:
    """Every projection at a point; before the head the beliefs only, since words and vectors are the head's."""
    with tempfile.TemporaryDirectory(prefix="helixlog-") as folder:
        cold = Catalog(Path(folder), self.eventlog)
        cold.sync(up_to=point.seq, progress=progress)
        catalog = self.catalog
        if catalog.beliefs.seq == point.seq:
            found, wanted = digests(catalog), digests(cold)
        else:
            found, wanted = of_beliefs(self.view(self.naming(point)).beliefs), of_beliefs(cold.beliefs)
    return tuple(
        Projection(name=name, digest=(found.get(name), wanted.get(name)), same=found.get(name) == wanted.get(name))
        for name in sorted(found.keys() | wanted.keys())
    )
