"""`verify`: whether every byte is what was written."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..eventlog.verify import Problem, VerifyReport
from ..eventlog.verify import verify as verify_log
from ..projections.catalog import Catalog
from . import checks
from .projections import FOLDER, digests, published

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""


def verify(self: OpenStore, *, projections: bool = False, progress: Progress | None = None) -> VerifyReport:
    """Check the whole log, and the checksums of everything made from it.

    The log is read by a process of its own, which damage may kill without harm. A problem of kind `projection` is about
    a cache that `rebuild` makes anew; nothing is lost.

    Args:
        self: The store.
        projections: Also fold the log anew, beside the store, and compare each projection with that.
        progress: See `Progress`.
    """
    wanted = checks.check_flag(projections, what="projections")
    report = verify_folder(self.folder, progress=progress)
    problems = list(report.problems)
    if wanted and report.ok:
        problems += _differences(self, progress)
    return VerifyReport(not problems, report.head, problems)


def verify_folder(folder: Path, *, progress: Progress | None = None) -> VerifyReport:
    """`verify` of a store that may be too damaged to be opened."""
    report = verify_log(folder, progress)
    problems = report.problems + [
        Problem(one.seq or 0, "projection", f"{one.problem}; `helix rebuild` makes it anew")
        for one in published(folder / FOLDER)
        if one.problem is not None
    ]
    return VerifyReport(not problems, report.head, problems)


def _differences(self: OpenStore, progress: Progress | None) -> list[Problem]:
    """Projections that are not what the log folds to."""
    catalog = self.catalog
    head = catalog.beliefs.seq
    with tempfile.TemporaryDirectory(prefix="helixlog-") as folder:
        cold = Catalog(Path(folder), self.eventlog)
        cold.sync(progress=progress)
        wanted, found = digests(cold), digests(self.catalog)
        if cold.beliefs.seq != self.catalog.beliefs.seq:
            return [Problem(head, "projection", "the store was written to meanwhile; verify it again")]
    return [
        Problem(head, "projection", f"{name} differs from a fold of the log; run `helix rebuild`")
        for name in wanted.keys() | found.keys()
        if wanted.get(name) != found.get(name)
    ]
