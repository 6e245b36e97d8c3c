"""The spread at every step, from the contexts of the causes among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .exposures import Context
from .spread import Runs, widen_all
from .steps import Mask, State, Steps, Widths

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NOTHING = {"spread": 0.0, "contexts": 0, "context_print": -1}
"""What is known of a memory without a context."""


def widths(
    steps: Steps,
    causal: Mask,
    base: State,
    centroid: Callable[[int], FloatArray | None],
    contexts: Callable[[IntArray], Sequence[Context]],
) -> tuple[Widths, dict[int, FloatArray]]:
    """What the causes with a context among the steps come to.

    Args:
        steps: What happened.
        causal: Which steps are causes.
        base: The state of `steps.memories` before them.
        centroid: That of a memory (by its place there) before them, asked where it has contexts.
        contexts: Those of the given rows.

    Returns:
        The widths, and the new centroids of the memories (by their place) that have others than before.
    """
    wide: Mask = causal & (steps.context >= 0)
    places = np.flatnonzero(wide)
    begun = _life_begins(steps, base)
    if not places.size:
        before = {name: values[steps.life] for name, values in begun.items()}
        return Widths(before, _ends(steps, before)), {}
    runs, of_run = _runs(steps, places, begun, centroid)
    spread, centroids = widen_all(runs, lambda chosen: contexts(steps.rows[places[chosen]]))
    after = {
        "spread": spread,
        "contexts": runs.known[of_run] + np.arange(len(places)) - runs.first[of_run] + 1,
        "context_print": steps.context[places],
    }
    latest = steps.latest(wide)
    number = np.cumsum(wide) - 1
    before = {}
    for name, values in after.items():
        before[name] = np.where(latest < 0, begun[name][steps.life], values[number[latest]])
    ends = _ends(steps, before)
    done = np.flatnonzero(wide[steps.last])
    for name, values in after.items():
        ends[name][done] = values[number[steps.last[done]]]
    return Widths(before, ends), _last_centroids(steps, places[runs.first], centroids)


def _life_begins(steps: Steps, base: State) -> State:
    """What each life begins with."""
    begun = {}
    for name, nothing in NOTHING.items():
        begun[name] = base[name][steps.memory].copy()
        begun[name][steps.anew] = nothing
    return begun


def _ends(steps: Steps, before: State) -> State:
    """What every memory ends with, unless its last step is a context."""
    ends = {name: values[steps.last].copy() for name, values in before.items()}
    for name, nothing in NOTHING.items():
        ends[name][steps.begun[steps.last]] = nothing
    return ends


def _runs(
    steps: Steps, places: IntArray, begun: State, centroid: Callable[[int], FloatArray | None]
) -> tuple[Runs, IntArray]:
    """The runs among the contexts at these steps, and the run of each; see `spread`."""
    life, prints = steps.life[places], steps.context[places]
    opening = np.diff(life, prepend=-1) != 0
    opens = opening | (np.diff(prints, prepend=-2) != 0)
    first = np.flatnonzero(opens)
    own = life[first]
    goes_on: Mask = opening[first] & (begun["contexts"][own] > 0) & (begun["context_print"][own] == prints[first])
    known = np.where(goes_on, begun["contexts"][own], 0).astype(np.int64)
    memory = steps.memory[own].tolist()
    centroids = [centroid(place) if goes else None for place, goes in zip(memory, goes_on.tolist(), strict=True)]
    spread = np.where(goes_on, begun["spread"][own], 0.0)
    return Runs(first, np.diff(first, append=len(places)), known, spread, centroids), np.cumsum(opens) - 1


def _last_centroids(steps: Steps, openings: IntArray, centroids: list[FloatArray]) -> dict[int, FloatArray]:
    """The centroids of the runs in the last life of a memory, the last run of each; by memory."""
    life = steps.life[openings]
    lasting = life == steps.life[steps.last][steps.memory[life]]
    memory = steps.memory[life]
    return {int(memory[run]): centroids[run] for run in np.flatnonzero(lasting & ~steps.begun[steps.last][memory])}
