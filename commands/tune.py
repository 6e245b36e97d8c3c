"""`tune`: search better constants, judged by what the log says of recalls and how they went."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import InvalidInput
from ..eventlog.mapping import from_os
from . import checks
from .times import format_time

if TYPE_CHECKING:
    from ..replay.tuning.comparing import Chance
    from ..replay.tuning.objectives import Objective
    from ..replay.tuning.tuning import Plan, Tuned
    from .opened import OpenStore

Progress = Callable[[int, int], None]
"""(trials done, trials at most)."""

MOST_TRIALS, MOST_JOBS = 100_000, 256
REPORT, PLOT, ANSWER = "tune.md", "tune.svg", "tune.json"


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """Judged feedbacks in the earlier and the later part, and the time of the first of the later; null for none."""

    learn: int
    report: int
    at: str | None


class Better(msgspec.Struct, frozen=True, kw_only=True):
    """How much better, above 0, and the interval that holds it with 95 % confidence."""

    value: float
    interval: tuple[float, float]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdict rests on: events read, and how many feedbacks each objective can be judged by.

    Each part needs `needed` of them; `lacking` says what there is too little of, null where there is enough.
    """

    events: int
    judged: dict[str, int]
    needed: int
    lacking: str | None
    searched: tuple[str, ...]
    trials: int
    seed: int
    k: int


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """What a search for better constants found.

    `before`, `after` and `gain` are those of the later part by objective, empty without enough evidence. `constants`
    has (value in force, value found) of those that differ. `verdict` is improved, no_gain or not_enough_evidence;
    `adopt` the line to run, null unless improved.
    """

    objective: str
    split: Parts
    before: dict[str, float]
    after: dict[str, float]
    gain: dict[str, Better]
    constants: dict[str, tuple[float | None, float]]
    evidence: Evidence
    verdict: str
    adopt: str | None


