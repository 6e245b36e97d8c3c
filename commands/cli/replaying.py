"""`replay` and `adopt`: other constants, tried and put in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ...errors import Corrupted, InvalidInput
from . import options
from .blocks import Block, Ids, Line, Piece, Prose, Span, Table
from .comparing import constants_table, links_table, listed, moved, recalls_table, share, state_change
from .drawing import changed, counted, told
from .group import command
from .session import Session, call
from .supposing import read_json, supposed

if TYPE_CHECKING:
    from ..adopt import Adopted
    from ..replay import Replayed
    from ..sidebyside import Explained, Standing

LEANING = (
    "What is marked as shown ({count}) learned from feedback about recorded recalls. What those showed was decided by "
    "the constants of their day; had other memories been shown, there would have been other feedback. A replay "
    "changes what is made of that evidence, not the evidence."
)


@command(
    "replay",
    examples=[
        ("what a stricter threshold for causes would change", "helix replay --set causal=0.5"),
        ("the same, explained for one memory event by event", "helix replay --set causal=0.5 --explain 01kc3v9q"),
        ("the constants of a file, up to the first of March", "helix replay --constants tuned.json --as-of 2026-03-01"),
        ("ask in a memory that would have learned faster", "helix replay --set learning_rate=0.5 --open"),
        ("that everything is what the log says", "helix replay --check"),
    ],
)
@options.changes
@options.constants
@options.as_of
@click.option("--check", is_flag=True, help="Fold under the constants in force, and compare every projection's digest.")
@click.option("--explain", metavar="ID", help="Show this memory's events under both sets side by side.")
@options.recalls(1000)
@click.option("--open", "opens", is_flag=True, help="Ask in the memory as it would be; each line is a question.")
@options.user
@click.pass_context
def replay(
    ctx: click.Context, /, *, changes: Sequence[str], constants: str | None, opens: bool, **chosen: object
) -> None:
    """Fold the log again under other constants, and show what would differ.

    Merges, links, states, effectiveness, generality, and the order of recorded recalls. Exact, without an embedder,
    and nothing is written: it can be broken off at any moment and begun again. `helix adopt` puts constants in force.
    """
    session: Session = ctx.obj
    asked = supposed(changes, constants)
    if opens:
        from .opening import converse

        converse(session, asked, chosen)
        return
    if not asked and not chosen["check"]:
        raise InvalidInput(
            "no constant is given", remedy="name one, for example --set recency_per_day=0, or use --check"
        )
    memory = session.memory()
    with session.progress("replaying") as progress:
        done = call(memory.replay, changes=asked, progress=progress, **chosen)
    if done.projections is not None:
        session.answer(done, lambda _: draw_check(done))
        if not all(one.same for one in done.projections):
            ctx.exit(Corrupted.exit_code)
        return
    session.answer(done, lambda ids: [*draw_replayed(done, ids), *told(done.as_of, chosen)])


def draw_check(done: Replayed) -> Iterator[Block]:
    """Each projection and whether it is what the log folds to."""
    projections = done.projections or ()
    wrong = sum(not one.same for one in projections)
    yield Line(
        Span("sound", "good") if not wrong else Span(f"{counted(wrong, 'projection')} not what the log says", "bad"),
        f"{counted(done.head, 'event')} folded anew",
    )
    yield Table(
        ("projection", "is", "digest"),
        [
            (
                one.name,
                Span("the same", "good") if one.same else Span("another", "bad"),
                Span(one.digest[1] or "-", "dim"),
            )
            for one in projections
        ],
    )
    if wrong:
        yield Prose("Try this: `helix rebuild` makes them anew from the log.", tone="dim")


def draw_replayed(done: Replayed, ids: Ids) -> Iterator[Block]:
    """Everything that differs, one list a kind."""
    yield Line(Span("counterfactual", "bad"), *(Span(text, "dim") for text in changed(done.constants)))
    yield Line(
        f"{counted(done.head, 'event')} folded, {counted(done.recalls_asked, 'recorded recall')} asked again",
        Span(f"{counted(done.pairs_computed, 'pair')} computed beyond the evidence", "dim")
        if done.pairs_computed
        else None,
    )
    if done.explained is not None:
        yield from draw_explained(done.explained, ids)
        return
    lists = (done.memories, done.merges, done.links, done.recalls, done.ignored)
    if not any(lists):
        yield Line("Nothing would differ.")
    yield from _memories(done, ids)
    rows = [
        (Span(ids(one.id), "id"), _into(one.into[0], ids), _into(one.into[1], ids), one.text) for one in done.merges
    ]
    yield from listed("merges", ("text", "belongs to", "would belong to", ""), rows)
    yield from links_table(done.links, ids)
    yield from recalls_table(done.recalls, ids)
    events = [
        (Span(f"@{one.seq}", "number"), one.why[0] or "takes effect", one.why[1] or "takes effect")
        for one in done.ignored
    ]
    yield from listed("events", ("seq", "now", "then"), events, right=(0,))
    if done.leaning:
        yield Line("")
        yield Prose(LEANING.format(count=counted(done.leaning, "memory")), tone="dim")


def _memories(done: Replayed, ids: Ids) -> Iterator[Block]:
    rows: list[Sequence[Piece]] = [
        (
            Span(ids(one.id), "id"),
            *map(share, one.effectiveness),
            moved(*one.effectiveness),
            state_change(*one.state),
            Span("shown" if one.evidence else "", "dim"),
            one.text,
        )
        for one in done.memories
    ]
    yield from listed(
        "memories", ("memory", "now", "then", "change", "state", "leans on", "text"), rows, right=(1, 2, 3)
    )


def _into(root: str | None, ids: Ids) -> Span:
    return Span("itself", "dim") if root is None else Span(ids(root), "id")


def draw_explained(found: Explained, ids: Ids) -> Iterator[Block]:
    """A memory's events under both sets, marked where the two are not the same."""
    yield Line("")
    yield Line("history of", *(Span(ids(name), "id") for name in dict.fromkeys(found.id)), Span("now and then", "dim"))
    yield Table(
        ("", "seq", "time", "now", "state", "then", "state", "counted", "what"),
        [
            (
                Span("≠" if one.differs else "", "bad"),
                Span(f"@{one.seq}", "number"),
                Span(one.time[:10], "dim"),
                share(None if one.before is None else one.before.effectiveness),
                _state(one.before),
                Span(share(None if one.after is None else one.after.effectiveness), "strong" if one.differs else ""),
                _state(one.after),
                _counted(one.similarity, one.before, one.after),
                one.summary,
            )
            for one in found.events
        ],
        right=(1, 3, 5),
        wrap=True,
    )


