"""`stats`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Bars, Block, Ids, Line, Pairs, Span, Table, number
from .drawing import told
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..statistics import Bucket, Stats, Top


@command("stats", examples=[("as plots", "helix stats"), ("as numbers", "helix stats --json")])
@options.user
@options.as_of
@click.pass_obj
def stats(session: Session, /, **chosen: object) -> None:
    """Draw how the memories are spread.

    Effectiveness, contexts and use of live memories, how they hang together, the events of the log, and sizes.
    """
    found = call(session.memory().stats, **chosen)
    session.answer(found, lambda ids: [*draw_stats(found, ids), *told(found.as_of, chosen)])


def draw_stats(found: Stats, ids: Ids) -> Iterator[Block]:
    """Plots, lists and sizes, an empty line between."""
    yield Line(
        Span(number(found.memories), "number"), "live memories,", Span(number(found.used), "number"), "ever used"
    )
    for blocks in (_distributions(found), _tops(found, ids), [_graph(found, ids)], [_log(found)], [_sizes(found)]):
        for block in blocks:
            yield Line("")
            yield block


def _distributions(found: Stats) -> Iterator[Block]:
    mean = "" if found.effectiveness_mean is None else f", mean {found.effectiveness_mean:.2f}"
    yield Bars(f"effectiveness of used memories{mean}", _buckets(found.effectiveness, 1))
    if any(bucket.count for bucket in found.spread):
        yield Bars("spread of the contexts they helped in", _buckets(found.spread, 3))
    yield Bars("causal feedbacks within the velocity window", [(str(k), n) for k, n in found.velocity.items()])


def _buckets(buckets: Iterable[Bucket], digits: int) -> list[tuple[str, float]]:
    return [(f"{one.low:.{digits}f} to {one.high:.{digits}f}", one.count) for one in buckets]


def _tops(found: Stats, ids: Ids) -> Iterator[Block]:
    if found.top_velocity:
        yield _top("feedbacks", found.top_velocity, ids)
    if found.top_connected:
        yield _top("edges", found.top_connected, ids)


def _top(what: str, tops: Sequence[Top], ids: Ids) -> Table:
    rows = [(str(top.number), Span(ids(top.id), "id"), top.text) for top in tops]
    return Table((what, "memory", "text"), rows, right=(0,))


def _graph(found: Stats, ids: Ids) -> Pairs:
    graph = found.graph
    return Pairs(
        [
            ("edges", f"{graph.edges:,} between {graph.nodes:,} memories, density {graph.density:.3f}"),
            ("components", f"{graph.components:,}, the largest of {graph.largest:,}, {graph.isolates:,} alone"),
            ("relations", ", ".join(f"{name} {count:,}" for name, count in graph.relations.items()) or None),
            ("hold it together", " ".join(ids(one) for one in graph.articulation) or None),
        ]
    )


def _log(found: Stats) -> Bars:
    return Bars("events of the log", list(found.log.items()))


def _sizes(found: Stats) -> Pairs:
    sizes = found.sizes
    return Pairs(
        [
            ("texts", number(sizes.texts)),
            ("vectors", f"{sizes.vectors:,} of {sizes.dimensions} dimensions" if sizes.vectors else "none"),
            ("log", _bytes(sizes.log_bytes)),
            ("projections", _bytes(sizes.projection_bytes)),
        ]
    )


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit in ("bytes", "kB") else f"{size:,.1f} {unit}"
