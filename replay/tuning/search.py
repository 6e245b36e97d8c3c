"""Looking for the constants with the highest score: Optuna's tree-structured Parzen estimator, asked in batches.

Candidates are asked for `BATCH` at a time and told in the order they were asked
for, so what is found depends on the seed and the number of trials, and not on how many
processes measure them (Bergstra et al. 2011; Akiba et al. 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ...errors import PackageMissing
from .space import Dimension

if TYPE_CHECKING:
    from types import ModuleType

BATCH = 8
"""Candidates that are asked for together, however many processes there are."""

RANDOM, LOOKED_AT = 32, 64
"""Candidates drawn evenly before any are chosen, and places looked at for each that is chosen."""

PATIENCE = 80
"""Trials without anything better after which the search ends."""

Values = dict[str, float]
Evaluate = Callable[[Sequence[Values]], Sequence[float]]
"""Scores of several candidates, in their order; more is better."""


class Trial(NamedTuple):
    """A candidate and its score."""

    values: Values
    score: float


def optuna() -> ModuleType:
    """The optuna package.

    Raises:
        PackageMissing: It is not installed.
    """
    try:
        package = import_module("optuna")
    except ImportError as error:
        raise PackageMissing(
            f"tuning needs the package optuna: {error}", remedy='pip install "helixlog[tune]"'
        ) from error
    return package


def search(
    evaluate: Evaluate,
    dimensions: Sequence[Dimension],
    start: Values,
    *,
    seed: int,
    trials: int,
    stop: Callable[[], bool],
    progress: Callable[[int, int], None] | None = None,
) -> list[Trial]:
    """Every candidate that was tried, the one to start from first.

    Args:
        evaluate: See `Evaluate`.
        dimensions: What to vary.
        start: The values in force.
        seed: Where chance begins.
        trials: Most candidates.
        stop: Asked between batches whether to end.
        progress: Told (trials done, trials at most).
    """
    package = optuna()
    done: list[Trial] = []
    with _silent(package):
        sampler = package.samplers.TPESampler(
            seed=seed, n_startup_trials=RANDOM, n_ei_candidates=LOOKED_AT, constant_liar=True
        )
        study = package.create_study(direction="maximize", sampler=sampler)
        study.enqueue_trial({one.name: one.place(start[one.name]) for one in dimensions})
        places = {one.name: package.distributions.FloatDistribution(0.0, 1.0) for one in dimensions}
        while len(done) < trials and not (done and (stop() or _stuck(done))):
            asked = [study.ask(places) for _ in range(min(BATCH, trials - len(done)))]
            candidates = [{one.name: one.value(trial.params[one.name]) for one in dimensions} for trial in asked]
            if not done:
                candidates[0] = dict(start)
            for trial, values, score in zip(asked, candidates, evaluate(candidates), strict=True):
                study.tell(trial, score)
                done.append(Trial(values, score))
            if progress is not None:
                progress(len(done), trials)
    return done


def best(trials: Sequence[Trial]) -> Trial:
    """The highest score, of equals the first."""
    return max(trials, key=lambda trial: trial.score)


def _stuck(done: Sequence[Trial]) -> bool:
    """Whether nothing better has been found for long."""
    return done.index(best(done)) < len(done) - PATIENCE


@contextmanager
def _silent(package: ModuleType) -> Iterator[None]:
    """Optuna without its own lines on stderr."""
    level = package.logging.get_verbosity()
    package.logging.set_verbosity(package.logging.ERROR)
    try:
        yield
    finally:
        package.logging.set_verbosity(level)
