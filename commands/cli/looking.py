"""`get` and `list`: what is in the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Block, Ids, Line, Meter, Pairs, Piece, Prose, Span, Table
from .drawing import address, chip, label, state_tone, told
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..listing import Listed
    from ..records import Record

STATES = ("live", "forgotten", "superseded", "pruned", "expired", "not_yet_valid", "no_longer_valid", "all")


@command(
    "get",
    examples=[
        ("by the beginning of its id", "helix get 01kc3v9q"),
        ("as it was a week ago", "helix get 01kc3v9q --as-of 7d"),
    ],
)
@options.memory
@options.user
@options.as_of
@click.pass_obj
def get(session: Session, /, **chosen: object) -> None:
    """Show one memory.

    Whatever its state; the id of a text that was merged shows the memory it belongs to.
    """
    record = call(session.memory().get, **chosen)
    session.answer(record, lambda ids: [*draw_record(record, ids), *told(record.as_of, chosen)])


@command(
    "list",
    examples=[
        ("the newest", "helix list"),
        ("what helped most, among procedures", "helix list --kind procedure --order effectiveness -n 10"),
        ("everything that is out of sight, as JSON", "helix list --state forgotten --json"),
    ],
)
@options.limit(20)
@click.option("--cursor", metavar="CURSOR", help="Go on where the page before ended.")
@click.option("--state", type=click.Choice(STATES), help="live if not given.")
@options.kind
@options.tags
@click.option("--entity", metavar="NAME", help="Only what names this entity.")
@options.scope
@click.option(
    "--order",
    type=click.Choice(["newest", "oldest", "effectiveness"]),
    default="newest",
    show_default=True,
    help="Order.",
)
@options.as_of
@click.pass_obj
def list_(session: Session, /, **chosen: object) -> None:
    """List memories.

    A page at a time; the last line says how to go on.
    """
    listed = call(session.memory().list, **chosen)
    session.answer(listed, lambda ids: [*draw_list(listed, ids), *told(listed.as_of, chosen)])


def draw_list(listed: Listed, ids: Ids) -> Iterator[Block]:
    """A line for each memory."""
    if not listed.memories:
        yield Line("No memory fits.", Span("`helix count` shows what there is.", "dim"))
        return
    yield Table(
        ("memory", "effectiveness", "recorded", "kind", "text"),
        [
            (
                Span(ids(one.id), "id"),
                Meter(one.effectiveness),
                Span(one.recorded_at[:10], "dim"),
                label(one.kind, (), one.state),
                one.text,
            )
            for one in listed.memories
        ],
    )
    if listed.next is not None:
        yield Line(Span("more: --cursor", "dim"), listed.next)


def draw_record(record: Record, ids: Ids) -> Iterator[Block]:
    """One memory with everything known of it."""
    yield Line(
        Span(ids(record.id), "id"),
        state_tone(record.state),
        Meter(record.effectiveness),
        label(record.kind, record.tags),
    )
    if record.title:
        yield Prose(record.title, indent=2, tone="strong")
    yield Prose(record.text, indent=2)
    yield Line(chip(record.provenance, record.observed_at or record.recorded_at), indent=2)
    yield Pairs([*_learned(record), *_about(record), *_times(record), *_related(record, ids)])


def _learned(record: Record) -> list[tuple[str, Piece | None]]:
    adjusted = None if record.adjusted == record.effectiveness else f"{record.adjusted:.2f}"
    return [
        ("used", f"{record.uses} times, {record.hits} as a cause" if record.uses else "never yet"),
        ("adjusted", adjusted),
        ("velocity", str(record.velocity) if record.velocity else None),
        ("spread", f"{record.spread:.2f}" if record.spread else None),
    ]


def _about(record: Record) -> list[tuple[str, Piece | None]]:
    scope = record.scope
    held = [f"{n} {v}" for n in ("user", "project", "session", "agent", "container") if (v := getattr(scope, n))]
    if scope.visibility == "shared":
        held.append("shared")
    return [
        ("entities", ", ".join(record.entities) or None),
        ("categories", ", ".join(record.categories) or None),
        ("metadata", ", ".join(f"{name}={value}" for name, value in record.metadata.items()) or None),
        ("pinned to", record.pin),
        ("protected", "yes" if record.protected else None),
        ("origin", None if record.origin == "normal" else record.origin),
        ("scope", ", ".join(held) or None),
        ("granted to", ", ".join(scope.grants) or None),
        ("source", address(record.provenance)),
        ("quote", record.provenance.quote),
    ]


def _times(record: Record) -> list[tuple[str, Piece | None]]:
    return [
        ("recorded", f"{record.recorded_at} @{record.seq}"),
        ("observed", record.observed_at),
        ("valid from", record.valid_from),
        ("valid to", record.valid_to),
        ("expires", record.expires_at),
        ("event", _span(record.event_start, record.event_end)),
    ]


def _span(start: str | None, end: str | None) -> str | None:
    return None if start is None and end is None else f"{start or '...'} to {end or '...'}"


def _related(record: Record, ids: Ids) -> list[tuple[str, Piece | None]]:
    return [
        ("superseded by", _ids(record.superseded_by and [record.superseded_by], ids)),
        ("supersedes", _ids(record.supersedes, ids)),
        ("merged from", _ids(record.merged_from, ids)),
        ("derived from", _ids(record.provenance.derived_from, ids)),
    ]


def _ids(names: Sequence[str] | None, ids: Ids) -> Span | None:
    return Span(" ".join(ids(name) for name in names), "id") if names else None
