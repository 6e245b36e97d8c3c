"""`verify`: whether every byte is what was written."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Corrupted
from ..eventlog.events import StoreCreated
from ..eventlog.layout import log_folder, read_secret
from ..eventlog.lmdb_log import LmdbLog
from ..eventlog.verify import Problem, VerifyReport, refuse_newer
from ..eventlog.verify import verify as verify_log
from ..projections.catalog import Catalog
from . import checks
from .projections import FOLDER, digests, estranged, published
from .where import MARK, Mark, no_store, read_mark

if TYPE_CHECKING:
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""Called with the number of events done and of all."""


def verify(self: OpenStore, *, projections: bool = False, progress: Progress | None = None) -> VerifyReport:
    """Check the whole log, and the checksums of everything made from it.

    The log is read by a process of its own, which damage may kill without harm. Beside the kinds of the log's own
    problems, `mark` and `secret` are about these two files, and `projection` about a cache that `rebuild` makes anew.

    Args:
        self: The store.
        projections: Also fold the log anew, beside the store, and compare each projection with that.
        progress: See `Progress`.
    """
    wanted = checks.check_flag(projections, what="projections")
    report = verify_folder(self.folder, progress=progress)
    problems = list(report.problems)
    if wanted and report.ok:
        problems += differences(self, progress)
    return VerifyReport(not problems, report.head, problems)


def verify_folder(folder: Path, *, progress: Progress | None = None) -> VerifyReport:
    """`verify` of a store that may be too damaged to be opened.

    Raises:
        StoreMissing: There is no store.
        NewerFormat: A newer release made it.
    """
    mark, problems = _mark(folder)
    report = verify_log(folder, progress)
    refuse_newer(report)
    problems += _secret(folder)
    problems += report.problems
    root = folder / FOLDER
    problems += [
        Problem(one.seq or 0, "projection", f"{one.problem}; `helix rebuild` makes it anew")
        for one in published(root)
        if one.problem is not None
    ]
    if report.ok:
        with LmdbLog.open(folder, read_only=True) as log:
            problems += _of_another(log, mark)
            problems += [
                Problem(log.head.seq, "projection", f"{why}; `helix doctor` says what to do")
                for why in estranged(root, log)
            ]
    return VerifyReport(not problems, report.head, problems)


def _mark(folder: Path) -> tuple[Mark | None, list[Problem]]:
    path = folder / MARK
    try:
        mark = read_mark(folder)
    except Corrupted as error:
        return None, [Problem(0, "mark", error.message)]
    if mark is None:
        if not log_folder(folder).is_dir():
            raise no_store(folder)
        return None, [Problem(0, "mark", f"{path} is not there")]
    return mark, []


def _secret(folder: Path) -> list[Problem]:
    try:
        read_secret(folder)
    except Corrupted as error:
        return [Problem(0, "secret", error.message)]
    return []


def _of_another(log: LmdbLog, mark: Mark | None) -> list[Problem]:
    """The mark and the log must be of one store."""
    genesis = log.get(1).event
    if mark is None or not isinstance(genesis, StoreCreated) or genesis.store_id == mark.store_id:
        return []
    return [Problem(0, "mark", f"{MARK} is of store {mark.store_id}, the log of store {genesis.store_id}")]


def differences(self: OpenStore, progress: Progress | None = None) -> list[Problem]:
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
