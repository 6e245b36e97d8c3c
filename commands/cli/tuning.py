"""`tune`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from .blocks import Block, Line, Prose, Span, Table
from .group import command
from .session import Session, call

if TYPE_CHECKING:
    from ..tune import Tuning

VERDICTS = {
    "improved": Span("better constants found", "good"),
    "no_gain": Span("no gain: nothing proved better than what is in force", "strong"),
    "not_enough_evidence": Span("not enough evidence", "bad"),
}


@command(
    "tune",
    examples=[
        ("whether other constants would have ranked better", "helix tune"),
        ("with a report, in four processes", "helix tune --report tuning --jobs 4"),
        ("only these, for a minute at most", "helix tune --tune learning_rate --tune recency --seconds 60"),
    ],
)
@click.option(
    "--objective",
    type=click.Choice(["ndcg", "mrr", "calibration"]),
    default="ndcg",
    show_default=True,
    help="What is made better; all three are reported.",
)
@click.option(
    "names",
    "--tune",
    metavar="NAME",
    multiple=True,
    help="A constant to vary, or a group: effectiveness, recency, velocity, generality, initial; may be repeated.  "
    "[default: effectiveness]",
)
@click.option("--k", type=int, metavar="N", default=5, show_default=True, help="Ranks that NDCG looks at.")
@click.option("--split", type=float, metavar="SHARE", default=0.7, show_default=True, help="Share learned from.")
@click.option("--trials", type=int, metavar="N", default=200, show_default=True, help="Most candidates.")
@click.option("--seconds", type=float, metavar="N", help="Most seconds to search.")
@click.option("--jobs", type=int, metavar="N", default=1, show_default=True, help="Processes.")
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Where chance begins.")
@click.option("--report", metavar="DIR", help="Write tune.md, tune.svg and tune.json there.")
@click.pass_obj
def tune(session: Session, /, **chosen: object) -> None:
    """Search better constants, judged by the log.

    How well would recall have ranked, under other constants, the memories that turned out to help over those that did
    not? Learned on the earlier part of the feedback, told on the later, with an interval. Changes nothing. Needs
    the package optuna: pip install "helixlog[tune]".
    """
    memory = session.memory()
    with session.progress("tuning") as progress:
        found = call(memory.tune, progress=progress, **chosen)
    session.answer(found, lambda _: draw_tuning(found))
    if chosen["report"]:
        session.note(f"the report is in {chosen['report']}")


def draw_tuning(found: Tuning) -> Iterator[Block]:
    """The verdict, figures before and after, the constants, and the line to run."""
    yield Line(VERDICTS[found.verdict])
    if found.evidence.lacking is not None:
        yield Line(found.evidence.lacking, indent=2)
    if found.gain:
        yield Table(
            ("objective", "before", "after", "gain", "95% interval"),
            [
                (
                    Span(name, "strong" if name == found.objective else ""),
                    f"{found.before[name]:.4f}",
                    f"{found.after[name]:.4f}",
                    _tone(gain.value, gain.interval),
                    f"{gain.interval[0]:+.4f} to {gain.interval[1]:+.4f}",
                )
                for name, gain in found.gain.items()
            ],
            right=(1, 2, 3, 4),
        )
    if found.constants:
        yield Table(
            ("constant", "in force", "found"),
            [(name, "none" if old is None else f"{old:g}", f"{new:g}") for name, (old, new) in found.constants.items()],
            right=(1, 2),
        )
    yield Line(Span(_basis(found), "dim"))
    if found.adopt is not None:
        yield Prose(found.adopt)


def _tone(value: float, interval: tuple[float, float]) -> Span:
    low, high = interval
    return Span(f"{value:+.4f}", "good" if low > 0 else "bad" if high < 0 else "dim")


def _basis(found: Tuning) -> str:
    split, evidence = found.split, found.evidence
    since = f" since {split.at[:19]}Z" if split.at else ""
    return (
        f"learned from {split.learn:,} feedbacks, told on {split.report:,}{since}; "
        f"{evidence.trials:,} candidates, seed {evidence.seed}"
    )
