"""A recall that was recorded says enough to be asked again: at its point it
returns the same memories in the same order.

Also after everything that came later: stores, outcomes, forgetting, other constants.
"""

from __future__ import annotations

from random import Random

import pytest
from asking import WORDS
from helixlog.commands.memory import Memory
from helixlog.commands.times import format_time
from helixlog.constants import DAY
from helixlog.eventlog.events import MemoriesRecalled

ASKER = ("user", "project", "session", "agent", "container")
FILTERS = ("min_relevance", "min_effectiveness", "kind", "tags", "deep")


def repeat(memory, event):
    """The recorded question, asked again at its point."""
    given = {name: event.filters[name] for name in (*ASKER, *FILTERS) if name in event.filters}
    return memory.recall(
        event.query,
        limit=event.limit,
        hops=event.hops,
        suppress=event.suppressed,
        valid_at=event.valid_at,
        as_of=f"@{event.point_seq}/{format_time(event.point_clock)}",
        exact=True,
        **given,
    )


class Life:
    """A store that is used for a while."""

    def __init__(self, folder, seed):
        self.rng, self.now, self.ids = Random(seed), 1_750_000_000_000_000_000, []
        self.memory = Memory(folder, embedder="static", clock=lambda: self.now)

    def live(self, steps):
        for _ in range(steps):
            self.now += self.rng.choice((1, 10**9, DAY, 20 * DAY))
            self.rng.choices((self.store, self.ask, self.learn, self.change), (4, 4, 3, 1))[0]()

    def store(self):
        rng = self.rng
        text = f"the {rng.choice(WORDS)} {rng.choice(WORDS)} of {rng.choice(WORDS)} {rng.randrange(9)}"
        tags, project = rng.choice(((), (), ("red",))), rng.choice((None, None, "ship"))
        stored = self.memory.store(text, tags=tags, project=project, entities=[rng.choice(WORDS)])
        self.ids.append(stored.text_id)

    def ask(self):
        rng = self.rng
        words = " ".join(rng.sample(WORDS, 3))
        options = {"limit": rng.choice((2, 5, 20)), "hops": rng.choice((0, 1, 2)), "deep": rng.random() < 0.2}
        if rng.random() < 0.3:
            options |= rng.choice(({"tags": ("red",)}, {"project": "ship"}, {"min_effectiveness": 0.5}))
        if self.ids and rng.random() < 0.2:
            options["suppress"] = (rng.choice(self.ids),)
        if rng.random() < 0.2:
            options["valid_at"] = self.now - DAY
        assert self.memory.recall(words, **options).recorded

    def learn(self):
        if self.ids:
            self.memory.feedback(ids=[self.rng.choice(self.ids)], outcome=self.rng.choice(("delivered", "blocked")))

    def change(self):
        verb, one = self.rng.choice(("prune", "forget", "annotate")), self.rng.choice(self.ids) if self.ids else None
        if one is None or verb == "prune":
            self.memory.prune()
        elif verb == "annotate":
            self.memory.annotate(one, add_tags=["red"])
        elif self.memory.get(one).state != "forgotten":
            self.memory.forget(one)


@pytest.mark.parametrize("seed", range(3))
def test_asked_again_at_its_point_it_returns_the_same(tmp_path, seed):
    life = Life(tmp_path / "store", seed)
    with life.memory as memory:
        life.live(70)
        recalls = [r for r in memory.eventlog.read() if isinstance(r.event, MemoriesRecalled)]
        assert sum(len(r.event.returned) for r in recalls) > 20
        for recorded in recalls:
            again = repeat(memory, recorded.event)
            assert [(one.id, one.score.hex()) for one in again.results] == [
                (one.id, one.score.hex()) for one in recorded.event.returned
            ]
            assert not again.recorded
