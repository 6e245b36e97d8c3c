"""`link`, `unlink`, `neighbors`, `lineage`: the graph."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .blocks import Line, Span
from .group import command
from .session import Session, call


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
            Line(Span(word, "good"), Span(ids(tie.source), "id"), Span(f"{tie.relation} →", "edge"), Span(ids(tie.target), "id"))
            for tie in done.removed
        ],
    )
