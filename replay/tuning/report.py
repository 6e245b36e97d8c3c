"""The report of a tuning, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from .comparing import LEVEL, RESAMPLES
from .objectives import OBJECTIVES, SMALLER_IS_BETTER
from .tuning import Tuned

NAMES = {"ndcg": "NDCG@{k}", "mrr": "MRR", "calibration": "calibration error"}
VERDICTS = {
    "improved": "**Better.** On feedback it had not seen, the constants found rank better than those in force.",
    "no_gain": "**No gain.** On feedback it had not seen, no constants proved better than those in force.",
    "not_enough_evidence": "**Not enough evidence**: {lacking}.",
}
BETTER_ERROR = (
    "**Better.** On feedback it had not seen, the constants found foretell outcomes better than those in force."
)


def title(objective: str, k: int) -> str:
    """An objective as a person reads it."""
    return NAMES[objective].format(k=k)


def report(tuned: Tuned, *, split_at: str | None, events: int, adopt: str | None, plot: str) -> str:
    """The page, with the plot beside it by name.

    Args:
        tuned: What was found.
        split_at: When the later part begins.
        events: Events of the log.
        adopt: The line to run, if any.
        plot: The file name of the plot.
    """
    blocks = [*_head(tuned, adopt)]
    if tuned.gains:
        blocks += ["## Before and after", _objectives(tuned), f"![Gains with their intervals, and the search]({plot})"]
        blocks += ["## Constants", _constants(tuned)]
    blocks += ["## What this rests on", *_basis(tuned, split_at, events)]
    return "\n\n".join(blocks) + "\n"


def _head(tuned: Tuned, adopt: str | None) -> Iterator[str]:
    yield f"# Tuning for {title(tuned.plan.objective, tuned.plan.k)}"
    error = tuned.verdict == "improved" and tuned.plan.objective in SMALLER_IS_BETTER
    yield BETTER_ERROR if error else VERDICTS[tuned.verdict].format(lacking=tuned.lacking)
    worse = [title(name, tuned.plan.k) for name, gain in tuned.gains.items() if gain.lost]
    if adopt is not None and worse:
        yield f"Mind that it makes worse: {', '.join(worse)}."
    if adopt is not None:
        yield f"To put them in force:\n\n```sh\n{adopt}\n```"


def _objectives(tuned: Tuned) -> str:
    lines = [f"| objective | before | after | gain | {LEVEL:.0%} interval |", "|---|---:|---:|---:|---:|"]
    for name in OBJECTIVES:
        if name in tuned.gains:
            gain = tuned.gains[name]
            low, high = gain.interval
            shown = f"{title(name, tuned.plan.k)}{' (searched for)' if name == tuned.plan.objective else ''}"
            cells = f"{tuned.before[name]:.4f} | {tuned.after[name]:.4f} | {gain.value:+.4f}"
            lines.append(f"| {shown} | {cells} | {low:+.4f} to {high:+.4f} |")
    return "\n".join(lines)


def _constants(tuned: Tuned) -> str:
    if not tuned.changes:
        return "None differs from those in force."
    lines = ["| constant | in force | found |", "|---|---:|---:|"]
    for name, (old, new) in tuned.changes.items():
        lines.append(f"| `{name}` | {'none' if old is None else format(old, 'g')} | {new:g} |")
    kept = [f"`{name}`" for name in tuned.plan.names if name not in tuned.changes]
    note = f"\n\nSearched too, and left as they are: {', '.join(kept)}." if kept else ""
    return "\n".join(lines) + note


def _basis(tuned: Tuned, split_at: str | None, events: int) -> Iterator[str]:
    plan, parts = tuned.plan, tuned.parts
    begin = "" if split_at is None else f", which begins at {split_at}"
    yield (
        f"The first {events:,} events of the log. Of the feedback that {title(plan.objective, plan.k)} can be judged "
        f"by, the earlier {parts.learn:,} were learned from and the later {parts.report:,} reported on{begin}."
    )
    if tuned.gains:
        yield (
            f"{len(tuned.trials):,} candidates, seed {plan.seed}. Every figure is of the later part. Intervals: "
            f"{RESAMPLES:,} resamples of its feedbacks, the same for before and after. A gain counts as proven when "
            "its whole interval is above zero."
        )
    yield METHOD
    yield LIMITS


METHOD = (
    "A query is one feedback on one recall; a memory is relevant if it was a cause of a good outcome. Scores are those "
    "that were shown, with what was learned under the constants of their day replaced by what would have been learned "
    "under others. The calibration error is the mean squared distance between the effectiveness of causes and their "
    "next outcome."
)
LIMITS = (
    "**What a log cannot say.** Only memories that were shown have feedback, and the constants of their day decided "
    "what was shown and in which order. A memory that other constants would have lifted into view is judged by nobody. "
    "A neighbour that a direct hit held back keeps the place it was held at. So these figures are about the order of "
    "what was shown; try larger changes on a copy of the store, or adopt them and tune again."
)
