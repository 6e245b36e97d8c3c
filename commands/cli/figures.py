"""`count`, `stats`, `health`, `constants`: numbers about the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from . import options
from .blocks import Block, Line, Meter, Pairs, Span, Table, number
from .drawing import constant_value, state_tone, told
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..health import Health

TAGS = 12
"""Tags that `health` names."""


@command("count", examples=[("now", "helix count"), ("at the end of February", "helix count --as-of 2026-02-28")])
@options.user
@options.as_of
@click.pass_obj
def count(session: Session, /, **chosen: object) -> None:
    """Count memories by state."""
    counted = call(session.memory().count, **chosen)
    rows = [(state_tone(state), number(value)) for state, value in counted.by_state.items() if value or state == "live"]
    session.answer(
        counted,
        lambda _: [
            Line(Span(number(counted.count), "number"), "live memories"),
            Table(("state", "count"), rows, right=(1,)),
            *told(counted.as_of, chosen),
        ],
    )


@command(
    "health",
    examples=[("is everything there, and is it used", "helix health"), ("for a monitor", "helix health --json")],
)
@options.user
@options.as_of
@click.pass_obj
def health(session: Session, /, **chosen: object) -> None:
    """Show whether everything works at its best.

    Whether memories are used and feedback is given, and whether every part of the store is there.
    """
    found = call(session.memory().health, **chosen)
    session.answer(found, lambda _: [*_draw_health(found), *told(found.as_of, chosen)])


def _draw_health(found: Health) -> Iterator[Block]:
    yield Line(Span(found.status, "good" if found.status == "HEALTHY" else "bad"))
    for reason in found.reasons:
        yield Line("-", reason, indent=2)
    yield Pairs(
        [
            ("memories", number(found.memories)),
            ("ever used", Meter(found.loop_coverage)),
            ("used as a cause", None if found.causal_ratio is None else Meter(found.causal_ratio)),
            ("effectiveness", None if found.effectiveness is None else Meter(found.effectiveness)),
            ("connected", Meter(found.connected_ratio)),
            ("edges", f"{found.edges:,}, {found.average_edges:.1f} for each memory"),
            ("events", f"{found.head:,}, of which {found.index_lag:,} are not in a generation yet"),
            ("tags", _most_carried(found.by_tag)),
        ]
    )
    yield Table(
        ("part", "state", "detail"),
        [
            (one.name, Span("ok", "good") if one.ok else Span("missing" if one.needed else "slower", "bad"), one.detail)
            for one in found.checks
        ],
        wrap=True,
    )


def _most_carried(by_tag: dict[str, int]) -> str | None:
    """The tags that most memories carry, and how many more there are; `--json` has them all."""
    shown = [f"{tag} {count}" for tag, count in by_tag.items()][:TAGS]
    more = len(by_tag) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])]) or None


@command(
    "constants",
    examples=[("in force now", "helix constants"), ("the full account of each", "helix constants --json")],
)
@options.as_of
@click.pass_obj
def constants(session: Session, /, **chosen: object) -> None:
    """Show every tunable number.

    None of them is ever written into a memory, so any can be changed: `helix recall --set NAME=VALUE` answers as if it
    were. Thresholds belong to an embedder.
    """
    held = call(session.memory().constants, **chosen)
    session.answer(
        held,
        lambda _: [
            Table(
                ("constant", "value", "unit", "range", "meaning"),
                [
                    (
                        Span(one.name, "strong" if one.value != one.default and not one.threshold else ""),
                        Span(constant_value(one.value), "number"),
                        Span(one.unit, "dim"),
                        Span(_range(one.range), "dim"),
                        one.description,
                    )
                    for one in held.constants
                ],
                right=(1,),
                wrap=True,
            ),
            Line(Span(f"thresholds of {held.fingerprint or 'no embedder'}, digest {held.digest}", "dim")),
            *told(held.as_of, chosen),
        ],
    )


def _range(bounds: tuple[float | None, float | None]) -> str:
    least, most = bounds
    return (
        ""
        if least is None and most is None
        else f"{'' if least is None else f'{least:g}'}..{'' if most is None else f'{most:g}'}"
    )
