"""How neighbours are found: the one place that decides.

Measured on real text of 256 dimensions (`tools/bench/run.py vectors`): scoring
everything is exact and cheap up to about 20,000 visible rows. Above, codes
keep .99 of the best ten at a cost that grows with the rows: 1 ms at 100,000,
or 3 where nothing was compiled. A graph has to search wide to keep as many
(6 ms, hardly growing), so it is asked from a quarter of a million rows on, while
at least a fifth of its rows are visible: its filter is a Python call for each
row it visits.
"""

from __future__ import annotations

from typing import Literal

from ...embedding.protocol import FloatArray
from . import codes
from .exact import Nearest, Visible, nothing, scan, settle
from .hnsw import Graph
from .rows import Rows

EXACT_UP_TO = 20_000
GRAPH_FROM = 250_000
GRAPH_SHARE = 0.2

Way = Literal["scan", "graph", "codes"]


def choose(visible: Visible, graph: Graph | None, *, exact: bool) -> Way:
    """Which way answers a query over these rows."""
    if exact or visible.total <= EXACT_UP_TO:
        return "scan"
    if graph is None or visible.total < GRAPH_FROM or visible.stop - graph.rows > EXACT_UP_TO:
        return "codes"
    return "graph" if visible.total >= GRAPH_SHARE * max(graph.rows, visible.stop) else "codes"


def nearest(
    rows: Rows,
    graph: Graph | None,
    query: FloatArray,
    visible: Visible,
    *,
    floor: float,
    limit: int,
    exact: bool,
) -> Nearest:
    """The nearest texts among the visible rows; arguments as in `VectorIndex.nearest`."""
    if not visible.total:
        return nothing()
    way = choose(visible, graph, exact=exact)
    if way == "scan":
        chosen, dots = scan(rows, query, visible)
        return settle(rows, query, chosen, dots, floor=floor, limit=limit, complete=True)
    if way == "graph" and graph is not None:
        found, dots = graph.candidates(rows, query, visible, limit if rows.single else 3 * limit)
        answer = settle(rows, query, found, dots, floor=floor, limit=limit, complete=False)
        # Fewer texts than asked for, and not because of the floor: the graph did not reach enough of them.
        if len(answer.ordinals) >= limit or (len(dots) and float(dots.min()) < floor):
            return answer
    return codes.nearest(rows, query, visible, floor=floor, limit=limit)
