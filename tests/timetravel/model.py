"""What a store is believed to hold, said plainly: a second opinion of fifty lines for one without an embedder.

Only uses that were named as causes are modelled, so that a moving average and a decay are all there is to learn.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

from helixlog.constants import DAY


@dataclass
class Belief:
    """A memory: its texts, what became of it, and the outcomes it had, as (time, value)."""

    created: int
    texts: list[str]
    expires: int | None = None
    forgotten: bool = False
    superseded: bool = False
    pruned: bool = False
    outcomes: list[tuple[int, float]] = field(default_factory=list)
    uses_before: int = 0

    def effectiveness(self, clock: int, rate: float) -> float:
        value, anchor, settled = 0.5, self.created, 0
        for time, outcome in self.outcomes:
            value, _ = self._decayed(value, anchor, settled, time)
            value = value * (1 - rate) + outcome * rate
            anchor, settled = time, 0
        return self._decayed(value, anchor, settled, clock)[0]

    @staticmethod
    def _decayed(value: float, anchor: int, settled: int, clock: int) -> tuple[float, int]:
        steps = max(0, (clock - anchor - 30 * DAY) // DAY)
        return (value if value <= 0.5 else 0.5 + (value - 0.5) * math.pow(0.9, steps - settled)), steps

    def state(self, clock: int) -> str:
        for name in ("forgotten", "superseded", "pruned"):
            if getattr(self, name):
                return name
        return "expired" if self.expires is not None and self.expires <= clock else "live"

    @property
    def live(self) -> bool:
        return not (self.forgotten or self.superseded)


@dataclass
class Model:
    """Every memory by its id, and the learning rate in force."""

    beliefs: dict[str, Belief] = field(default_factory=dict)
    root: dict[str, str] = field(default_factory=dict)
    rate: float = 0.2

    def store(self, text_id: str, text: str, now: int, expires: int | None, *, joins: bool = True) -> str:
        for name, one in self.beliefs.items():
            if joins and one.live and text in one.texts:
                one.texts.append(text)
                one.pruned = False
                one.expires = None if None in (one.expires, expires) else max(one.expires, expires)
                self.root[text_id] = name
                return name
        self.beliefs[text_id] = Belief(created=now, texts=[text], expires=expires)
        self.root[text_id] = text_id
        return text_id

    def merge(self, first: str, second: str) -> None:
        older, younger = sorted((first, second), key=list(self.beliefs).index)
        gone, kept = self.beliefs.pop(younger), self.beliefs[older]
        kept.texts += gone.texts
        kept.expires = None if None in (kept.expires, gone.expires) else max(kept.expires, gone.expires)
        self.root = {text: older if root == younger else root for text, root in self.root.items()}

    def restore(self, name: str) -> None:
        one = self.beliefs[name]
        one.forgotten = one.superseded = one.pruned = False
        one.uses_before = len(one.outcomes)

    def prune(self, clock: int) -> None:
        for one in self.beliefs.values():
            used = len(one.outcomes) - one.uses_before
            if one.live and used >= 3 and one.effectiveness(clock, self.rate) < 0.25:
                one.pruned = True

    def snapshot(self, clock: int) -> dict[str, tuple[str, float, int]]:
        return {
            name: (one.state(clock), one.effectiveness(clock, self.rate), len(one.outcomes))
            for name, one in self.beliefs.items()
        }

    def copy(self) -> Model:
        return copy.deepcopy(self)
