"""`recall` and `explain`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from . import options
from .blocks import Block, Ids, Line, Meter, Prose, Span, Table
from .drawing import changed, chip, label
from .group import command
from .session import Session, call
from .text import given

if TYPE_CHECKING:
    from ...constants import Constants
    from ...replay.changes import Changes
    from ..explain import Explanations
    from ..memory import Memory
    from ..recall import Recalled, Result

CHANNELS = ("cli", "api", "mcp", "strategic", "tactical", "context", "brief")
FEW = 4
"""Events named behind a factor; all of them are in the JSON."""

asking = options.stack(
    options.limit(5),
    click.option("--hops", type=int, metavar="N", default=1, show_default=True, help="Edges to follow; 0: none."),
    click.option(
        "--min-relevance", type=float, metavar="COSINE", help="Lowest cosine; the embedder's own if not given."
    ),
    click.option("--min-effectiveness", type=float, metavar="SHARE", default=0.0, show_default=True, help="0 to 1."),
    click.option("--suppress", metavar="ID", multiple=True, help="Leave this memory out; may be repeated."),
    options.kind,
    options.tags,
    options.scope,
    options.as_of,
    click.option("--valid-at", metavar="TIME", help="What held then in the world."),
    click.option("--deep", is_flag=True, help="Also what was pruned or has expired."),
    click.option(
        "constants", "--set", metavar="NAME=VALUE", multiple=True, help="Answer as if this constant had this value."
    ),
)

EMPTY = {
    "empty_store": ("there is no memory yet that you may see", "put something in with `helix store TEXT`"),
    "nothing_visible": (
        "every memory that you may see is hidden or has expired",
        "add --deep for what was pruned or has expired, or --user NAME; `helix count` shows what there is",
    ),
    "nothing_left_by_filters": (
        "the filters leave no memory to choose from",
        "leave out what narrows it (--kind, --tag, --project ...), or add --deep for what was pruned or has expired",
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
        (
            "three procedures tagged deploy, as JSON",
            'helix recall "roll back a release" -n 3 --kind procedure -t deploy --json',
        ),
        ("what was believed on the first of March", 'helix recall "retry policy" --as-of 2026-03-01'),
        ("the same, had recency not counted", 'helix recall "retry policy" --set recency_per_day=0'),
    ],
)
@click.argument("query", metavar="QUERY|-")
@asking
@click.option("--exact", is_flag=True, help="No accelerator, however large the store.")
@click.option("--record/--no-record", default=True, help="Whether the log remembers the answer.  [default: record]")
@click.option("--channel", type=click.Choice(CHANNELS), default="cli", show_default=True, help="On whose behalf.")
@click.option("--goal", metavar="TEXT", help="What it is asked for.")
@click.pass_obj
def recall(session: Session, /, query: str, constants: Sequence[str], **chosen: object) -> None:
    """Ask memory.

    The best memories first, by meaning, words and names, weighted by what has helped before. Nothing that fits is an
    answer too, with the reason and exit code 0.
    """
    memory = session.memory()
    recalled = call(memory.recall, given(query, what="query"), constants=altered(memory, constants, chosen), **chosen)
    session.notes([recalled.degraded])
    days = {result.id: result.observed_at or _recorded(memory, result) for result in recalled.results}
    session.answer(recalled, lambda ids: draw_recalled(recalled, ids, days))


def _recorded(memory: Memory, result: Result) -> str:
    from ..times import format_time

    return format_time(memory.event(result.seq).recorded_at)


def altered(memory: Memory, changes: Sequence[str], chosen: Mapping[str, object]) -> Constants | None:
    """The constants in force at the point asked for with some changed, or None where nothing is."""
    if not changes:
        return None
    point = chosen.get("as_of")
    beliefs = memory.view(point if isinstance(point, str) else None).beliefs
    return beliefs.constants.altered(dict(map(constant, changes)), fingerprint=beliefs.fingerprint)


def constant(item: str) -> tuple[str, object]:
    """NAME=VALUE of a constant: a number, true, false or none."""
    name, _, text = item.partition("=")
    named: dict[str, object] = {"true": True, "false": False, "none": None}
    if name and text in named:
        return name, named[text]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (name and math.isfinite(number)):
        raise click.BadParameter(f"{item!r} is not of the form NAME=VALUE, for example recency_per_day=0")
    return name, int(number) if number.is_integer() else number


def draw_recalled(recalled: Recalled, ids: Ids, days: dict[str, str]) -> Iterator[Block]:
    """Ranked memories, or why there are none."""
    yield from supposition(recalled.counterfactual)
    for rank, result in enumerate(recalled.results, 1):
        yield from _hit(rank, result, ids, days[result.id])
    if not recalled.results:
        yield from nothing(recalled.empty_reason)
    yield Line(
        Span("recall", "dim") if recalled.recall_id else Span("not recorded", "dim"),
        Span(ids(recalled.recall_id), "id") if recalled.recall_id else None,
        Span(f"as of @{recalled.as_of.seq}/{recalled.as_of.time}", "dim"),
    )


def supposition(counterfactual: Changes | None) -> Iterator[Block]:
    """That an answer is no belief, and what was supposed for it."""
    if counterfactual:
        yield Line(Span("counterfactual", "bad"), *(Span(text, "dim") for text in changed(counterfactual)))


def nothing(reason: str | None) -> Iterator[Block]:
    """Why there is no answer, and what to try."""
    why, remedy = EMPTY.get(reason or "", (reason or "no reason is known", "ask in other words"))
    yield Line(f"Nothing found: {why}.")
    yield Prose(f"Try this: {remedy}.", tone="dim")


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


@command(
    "explain",
    examples=[
        ("why a recall answered as it did", "helix explain 01kc3v9q"),
        ("a question, without recording it", 'helix explain "retry policy" -n 1'),
        ("why a memory is not among the answers", 'helix explain "retry policy" --id 01kc4b1x'),
    ],
)
@click.argument("query", metavar="[QUERY|-|RECALL_ID]", required=False)
@click.option("--recall-id", metavar="ID", help="A recorded recall, run again at its own point.")
@click.option("--id", metavar="ID", help="Only this memory; if it is not among the results, why.")
@asking
@click.pass_obj
def explain(session: Session, /, query: str | None, constants: Sequence[str], **chosen: Any) -> None:  # noqa: ANN401
    """Show every factor of the scores of a recall.

    With its formula and the events behind it. Of a question, which is not recorded, or of a recall by its id.
    """
    memory = session.memory()
    if query is not None and chosen["recall_id"] is None and names_recall(memory, query):
        query, chosen["recall_id"] = None, query
    text = None if query is None else given(query, what="query")
    done = call(memory.explain, text, constants=altered(memory, constants, chosen), **chosen)
    session.answer(done, lambda ids: draw_explained(done, ids))


def names_recall(memory: Memory, text: str) -> bool:
    """Whether a text is the id of a recall, or the beginning of one."""
    from ...eventlog.events import MemoriesRecalled
    from ...eventlog.ids import is_own_id
    from ..opened import SHORTEST_PREFIX

    if len(text) < SHORTEST_PREFIX or not is_own_id(text.lower()):
        return False
    found = memory.eventlog.resolve(text.lower(), limit=2)
    return len(found) == 1 and isinstance(memory.event(found[0][1]).event, MemoriesRecalled)


def draw_explained(done: Explanations, ids: Ids) -> Iterator[Block]:
    """Each result with its factors."""
    yield Line(Span(done.query, "strong"), Span(f"as of @{done.as_of.seq}/{done.as_of.time}", "dim"))
    if done.same_order is not None:
        word = (
            "run again, it gives the same in the same order" if done.same_order else "run again, it gives another order"
        )
        yield Line(Span(word, "good" if done.same_order else "bad"))
    yield from supposition(done.counterfactual)
    for one in done.results:
        edge = Span(f"↳ {one.relation} {ids(one.via)}", "edge") if one.via else None
        yield Line(Span(f"{one.rank:>2}", "strong"), Span(f"{one.score:.6f}", "number"), Span(ids(one.id), "id"), edge)
        yield Prose(one.text, indent=4)
        yield Table(
            ("factor", "value", "events", "formula"),
            [
                (
                    Span(f"· {factor.name}", "dim") if factor.part else factor.name,
                    Span(f"{factor.value:.6f}", "dim" if factor.part else "number"),
                    Span(seqs(factor.events), "dim"),
                    factor.formula,
                )
                for factor in one.factors
            ],
            right=(1,),
            wrap=True,
            indent=4,
        )
    if done.absent is not None:
        yield Prose(f"Not among the results: {done.absent}.")
    elif not done.results:
        yield from nothing(done.empty_reason)


def seqs(events: Sequence[int]) -> str:
    """The first few of the events behind a factor."""
    shown = " ".join(f"@{seq}" for seq in events[:FEW])
    return f"{shown} ..." if len(events) > FEW else shown
