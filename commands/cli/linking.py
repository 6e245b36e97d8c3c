"""`link`, `unlink`, `neighbors`, `lineage`: the graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from . import options
from .blocks import Block, Ids, Line, Meter, Span, Table
from .drawing import state_tone, told
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..neighbors import Lineage, Neighbors


@command(
    "link",
    examples=[
        ("one led to the other", "helix link 01kc3v9q 01kc4b1x --relation led_to"),
        ("a memory to an entity", "helix link 01kc3v9q entity:Postgres --relation mentions --weight 0.8"),
    ],
)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--relation", metavar="WORD", default="relates_to", show_default=True, help="relates_to, led_to ...")
@click.option("--weight", type=float, metavar="W", default=1.0, show_default=True, help="Above 0, at most 1.")
@options.reason
@options.actor
@options.key
@click.pass_obj
def link(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Declare a relation between two memories.

    An end is an id, or entity:NAME, category:NAME, document:ID, session:ID. Recall follows the edge.
    """
    done = call(session.memory().link, **chosen)
    word = "linked before" if done.repeated else "linked"
    session.answer(
        done,
        lambda ids: [
            Line(
                Span(word, "good"),
                Span(ids(done.source), "id"),
                Span(f"{done.relation} →", "edge"),
                Span(ids(done.target), "id"),
                Span(f"weight {done.weight:g}", "dim"),
            )
        ],
    )


@command(
    "unlink",
    examples=[
        ("every relation between the two", "helix unlink 01kc3v9q 01kc4b1x"),
        ("only that they are similar", 'helix unlink 01kc3v9q 01kc4b1x --relation similar --reason "other service"'),
    ],
)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--relation", metavar="WORD", help="Only this relation; all if not given.")
@options.reason
@options.actor
@options.key
@click.pass_obj
def unlink(session: Session, /, **chosen: Any) -> None:  # noqa: ANN401
    """Take a relation back.

    In either direction, also one that was found by similarity; it is not found again.
    """
    done = call(session.memory().unlink, **chosen)
    word = "unlinked before" if done.repeated else "unlinked"
    session.answer(
        done,
        lambda ids: [
            Line(
                Span(word, "good"),
                Span(ids(tie.source), "id"),
                Span(f"{tie.relation} →", "edge"),
                Span(ids(tie.target), "id"),
            )
            for tie in done.removed
        ],
    )


@command(
    "neighbors",
    examples=[
        ("everything it is tied to", "helix neighbors 01kc3v9q"),
        ("what it led to", "helix neighbors 01kc3v9q --relation led_to"),
    ],
)
@options.memory
@click.option("--relation", metavar="WORD", help="Only this relation, such as similar or mentions.")
@options.limit(20)
@options.user
@options.as_of
@click.pass_obj
def neighbors(session: Session, /, **chosen: object) -> None:
    """Show what a memory is related to.

    Declared relations, similar memories, and those that name the same entity or category.
    """
    found = call(session.memory().neighbors, **chosen)
    session.answer(found, lambda ids: [*_draw_neighbors(found, ids), *told(found.as_of, chosen)])


def _draw_neighbors(found: Neighbors, ids: Ids) -> Iterator[Block]:
    yield Line("neighbors of", Span(ids(found.id), "id"), Span(f"{len(found.neighbors)} of {found.total}", "dim"))
    if not found.neighbors:
        return
    yield Table(
        ("relation", "weight", "neighbor", "state", "text"),
        [
            (
                Span(f"{one.relation} →" if one.direction == "out" else f"← {one.relation}", "edge"),
                f"{one.weight:.2f}",
                Span(one.id if one.text is None else ids(one.id), "id"),
                state_tone(one.state) if one.state else "",
                one.text or "",
            )
            for one in found.neighbors
        ],
        right=(1,),
    )


@command(
    "lineage",
    examples=[
        ("three steps each way", "helix lineage 01kc3v9q"),
        ("only the nearest, as JSON", "helix lineage 01kc3v9q --hops 1 --json"),
    ],
)
@options.memory
@click.option("--hops", type=int, metavar="N", default=3, show_default=True, help="Most steps each way.")
@options.user
@options.as_of
@click.pass_obj
def lineage(session: Session, /, **chosen: object) -> None:
    """Show what a memory came from and what came of it.

    Along the relations led_to and derives.
    """
    found = call(session.memory().lineage, **chosen)
    session.answer(found, lambda ids: [*_draw_lineage(found, ids), *told(found.as_of, chosen)])


def _draw_lineage(found: Lineage, ids: Ids) -> Iterator[Block]:
    tied: dict[str, list[str]] = {}
    for edge in found.edges:
        tied.setdefault(edge.source, []).append(f"{edge.relation} → {ids(edge.target)}")
    yield Table(
        ("step", "memory", "state", "effectiveness", "edges", "text"),
        [
            (
                Span(f"{node.hop:+d}" if node.hop else "here", "strong" if not node.hop else "number"),
                Span(ids(node.id), "id"),
                state_tone(node.state),
                Meter(node.effectiveness),
                Span(", ".join(tied.get(node.id, [])), "edge"),
                node.text,
            )
            for node in sorted(found.nodes, key=lambda node: node.hop)
        ],
        right=(0,),
    )
