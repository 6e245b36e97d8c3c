"""kill -9 at random moments and at every named step, over every verb that writes."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from random import Random

import msgspec

from .checking import Promise, Verdict, promises
from .nursery import Child, ChildDied, Nursery, Starter, must
from .tally import Tally
from .workloads import WORKLOADS, fresh

ROUNDS = 3
"""Kills of one store, one after the other."""
LINES, SLOW = 12, 5
"""Lines a process may print before it is killed, at most; fewer for a verb that takes long,"""
MOMENT = 0.02
"""and seconds that may pass then."""
STEPS_AT_ONCE = 12


def template(nursery: Starter, folder: Path) -> Path:
    """A store to copy."""
    nursery.ask("crash.workloads:prepare", folder / "template")
    return folder / "template"


def judge(
    nursery: Starter, place: Path, promised: list[Promise], label: str, tally: Tally, *, deep: bool = True
) -> Verdict | None:
    """Check a store in a child and count what was found."""
    tally.checks += 1
    tally.promises += len(promised)
    try:
        told = [[one.seq, one.digest, one.made] for one in promised]
        answer = nursery.ask("crash.checking:looked_at", place, told, deep)
    except (ChildDied, TimeoutError) as error:
        tally.losses.append(f"{label}: {error}")
        return None
    verdict = msgspec.convert(answer, Verdict)
    tally.losses += [f"{label}: {loss}" for loss in verdict.losses]
    return verdict


def kill_loop(nursery: Starter, name: str, seed: int, place: Path, rounds: int = ROUNDS) -> Tally:
    """Kill a workload at random moments; the same store is used again after each kill."""
    tally, rng, promised = Tally(), Random(seed), []
    for number in range(rounds):
        child = nursery.start("crash.workloads:run", name, place, seed * 100 + number, 0)
        lines = _killed(child, rng, SLOW if name in ("publish", "rebuild", "backup", "erase") else LINES)
        tally.kills += 1
        tally.mid += bool(lines) and lines[-1].startswith("BEGIN")
        promised += promises(lines)
        label = f"kills: {name}, seed {seed}, kill {number}"
        if any(line.startswith("Traceback") for line in lines):
            tally.losses.append(f"{label}: {lines[-3:]}")
        judge(nursery, place, promised, label, tally)
        if tally.losses:
            break
    return tally


def _killed(child: Child, rng: Random, lines: int) -> list[str]:
    """Kill a child a moment after some of its lines; the whole lines it printed."""
    enough, printed = rng.randint(1, lines), b""
    while printed.count(b"\n") < enough and (piece := child.read()):
        printed += piece
    time.sleep(rng.uniform(0, MOMENT))
    child.kill()
    _code, rest = child.finish()
    return whole(printed.decode() + rest)


def whole(printed: str) -> list[str]:
    """Lines without the one that was cut off."""
    return printed[: printed.rfind("\n") + 1].splitlines()


def kills(seed: int, scratch: Path) -> Tally:
    """One round: a random workload, killed a few times."""
    name = Random(seed).choice(sorted(WORKLOADS))
    with Nursery() as nursery:
        return kill_loop(nursery, name, seed, fresh(template(nursery, scratch), scratch / "disk"))


def step_by_step(
    nursery: Starter, name: str, seed: int, base: Path, scratch: Path, *, only: int | None = None
) -> tuple[Tally, list[str]]:
    """Kill a workload before each step that makes something durable, each time from the same store.

    `only` so many steps, drawn at random, if given. Returns the names of the steps that were died at as well.
    """
    tally, names = Tally(), []
    every = steps_of(nursery, name, seed, fresh(base, scratch / "counted"))
    chosen = (
        range(len(every)) if only is None else sorted(Random(seed).sample(range(len(every)), min(only, len(every))))
    )
    for number in chosen:
        disk = scratch / f"step-{number}"
        place = fresh(base, disk)
        child = nursery.start("crash.steps:run", name, place, seed, 1, number)
        code, printed = child.finish()
        lines = whole(printed)
        steps = [line.removeprefix("STEP ") for line in lines if line.startswith("STEP ")]
        label = f"steps: {name}, seed {seed}, killed before step {number} ({steps[-1] if steps else ''})"
        if code == -9:
            tally.kills += 1
            begun = [line for line in lines if line.startswith(("BEGIN", "ACK"))]
            tally.mid += bool(begun) and begun[-1].startswith("BEGIN")
            names.append(steps[-1])
        elif "DONE" not in lines:
            tally.losses.append(f"{label}: ended with {code}: {lines[-3:]}")
        judge(nursery, place, promises(lines), label, tally)
        shutil.rmtree(disk)
    return tally, names


def steps_of(nursery: Starter, name: str, seed: int, place: Path) -> list[str]:
    """The steps one round of a workload takes."""
    code, printed = nursery.start("crash.steps:run", name, place, seed, 1, -1).finish()
    lines = printed.splitlines()
    must(code == 0 and "DONE" in lines, printed[-2000:])
    return [line for line in lines if line.startswith("STEP ")]


def steps(seed: int, scratch: Path) -> Tally:
    """One round: a random workload, killed before some of its steps."""
    name = Random(seed).choice(sorted(WORKLOADS))
    with Nursery() as nursery:
        return step_by_step(nursery, name, seed, template(nursery, scratch), scratch, only=STEPS_AT_ONCE)[0]