def _state(standing: Standing | None) -> Span:
    return Span("no event of it" if standing is None else standing.state, "dim")


def _counted(similarity: float | None, before: Standing | None, after: Standing | None) -> str:
    """What a feedback counted for under each set."""
    weights = [None if one is None else one.weight for one in (before, after)]
    if weights == [None, None]:
        return ""
    words = ["-" if w is None else "no cause" if w < 0 else f"cause {w:.2f}" for w in weights]
    told_as = words[0] if words[0] == words[1] else " → ".join(words)
    return told_as if similarity is None else f"cosine {similarity:.2f}: {told_as}"


@command(
    "adopt",
    examples=[
        ("a constant by name", 'helix adopt --set recency_per_day=0.001 --reason "our notes do not age"'),
        (
            "what tuning found, with its report",
            'helix adopt --constants tuned.json --evaluation report.json --reason "tuned on May"',
        ),
    ],
)
@options.changes
@options.constants
@click.option("--reason", metavar="TEXT", required=True, help="Why, for the record.")
@click.option("--evaluation", metavar="FILE|-", help="What justifies them: a JSON object, kept in the log.")
@options.key
@click.pass_obj
def adopt(
    session: Session, /, *, changes: Sequence[str], constants: str | None, evaluation: str | None, **chosen: object
) -> None:
    """Put other constants in force.

    From here on every answer is that of the whole log folded with them; an answer as of before stays what it was. To go
    back, adopt the former values. `helix replay` shows beforehand what would differ.
    """
    said = None if evaluation is None else read_json(evaluation, what="evaluation")
    done = call(session.memory().adopt, changes=supposed(changes, constants), evaluation=said, **chosen)
    session.answer(done, lambda _: draw_adopted(done))


def draw_adopted(done: Adopted) -> Iterator[Block]:
    """What changed."""
    yield Line(Span("adopted before" if done.repeated else "adopted", "good"), f"from @{done.seq} on:", done.reason)
    yield from constants_table(done.constants)
