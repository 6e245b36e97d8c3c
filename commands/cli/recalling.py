"""`recall` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Block, Ids, Line, Meter, Prose, Span
from .drawing import chip, label
from .group import command
from .session import Session, call
from .text import given

if TYPE_CHECKING:
    from ...constants import Constants
    from ..memory import Memory
    from ..recall import Recalled, Result

CHANNELS = ("cli", "api", "mcp", "strategic", "tactical", "context", "brief")
CHANGES = click.option(
    "changes", "--set", metavar="NAME=VALUE", multiple=True, help="Answer as if this constant had this value."
)

EMPTY = {
    "empty_store": ("the store holds no memory yet", "put something in with `helix store TEXT`"),
    "nothing_visible": (
        "every memory is hidden, expired or another user's",
        "add --deep for what was pruned or has expired, or --user NAME for whose it is; `helix count` shows what there is",
    ),
    "nothing_left_by_filters": (
        "the filters leave no memory to choose from",
        "leave out --kind, --tag, --project, --valid-at or whatever narrows it; --deep adds what was pruned or has expired",
    ),
    "nothing_relevant": (
        "no memory is near enough to the question, and none has its words",
        "ask in other words, or with a lower --min-relevance, for example 0.1",
    ),
}
"""What a reason means, and what to try."""


@command(
    "recall",
    examples=[
        ("ask", 'helix recall "what happens when a charge fails?"'),
        ("three procedures tagged deploy, as JSON", 'helix recall "roll back a release" -n 3 --kind procedure -t deploy --json'),
        ("what was believed on the first of March", 'helix recall "retry policy" --as-of 2026-03-01'),
        ("the same, had recency not counted", 'helix recall "retry policy" --set recency_per_day=0'),
    ],
)
@click.argument("query", metavar="QUERY|-")
@options.limit(5)
@click.option("--hops", type=int, metavar="N", default=1, show_default=True, help="Edges to follow from the best; 0: none.")
@click.option("--min-relevance", type=float, metavar="COSINE", help="Lowest cosine; the embedder's own if not given.")
@click.option("--min-effectiveness", type=float, metavar="SHARE", default=0.0, show_default=True, help="0 to 1.")
@click.option("--suppress", metavar="ID", multiple=True, help="Leave this memory out; may be repeated.")
@options.kind
@options.tags
@options.scope
@options.as_of
@click.option("--valid-at", metavar="TIME", help="What held then in the world.")
@click.option("--deep", is_flag=True, help="Also what was pruned or has expired.")
@click.option("--exact", is_flag=True, help="No accelerator, however large the store.")
@click.option("--record/--no-record", default=True, help="Whether the log remembers the answer.  [default: record]")
@click.option("--channel", type=click.Choice(CHANNELS), default="cli", show_default=True, help="On whose behalf.")
@click.option("--goal", metavar="TEXT", help="What it is asked for.")
@CHANGES
@click.pass_obj
def recall(session: Session, /, query: str, changes: Sequence[str], **chosen: object) -> None:
    """Ask memory.

    The best memories first, by meaning, words and names, weighted by what has helped before. Nothing that fits is an
    answer too, with the reason and exit code 0.
    """
    memory = session.memory()
    recalled = call(memory.recall, given(query, what="query"), constants=altered(memory, changes), **chosen)
    session.notes([recalled.degraded])
    days = {result.id: result.observed_at or _recorded(memory, result) for result in recalled.results}
    session.answer(recalled, lambda ids: draw_recalled(recalled, ids, days))


def _recorded(memory: Memory, result: Result) -> str:
    from ..times import format_time

    return format_time(memory.event(result.seq).recorded_at)


def altered(memory: Memory, changes: Sequence[str]) -> Constants | None:
    """The constants in force with some changed, or None where nothing is."""
    if not changes:
        return None
    beliefs = memory.view().beliefs
    return beliefs.constants.altered(dict(map(constant, changes)), fingerprint=beliefs.fingerprint)


def constant(item: str) -> tuple[str, object]:
    """NAME=VALUE of a constant; the value is JSON."""
    import msgspec

    name, mark, text = item.partition("=")
    try:
        value: object = msgspec.json.decode(text)
    except msgspec.DecodeError:
        mark = ""
    if not (mark and name):
        raise click.BadParameter(f"{item!r} is not of the form NAME=VALUE, for example recency_per_day=0")
    return name, value


def draw_recalled(recalled: Recalled, ids: Ids, days: dict[str, str]) -> Iterator[Block]:
    """Ranked memories, or why there are none."""
    if recalled.counterfactual:
        yield Line(Span("with other constants than those in force", "dim"))
    for rank, result in enumerate(recalled.results, 1):
        yield from _hit(rank, result, ids, days[result.id])
    if not recalled.results:
        why, next_step = EMPTY.get(recalled.empty_reason or "", (recalled.empty_reason or "nothing", "ask in other words"))
        yield Line(f"Nothing found: {why}.")
        yield Prose(f"Try this: {next_step}.", tone="dim")
    yield Line(
        Span("recall", "dim") if recalled.recall_id else Span("not recorded", "dim"),
        Span(ids(recalled.recall_id), "id") if recalled.recall_id else None,
        Span(f"as of @{recalled.as_of.seq}/{recalled.as_of.time}", "dim"),
    )


def _hit(rank: int, result: Result, ids: Ids, day: str) -> Iterator[Block]:
    edge = None
    if result.hop:
        edge = Span(f"↳ {result.relation} {ids(result.via)}" if result.via else f"↳ {result.relation}", "edge")
    yield Line(
        Span(f"{rank:>2}", "strong"),
        Span(f"{result.score:.4f}", "number"),
        Meter(result.effectiveness),
        Span(ids(result.id), "id"),
        label(result.kind, result.tags, result.state),
        edge,
    )
    if result.title:
        yield Prose(result.title, indent=4, tone="strong")
    yield Prose(result.text, indent=4)
    yield Line(chip(result.provenance, day), indent=4)
