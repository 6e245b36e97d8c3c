"""`feedback` and `reinforce`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Block, Ids, Line, Meter, Span, Table
from .group import command
from .session import Session, call
from .text import given

if TYPE_CHECKING:
    from ..feedback import Feedback

OUTCOMES = ("delivered", "plan_complete", "partial", "blocked")


@command(
    "feedback",
    examples=[
        ("what a recall returned helped", "helix feedback 01kc3v9q --outcome delivered"),
        (
            "of what it returned, these two were used",
            "helix feedback 01kc3v9q --outcome delivered --used 01kc3v2a --used 01kc3v2b",
        ),
        ("without a recall, with a similarity", "helix feedback --id 01kc3v2a=0.82 --id 01kc3v2b --outcome blocked"),
        (
            "measured against what was worked on",
            "git diff | helix feedback --id 01kc3v2a --outcome partial --context -",
        ),
    ],
)
@click.argument("recall_id", metavar="[RECALL_ID]", required=False)
@click.option("--outcome", type=click.Choice(OUTCOMES), required=True, help="How it went.")
@click.option("ids", "--id", metavar="ID[=SIM]", multiple=True, help="A memory, and its cosine to the work if known.")
@click.option("--used", metavar="ID", multiple=True, help="A memory that was used; those not named were not.")
@click.option("--none-used", is_flag=True, help="None of them was used.")
@click.option("--context", metavar="TEXT|-", help="What was worked on.")
@click.option(
    "--source",
    type=click.Choice(["user", "agent", "synthesis"]),
    default="user",
    show_default=True,
    help="Who reports.",
)
@options.actor
@options.key
@click.pass_obj
def feedback(
    session: Session,
    /,
    *,
    recall_id: str | None,
    ids: Sequence[str],
    used: Sequence[str],
    none_used: bool,
    context: str | None,
    **chosen: object,
) -> None:
    """Say how it went, so that what helped rises.

    For the memories of a recall, or for memories by id. A memory counts as a cause if it is named as used; else if its
    similarity to the work reaches the causal threshold.
    """
    if used and none_used:
        raise click.UsageError("--used and --none-used contradict each other")
    done = call(
        session.memory().feedback,
        recall_id,
        ids=[exposure(item) for item in ids],
        used=list(used) if used or none_used else None,
        context=None if context is None else given(context, what="context"),
        **chosen,
    )
    session.answer(done, lambda short: draw_feedback(done, short))


def exposure(item: str) -> str | tuple[str, float]:
    """`ID` or `ID=SIM`."""
    name, mark, similarity = item.partition("=")
    if not mark:
        return item
    try:
        return name, float(similarity)
    except ValueError:
        raise click.BadParameter(f"{similarity!r} is no similarity; write --id ID=0.8", param_hint="--id") from None


def draw_feedback(done: Feedback, ids: Ids) -> Iterator[Block]:
    """Effectiveness before and after of every memory the feedback reached."""
    yield Line(
        Span(done.outcome, "strong"), Span("repeated: nothing new was recorded", "dim") if done.repeated else None
    )
    yield Table(
        ("memory", "before", "after", "change", "cause"),
        [
            (
                Span(ids(one.id), "id"),
                Meter(one.before),
                Meter(one.after),
                _change(one.after - one.before),
                f"yes, weight {one.weight:.2f}" if one.causal else one.note or "no",
            )
            for one in done.updated
        ],
        right=(3,),
    )


def _change(points: float) -> Span:
    tone = "good" if points > 0 else "bad" if points < 0 else "dim"
    return Span(f"{points * 100:+.1f}", tone)  # type: ignore[arg-type]


@command(
    "reinforce",
    examples=[("it was of use in a review", 'helix reinforce 01kc3v9q --note "quoted in the review"')],
)
@options.memory
@click.option("--note", metavar="TEXT", help="What it was used for.")
@options.actor
@options.key
@click.pass_obj
def reinforce(session: Session, /, **chosen: object) -> None:
    """Note that a memory was used.

    One access more and a little more salience, without a verdict; whether it helped is for `helix feedback`.
    """
    done = call(session.memory().reinforce, **chosen)
    word = "reinforced before" if done.repeated else "reinforced"
    session.answer(
        done,
        lambda ids: [
            Line(
                Span(word, "good"),
                Span(ids(done.id), "id"),
                f"used {done.accesses} times" if done.accesses != 1 else "used once",
                Span(f"salience {done.salience:g}", "dim"),
            )
        ],
    )
