"""`health`: whether the store works at its best, and what to do if not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from ..errors import EmbedderMismatch, EmbedderUnavailable
from ..projections import compiled
from ..projections.vector import hnsw
from ..projections.vector.strategy import EXACT_UP_TO, GRAPH_FROM
from ..recall.statistics import simple_pairs
from ..recall.view import Asker, View
from ..recall.visibility import holding, may_see
from .ailments import LONG_READ, reader_cost
from .opened import AsOf, AsOfPoint, reading
from .projections import FOLDER, Published, published

if TYPE_CHECKING:
    from .opened import OpenStore

LOW_COVERAGE = 0.3
WORTH_COVERING = 10
"""The original system's: below this share of used memories, among more than so many, feedback is missing."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `needed` is false where the store works without it, only slower."""

    name: str
    ok: bool
    detail: str
    needed: bool = True


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a store as the asker sees it.

    `memories` are live ones; `loop_coverage` the share of them that were ever used, `causal_ratio` hits by uses (null
    without uses), `effectiveness` the mean of used ones (null without). `edges` counts pairs of live memories with an
    edge, `connected_ratio` the share of memories that have one. `index_lag` are events beyond the oldest generation.
    Of a point of the past too, `index_lag` and `checks` are about the files and the machine as they are now.
    """

    status: Literal["HEALTHY", "NEEDS_ATTENTION"]
    reasons: tuple[str, ...]
    memories: int
    used: int
    loop_coverage: float
    causal_ratio: float | None
    effectiveness: float | None
    edges: int
    connected_ratio: float
    average_edges: float
    by_tag: dict[str, int]
    head: int
    index_lag: int
    checks: tuple[Check, ...]
    as_of: AsOfPoint


class _Loop(NamedTuple):
    used: int
    uses: int
    hits: int
    mean: float | None


@reading
def health(self: OpenStore, *, user: str | None = None, as_of: AsOf | None = None) -> Health:
    """Whether memories are used and feedback is given, and whether every part is there.

    Args:
        self: The store.
        user: Whose memories are counted; the owner's if not given.
        as_of: What was believed then; see `recall`.
    """
    view = self.view(as_of)
    live = may_see(view.beliefs, Asker(user=user)) & holding(view.beliefs, view.point.clock)
    roots = np.flatnonzero(live)
    count, loop = len(roots), _loop(view, roots)
    pairs = simple_pairs(view.beliefs, live)
    generations = published(self.folder / FOLDER)
    checks = tuple(_checks(self, view, generations))
    reasons = (*_reasons(count, loop), *(check.detail for check in checks if check.needed and not check.ok))
    return Health(
        status="NEEDS_ATTENTION" if reasons else "HEALTHY",
        reasons=reasons,
        memories=count,
        used=loop.used,
        loop_coverage=_share(loop.used, count),
        causal_ratio=loop.hits / loop.uses if loop.uses else None,
        effectiveness=loop.mean,
        edges=len(pairs),
        connected_ratio=_share(len(np.unique(pairs)), count),
        average_edges=_share(2 * len(pairs), count),
        by_tag=_by_tag(view, roots),
        head=view.point.seq,
        index_lag=max(
            0, view.point.seq - min((one.seq or 0 for one in generations if one.name[:5] != "hnsw-"), default=0)
        ),
        checks=checks,
        as_of=self.as_of_point(view.point),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _loop(view: View, roots: np.ndarray) -> _Loop:
    learned = view.beliefs.effectiveness
    uses = learned.table["uses"][roots]
    used = roots[uses > 0]
    values = learned.value(used, view.point.clock).tolist()
    mean = math.fsum(values) / len(values) if values else None
    return _Loop(len(used), int(uses.sum()), int(learned.table["hits"][roots].sum()), mean)


def _reasons(count: int, loop: _Loop) -> Iterator[str]:
    if not count:
        yield "no memories yet: `helix store` puts one in"
    elif not loop.used:
        yield "no feedback yet, so nothing can be learned: `helix feedback` after a recall says how it went"
    elif count > WORTH_COVERING and loop.used / count < LOW_COVERAGE:
        yield f"only {loop.used} of {count} memories were ever used: give feedback more often"


def _by_tag(view: View, roots: np.ndarray) -> dict[str, int]:
    """How many memories carry each tag, the most frequent first."""
    texts, memories = view.beliefs.texts, view.beliefs.memories
    counts = np.zeros(len(texts.terms), np.int64)
    start, size = texts.table["terms_start"], texts.table["terms_count"]
    plain = np.array([root for root in roots.tolist() if root not in memories.terms], np.int64)
    places = np.repeat(start[plain] - (np.cumsum(size[plain]) - size[plain]), size[plain])
    np.add.at(counts, texts.term_codes.values[places + np.arange(len(places))], 1)
    shown = set(roots.tolist())
    for root, codes in memories.terms.items():
        if root in shown:
            counts[list(codes)] += 1
    named = [(texts.terms.names[code], int(counts[code])) for code in np.flatnonzero(counts).tolist()]
    tags = [(name[2:], number) for name, number in named if name.startswith("t:")]
    return dict(sorted(tags, key=lambda tag: (-tag[1], tag[0])))


# -- checks --------------------------------------------------------------------


def _checks(self: OpenStore, view: View, generations: list[Published]) -> Iterator[Check]:
    writable = self.eventlog.writable
    yield Check(
        name="log",
        ok=writable,
        detail="can be written" if writable else "the log cannot be written: see its folder's rights",
    )
    yield _readers(self)
    yield _embedder(self, view)
    yield _graph(view)
    yield _loops(view)
    damaged = [f"{one.name}: {one.problem}" for one in generations if one.problem is not None]
    yield Check(
        name="projections",
        ok=not damaged,
        detail="; ".join(damaged) + " (folded from the log instead; `helix rebuild` publishes anew)"
        if damaged
        else f"{len(generations)} published"
        if generations
        else "none published yet: folded from the log",
    )
    beliefs = view.beliefs
    odd = [(beliefs.unknown, "events of a newer release"), (len(beliefs.ignored), "events that could not take effect")]
    noted = ", ".join(f"{number} {what}" for number, what in odd if number)
    yield Check(name="events", ok=not beliefs.unknown, detail=noted or "all understood", needed=False)


def _readers(self: OpenStore) -> Check:
    """Who else reads the log, the oldest first, and what is kept for it."""
    readers = self.eventlog.view(lambda transaction: transaction.readers())
    long = readers.oldest is not None and readers.oldest.commits >= LONG_READ
    return Check(name="readers", ok=not long, detail=reader_cost(readers), needed=False)


def _embedder(self: OpenStore, view: View) -> Check:
    fingerprint = view.beliefs.fingerprint
    if fingerprint is None:
        return Check(name="embedder", ok=True, detail="none: recalled by words and names")
    try:
        embedder = self.embedder(fingerprint)
    except (EmbedderUnavailable, EmbedderMismatch) as error:
        return Check(name="embedder", ok=False, detail=str(error))
    name = fingerprint if embedder is None else embedder.identity.name
    bare = int((view.beliefs.texts.table["fingerprint"] < 0).sum())
    return Check(name="embedder", ok=True, detail=f"{name}, {bare} texts without its vector" if bare else name)


def _loops(view: View) -> Check:
    if compiled.vectors is not None:
        return Check(name="compiled", ok=True, detail="inner loops are compiled")
    advice = "; with a C compiler and Python's headers, install helixlog again for speed"
    large = view.texts > EXACT_UP_TO
    detail = f"NumPy does the inner loops{advice if large else ', which is as fast at this size'}"
    return Check(name="compiled", ok=False, detail=detail, needed=False)


def _graph(view: View) -> Check:
    rows = 0 if view.vectors is None else view.vectors.rows
    if not hnsw.available():
        advice = "; install helixlog[hnsw] for speed" if rows > GRAPH_FROM else ", which is as fast at this size"
        return Check(name="hnswlib", ok=False, detail=f"not installed: vectors are scanned{advice}", needed=False)
    covered = 0 if view.vectors is None else view.vectors.graph_rows
    if rows > GRAPH_FROM and not covered:
        return Check(
            name="hnswlib", ok=False, detail="installed, no graph in use: `helix rebuild` builds one", needed=False
        )
    return Check(name="hnswlib", ok=True, detail=f"graph over {covered} of {rows} vectors" if covered else "installed")
