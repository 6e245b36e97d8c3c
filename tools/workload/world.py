"""A world with a truth: memories whose usefulness drifts, an agent that tries what it is shown, and outcomes.

Memories belong to topics, topics are asked about as Zipf's law has it. Memories
come in pairs that contradict each other: at any moment one of a pair is right
and useful, the other is not, and from time to time they change places. An agent uses a
memory it is shown as likely as it is useful, and succeeds the more
likely the more useful what it used was. Some of what it reports is noise.

Nobody who learns sees usefulness. What constants are best follows from how often
pairs change places and how noisy reports are; `oracle.py` measures it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from itertools import pairwise

PER_TOPIC = 8
"""Memories of a topic: four contradicting pairs."""

SHOWN = 5
RIGHT, WRONG = 0.9, 0.1
"""How useful a memory is while it is right, and while it is not."""

DAY = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a world is like.

    `change_after` are the days after which a pair changes places, on average; `noise` is the share of reports that say
    nothing; `skew` the exponent of Zipf's law; `session_gap` the hours between sessions on average.
    """

    memories: int = 64
    sessions: int = 400
    seed: int = 0
    change_after: float = 3.0
    noise: float = 0.1
    skew: float = 1.0
    session_gap: float = 2.0
    recalls: int = 3


@dataclass(frozen=True)
class Report:
    """What an agent says afterwards: places among what it was shown, and whether it went well."""

    used: tuple[int, ...]
    good: bool


@dataclass
class World:
    """The hidden state, which only time changes. A pure function of its setting and of what is asked of it."""

    setting: Setting
    rng: random.Random = field(init=False)
    right: list[bool] = field(init=False)
    now: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.setting.seed)
        self.topics = max(1, self.setting.memories // PER_TOPIC)
        first = [self.rng.random() < 0.5 for _ in range(self.topics * PER_TOPIC // 2)]
        self.right = [side for one in first for side in (one, not one)]
        self._weights = [1.0 / rank**self.setting.skew for rank in range(1, self.topics + 1)]

    @property
    def memories(self) -> range:
        """Every memory; those of a topic stand together, and so do the two of a pair."""
        return range(self.topics * PER_TOPIC)

    def usefulness(self, memory: int) -> float:
        """How useful a memory is now."""
        return RIGHT if self.right[memory] else WRONG

    def pause(self) -> None:
        """Time passes until the next session."""
        self.wait(self.rng.expovariate(1.0 / (self.setting.session_gap / 24.0)))

    def wait(self, days: float) -> None:
        """Time passes, and some pairs change places."""
        self.now += days
        odd = 0.5 * (1.0 - math.exp(-2.0 * days / self.setting.change_after))
        for one, other in pairwise([*self.memories, -1]):
            if one % 2 == 0 and self.rng.random() < odd:
                self.right[one], self.right[other] = self.right[other], self.right[one]

    def topic(self) -> int:
        """What the next session is about."""
        return self.rng.choices(range(self.topics), self._weights)[0]

    def report(self, shown: list[int]) -> Report:
        """What the agent says of the memories it was shown."""
        truths = [self.usefulness(memory) for memory in shown]
        if self.rng.random() < self.setting.noise:
            truths = [self.rng.choice((RIGHT, WRONG)) for _ in shown]
        used = tuple(place for place, truth in enumerate(truths) if self.rng.random() < truth)
        chance = sum(truths[place] for place in used) / len(used) if used else 0.0
        return Report(used, self.rng.random() < chance)
