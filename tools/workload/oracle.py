"""Which constants are best in a world, measured with what nobody who learns can see.

    python tools/workload/oracle.py [--change-after DAYS] [--noise SHARE] [--sessions N] [--worlds N]

The lives of many worlds are learned from under every combination of a grid of
constants, by the fold's own rule, and each is judged by the truth: of the pairs of
memories that were shown together, one of them right and the other not, how many have the
right one's score above the other's (ties count half). What is shown are a topic's best by the constants that
ship, as in a store; ranks in the list are drawn by lot, those that are asked about first.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from helixlog.constants import Constants
from numpy.typing import NDArray
from world import PER_TOPIC, SHOWN, Setting, World

RATES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9)
EROSIONS = (0.0, 0.03, 0.09, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
FLOORS = (0.0, 0.33, 0.66, 1.0)


class Known(NamedTuple):
    """A combination of constants, and the share of pairs it puts in the right order."""

    learning_rate: float
    erosion_rate: float
    causal_floor: float
    right: float


def scan(setting: Setting, *, worlds: int = 8, besides: Sequence[Sequence[float]] = ()) -> list[Known]:
    """Every combination of the grid, the best first, averaged over worlds of this setting and different seeds.

    Args:
        setting: The world; its seed is the first.
        worlds: How many.
        besides: Further (learning rate, erosion rate, causal floor) to judge with the grid.
    """
    grid = np.array([*product(RATES, EROSIONS, FLOORS), *map(tuple, besides)])
    right, pairs = np.zeros(len(grid)), 0
    for number in range(worlds):
        more, seen = _life(World(replace(setting, seed=setting.seed + number)), *grid.T)
        right, pairs = right + more, pairs + seen
    found = [Known(*values, share) for values, share in zip(grid.tolist(), (right / pairs).tolist(), strict=True)]
    return sorted(found, key=lambda one: -one.right)


def shipped() -> tuple[float, float, float]:
    """The combination that ships."""
    constants = Constants()
    return constants.learning_rate, constants.erosion_rate, constants.causal_floor


def _life(
    world: World, rate: NDArray[np.float64], erosion: NDArray[np.float64], floor: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """How many pairs were in order, for each combination, and how many there were."""
    size = len(world.memories)
    value = np.full((len(rate), size), Constants().initial_normal)
    uses, hits = np.zeros(size), np.zeros(size)
    right, pairs = np.zeros(len(rate)), 0
    rate, erosion, floor = rate[:, None], erosion[:, None], floor[:, None]
    here = np.flatnonzero((np.hstack([rate, erosion, floor]) == shipped()).all(axis=1))[0]
    for _ in range(world.setting.sessions):
        world.pause()
        topic = np.arange(PER_TOPIC) + world.topic() * PER_TOPIC
        for _ in range(world.setting.recalls):
            share = np.maximum(floor, hits[topic] / np.maximum(uses[topic], 1.0))
            adjusted = value[:, topic] * np.where(uses[topic] < Constants().causal_min_uses, 1.0, share)
            scores = _fused(world) * (0.5 + 0.5 * adjusted)
            places = np.argsort(-scores[here], kind="stable")[:SHOWN]
            scores, shown = scores[:, places], topic[places]
            truth = np.array([world.right[memory] for memory in shown])
            above = scores[:, truth][:, :, None] - scores[:, ~truth][:, None, :]
            right += (above > 0).sum(axis=(1, 2)) + 0.5 * (above == 0).sum(axis=(1, 2))
            pairs += int(truth.sum() * (~truth).sum())
            report = world.report(shown.tolist())
            used = np.zeros(SHOWN, np.bool_)
            used[list(report.used)] = True
            before = value[:, shown]
            learned = before * (1.0 - rate) + float(report.good) * rate
            eroded = np.where(before > 0.5, before + (0.5 - before) * erosion, before)
            value[:, shown] = np.where(used, learned, eroded)
            uses[shown] += 1
            hits[shown] += used
    return right, pairs


def _fused(world: World) -> NDArray[np.float64]:
    """Fused ranks of a topic's memories: two pairs are asked about and come first, in any order."""
    pairs = world.rng.sample(range(PER_TOPIC // 2), PER_TOPIC // 2)
    asked = [2 * pair + side for pair in pairs[:2] for side in (0, 1)]
    others = [2 * pair + side for pair in pairs[2:] for side in (0, 1)]
    ranks = np.empty(PER_TOPIC)
    ranks[[*world.rng.sample(asked, 4), *world.rng.sample(others, 4)]] = np.arange(1, PER_TOPIC + 1)
    fused: NDArray[np.float64] = 1.0 / (Constants().rrf_k + ranks)
    return fused


def main() -> None:
    """Print the best combinations, and where those that ship stand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--change-after", type=float, default=Setting.change_after)
    parser.add_argument("--noise", type=float, default=Setting.noise)
    parser.add_argument("--sessions", type=int, default=Setting.sessions)
    parser.add_argument("--seed", type=int, default=1_000)
    parser.add_argument("--worlds", type=int, default=24)
    asked = parser.parse_args()
    setting = Setting(change_after=asked.change_after, noise=asked.noise, sessions=asked.sessions, seed=asked.seed)
    found = scan(setting, worlds=asked.worlds)
    print(f"{'learning_rate':>14}{'erosion_rate':>14}{'causal_floor':>14}{'in order':>10}")
    for place, one in enumerate(found, 1):
        if place <= 8 or one[:3] == shipped():
            print(f"{one.learning_rate:14g}{one.erosion_rate:14g}{one.causal_floor:14g}{one.right:10.4f}  #{place}")


if __name__ == "__main__":
    main()
