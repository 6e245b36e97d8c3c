"""The whole of a tuning: evidence in, a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...constants import Constants
from .comparing import LEAST, Chance, Gain, Split, gain, missing, part, split
from .objectives import OBJECTIVES, Judge, Objective
from .search import Evaluate, Trial, Values, best, search
from .showings import Evidence
from .space import altered, dimension, value_of
from .workers import evaluating

Verdict = Literal["improved", "no_gain", "not_enough_evidence"]
WORTH = 0.02
"""A changed constant that brings less than this share of the gain found is put back."""


class Plan(NamedTuple):
    """What is asked; `k` are the ranks that NDCG looks at, `split` is the share of feedbacks to learn from."""

    objective: Objective
    names: tuple[str, ...]
    k: int = 5
    split: float = 0.7
    trials: int = 200
    jobs: int = 1
    seed: int = 0


class Tuned(NamedTuple):
    """What came of it.

    `before` and `after` are means over the later part by objective; these and `gains` are only there with enough
    evidence, and an objective that has too little is left out. `changes` has (value in force, value found) of what
    differs. `judged` counts feedbacks by objective, `needed` is how many each part must have, `lacking` what there is
    too little of.
    """

    plan: Plan
    parts: Split
    verdict: Verdict
    lacking: str | None
    changes: dict[str, tuple[float | None, float]]
    before: dict[str, float]
    after: dict[str, float]
    gains: dict[str, Gain]
    trials: tuple[Trial, ...]
    judged: Mapping[str, int]
    needed: int = LEAST


def tune(
    evidence: Evidence,
    held: Constants,
    plan: Plan,
    *,
    chance: Chance,
    fingerprint: str | None = None,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] | None = None,
) -> Tuned:
    """Search better constants on the earlier part of a log, and compare them with those in force on the later part.

    Args:
        evidence: What the log holds.
        held: The constants in force.
        plan: What is asked.
        chance: Draws the resamples.
        fingerprint: The embedder in use.
        stop: Asked between batches of trials whether to end.
        progress: Told (trials done, trials at most).
    """
    judge = Judge(evidence, held, plan.k)
    parts = split(judge, plan.objective, plan.split)
    lacking = missing(judge, plan.objective, parts)
    judged: dict[str, int] = {name: len(judge.feedbacks(name)) for name in OBJECTIVES}
    if lacking is not None:
        return Tuned(plan, parts, "not_enough_evidence", lacking, {}, {}, {}, {}, (), judged)
    start = {name: value_of(held, name, fingerprint) for name in plan.names}
    with evaluating(evidence, held, plan.objective, plan.k, parts, jobs=plan.jobs) as evaluate:
        trials = search(
            evaluate,
            [dimension(name) for name in plan.names],
            start,
            seed=plan.seed,
            trials=plan.trials,
            stop=stop,
            progress=progress,
        )
        values = _needed(evaluate, start, trials[0].score, best(trials))
    changed = {name: value for name, value in values.items() if value != start[name]}
    before, after = judge.measure(held), judge.measure(altered(held, changed))
    told: dict[str, tuple[float, float, Gain]] = {}
    for name in OBJECTIVES:
        late = part(judge, name, parts, later=True)
        if missing(judge, name, _as_judged(judge, name, parts)) is None:
            old, new = getattr(before, name)[late], getattr(after, name)[late]
            told[name] = float(old.mean()), float(new.mean()), gain(old, new, name, chance)
    return Tuned(
        plan=plan,
        parts=parts,
        verdict="improved" if told[plan.objective][2].proven else "no_gain",
        lacking=None,
        changes={name: (getattr(held, name), value) for name, value in changed.items()},
        before={name: one[0] for name, one in told.items()},
        after={name: one[1] for name, one in told.items()},
        gains={name: one[2] for name, one in told.items()},
        trials=tuple(trials),
        judged=judged,
    )


def _as_judged(judge: Judge, objective: Objective, parts: Split) -> Split:
    """The same split, counted in what another objective judges."""
    late = int(np.count_nonzero(part(judge, objective, parts, later=True)))
    return parts._replace(learn=len(judge.feedbacks(objective)) - late, report=late)


def _needed(evaluate: Evaluate, start: Values, base: float, found: Trial) -> Values:
    """The values found, with those put back that bring next to nothing: the least useful first."""
    values, score = dict(found.values), found.score
    allowed = WORTH * (score - base)
    while True:
        differing = [name for name in values if values[name] != start[name]]
        without: Sequence[Values] = [{**values, name: start[name]} for name in differing]
        scores = evaluate(without) if without else []
        if not scores or max(scores) < score - allowed:
            return values
        place = max(range(len(scores)), key=scores.__getitem__)
        values, score = without[place], max(score, scores[place])
