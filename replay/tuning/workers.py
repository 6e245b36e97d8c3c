"""Measuring candidates, here or in several processes. Each process has its own copy of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...constants import Constants
from .comparing import Split, score
from .objectives import Judge, Objective
from .search import Evaluate, Values
from .showings import Evidence, portable
from .space import altered


class Worker:
    """Scores candidates by one objective over the earlier part of a log."""

    def __init__(self, evidence: Evidence, held: Constants, objective: Objective, k: int, parts: Split) -> None:
        self._judge = Judge(evidence, held, k)
        self._held, self._objective, self._parts = held, objective, parts

    def score(self, values: Values) -> float:
        """The score of one candidate."""
        return score(self._judge, self._judge.measure(altered(self._held, values)), self._objective, self._parts)


@contextmanager
def evaluating(
    evidence: Evidence, held: Constants, objective: Objective, k: int, parts: Split, *, jobs: int
) -> Iterator[Evaluate]:
    """What scores candidates, in `jobs` processes; the scores are the same for any number of them."""
    ready = (portable(evidence), held, objective, k, parts)
    if jobs == 1:
        worker = Worker(*ready)
        yield lambda candidates: [worker.score(values) for values in candidates]
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Processes start anew: a fork would take over the locks of this one's threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, ready) as pool:

        def evaluate(candidates: Sequence[Values]) -> list[float]:
            return list(pool.map(_score, candidates))

        yield evaluate


_own: list[Worker] = []
"""The worker of a process that was started for one."""


def _start(evidence: Evidence, held: Constants, objective: Objective, k: int, parts: Split) -> None:
    _own[:] = [Worker(evidence, held, objective, k, parts)]


def _score(values: Values) -> float:
    return _own[0].score(values)
