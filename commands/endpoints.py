"""The ends of an edge, as people write them and as the graph knows them.

`ID` or `memory:ID` is a memory, by its id or a unique beginning of it. Anything
else says what it is: `entity:NAME` and `category:NAME`, matched by the
normalised key of the name, `document:ID`, `session:ID`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec

from ..errors import InvalidInput
from ..eventlog.events import Endpoint, EndpointKind
from ..projections.beliefs import Beliefs
from ..projections.graph.edges import Edge, resolved_edge
from ..projections.ledger.normal import name_key
from . import checks
from .appending import root_of, text_id
from .seeing import quoted

if TYPE_CHECKING:
    from .opened import OpenStore

KINDS: tuple[EndpointKind, ...] = get_args(EndpointKind)
NAMED = ("entity", "category")


class Tie(msgspec.Struct, frozen=True, kw_only=True):
    """An edge between two ends, each `ID` or `KIND:NAME`; weight in (0, 1]."""

    source: str
    target: str
    relation: str
    weight: float


def endpoint(self: OpenStore, text: str, user: str | None) -> Endpoint:
    """The end that `text` names, of memories among those `user` may see; see the module.

    Raises:
        InvalidInput: It is none of those.
        NotFound, AmbiguousId: No memory, or several, have that id.
    """
    kind, colon, name = text.partition(":") if isinstance(text, str) else ("", "", "")
    if not colon:
        return Endpoint(id=text_id(self, text, user))
    if kind not in KINDS:
        raise InvalidInput(
            f"{quoted(text)} names no end of a link",
            remedy=f"write ID or KIND:NAME, with KIND one of {', '.join(KINDS[1:])}",
        )
    if kind == "memory":
        return Endpoint(id=text_id(self, name, user))
    plain = checks.check_name(name, what=kind)
    key = name_key(plain) if kind in NAMED else plain
    return Endpoint(kind=checks.check_choice(kind, KINDS, what="kind of end"), id=key)


def ends_of(beliefs: Beliefs, end: Endpoint) -> set[int]:
    """Every number under which the graph knows an end; empty for a name it has never seen.

    Raises:
        NotFound: It is a memory that was erased.
    """
    if end.kind == "memory":
        return set(beliefs.memories.members(root_of(beliefs, end.id)).tolist())
    code = beliefs.graph.ends.find(f"{end.kind}:{end.id}")
    return set() if code < 0 else {-1 - code}


def ties(beliefs: Beliefs, first: Endpoint, second: Endpoint, relation: str | None = None) -> list[Tie]:
    """Edges between two ends, either way, of one relation or all, between today's memories; each once, sorted."""
    ones, others = ends_of(beliefs, first), ends_of(beliefs, second)
    rows = {row for end in ones for row in beliefs.graph.rows(end)}
    found: dict[tuple[str, str, str], Tie] = {}
    for row in sorted(rows):
        edge = beliefs.graph.edge(row)
        joins = (edge.source in ones and edge.target in others) or (edge.target in ones and edge.source in others)
        today = resolved_edge(edge, beliefs.memories.root) if joins and relation in (None, edge.relation) else None
        if today is not None:
            tie = _tie(beliefs, today)
            key = tie.source, tie.target, tie.relation
            if tie.relation != "similar" or key not in found:
                found[key] = tie
    return [found[key] for key in sorted(found)]


def _tie(beliefs: Beliefs, edge: Edge) -> Tie:
    return Tie(
        source=end_name(beliefs, edge.source),
        target=end_name(beliefs, edge.target),
        relation=edge.relation,
        weight=edge.weight,
    )


def end_name(beliefs: Beliefs, end: int) -> str:
    """An end of the graph as people write it."""
    return beliefs.graph.end_name(end) if end < 0 else beliefs.texts.id_of(beliefs.memories.root(end))