def tune(
    self: OpenStore,
    *,
    objective: Objective = "ndcg",
    names: Sequence[str] = (),
    k: int = 5,
    split: float = 0.7,
    trials: int = 200,
    seconds: float | None = None,
    jobs: int = 1,
    seed: int = 0,
    report: str | Path | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Search better constants on the earlier part of the log, and say on the later part whether they are.

    The same log, seed and options give the same answer for any number of jobs, unless `seconds` cut the search short.
    Nothing is changed; `adopt` does that. With several jobs a script has to be importable, as for `multiprocessing`.

    Args:
        self: The store.
        objective: What is made better: ndcg, mrr or calibration. All are reported.
        names: Constants to vary, or groups of them; the effectiveness group if not given.
        k: Ranks that NDCG looks at.
        split: Share of the judged feedbacks, oldest first, that is learned from.
        trials: Most candidates.
        seconds: Most seconds to search.
        jobs: Processes to measure candidates in.
        seed: Where chance begins.
        report: A folder for the report, its plot and this answer; made if missing, earlier reports are replaced.
        progress: See `Progress`.

    Raises:
        InvalidInput: An option is out of range, or a constant is unknown or cannot be tuned.
        PackageMissing: optuna is not installed.
        StoreReadOnly, OutOfSpace: The report cannot be written.
    """
    from ..replay.tuning.search import optuna
    from ..replay.tuning.tuning import tune as search

    plan = _plan(objective, names, k=k, split=split, trials=trials, jobs=jobs, seed=seed)
    if seconds is not None and (isinstance(seconds, bool) or not seconds > 0):
        raise InvalidInput(f"{seconds!r} is no time to search", remedy="give seconds above 0")
    optuna()
    folder = None if report is None else _folder(Path(report))
    from ..replay.tuning.reading import read

    with self.reading():
        view = self.view(None if self.at is None else self.naming(self.at))
        held = view.beliefs
        if held.effectiveness.start:  # its earlier exposures were lost
            held = self.catalog.fold(held.seq, held.constants)
        seen = read(self.eventlog, held, lambda constants: self.catalog.fold(held.seq, constants))
    until = None if seconds is None else time.monotonic() + seconds
    tuned = search(
        seen,
        held.constants,
        plan,
        chance=_chance(seed),
        fingerprint=held.fingerprint,
        stop=lambda: until is not None and time.monotonic() > until,
        progress=progress,
    )
    answer = _answer(self, tuned, held.seq, None if folder is None else folder / ANSWER)
    if folder is not None:
        _write(folder, answer, tuned)
    return answer


def _plan(objective: Objective, names: Sequence[str], **numbers: Any) -> Plan:  # noqa: ANN401 - checked here
    from ..replay.tuning.objectives import OBJECTIVES
    from ..replay.tuning.space import chosen
    from ..replay.tuning.tuning import Plan

    checks.check_choice(objective, OBJECTIVES, what="objective")
    named = chosen(checks.check_names(names, what="constant"))
    checks.check_count(numbers["k"], what="k", most=1_000)
    checks.check_count(numbers["trials"], what="number of trials", most=MOST_TRIALS)
    checks.check_count(numbers["jobs"], what="number of jobs", most=MOST_JOBS)
    checks.check_count(numbers["seed"], what="seed", least=0, most=2**32 - 1)
    checks.check_share(numbers["split"], what="split")
    return Plan(objective, named, **numbers)


def _chance(seed: int) -> Chance:
    import numpy as np

    rng = np.random.default_rng(seed)
    return lambda below, size: rng.integers(0, below, size)


def _folder(folder: Path) -> Path:
    """The folder of the report, made before anything is searched."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, str(folder)) from error
    return folder


def _answer(self: OpenStore, tuned: Tuned, events: int, kept: Path | None) -> Tuning:
    plan, parts = tuned.plan, tuned.parts
    return Tuning(
        objective=plan.objective,
        split=Parts(
            learn=parts.learn,
            report=parts.report,
            at=None if parts.first is None else format_time(self.event(parts.first).recorded_at),
        ),
        before=tuned.before,
        after=tuned.after,
        gain={name: Better(value=gain.value, interval=gain.interval) for name, gain in tuned.gains.items()},
        constants=tuned.changes,
        evidence=Evidence(
            events=events,
            judged=dict(tuned.judged),
            needed=tuned.needed,
            lacking=tuned.lacking,
            searched=plan.names,
            trials=len(tuned.trials),
            seed=plan.seed,
            k=plan.k,
        ),
        verdict=tuned.verdict,
        adopt=adopt_line(tuned, kept) if tuned.verdict == "improved" else None,
    )


def adopt_line(tuned: Tuned, kept: Path | None) -> str:
    """The command that puts the constants found in force; `kept` is the file of the evaluation, if there is one."""
    gain = tuned.gains[tuned.plan.objective]
    low, high = gain.interval
    changes = [f"--set {name}={value:g}" for name, (_, value) in tuned.changes.items()]
    reason = f"tune: {tuned.plan.objective} better by {gain.value:.3f} [{low:.3f}, {high:.3f}]"
    evaluation = [] if kept is None else [f"--evaluation {shlex.quote(str(kept))}"]
    return " ".join(["helix adopt", *changes, f'--reason "{reason}"', *evaluation])


def _write(folder: Path, answer: Tuning, tuned: Tuned) -> None:
    """The report, its plot, and the answer as `--json` has it."""
    from ..replay.tuning.plot import plot
    from ..replay.tuning.report import report

    files = {
        REPORT: report(tuned, split_at=answer.split.at, events=answer.evidence.events, adopt=answer.adopt, plot=PLOT),
        ANSWER: msgspec.json.format(msgspec.json.encode(answer)).decode() + "\n",
        PLOT: plot(tuned),
    }
    try:
        for name, text in files.items():
            if text:
                (folder / name).write_text(text, "utf-8")
            else:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise from_os(error, str(folder)) from error
