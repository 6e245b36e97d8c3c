"""A log told event by event, and what the reference fold believes of it."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.constants import DAY, Constants
from helixlog.eventlog import events as ev
from helixlog.projections.reference import Reference
from helixlog.projections.vector.evidence import pack

BEGIN = 1_750_000_000_000_000_000
FINGERPRINT = "embedder"


class Story:
    """Appends events, at a clock in days, and folds them as they come."""

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.log: list[ev.Recorded] = []
        self.fold = Reference(constants)
        self.seqs: dict[str, int] = {}
        self.now = BEGIN
        self.add(
            ev.StoreCreated(
                store_id="s", tenant="t", format=1, constants=constants.as_dict(), owner="ann", fingerprint=FINGERPRINT
            )
        )

    def at(self, days: float) -> Story:
        """Go to so many days after the beginning."""
        self.now = self.day(days)
        return self

    @staticmethod
    def day(days: float) -> int:
        return BEGIN + int(days * DAY)

    def add(self, event: ev.Event, own_id: str | None = None) -> Story:
        recorded = ev.Recorded(seq=len(self.log) + 1, recorded_at=self.now, clock=self.now, id=own_id, event=event)
        self.log.append(recorded)
        if own_id is not None:
            self.seqs[own_id] = recorded.seq
        self.fold.apply(recorded)
        return self

    def store(self, own_id, text=None, *, near=(), floor=-1.0, horizon=None, vector=None, **fields) -> str:
        """Store a text; `near` lists (id, cosine) or (id, cosine, guard byte), nearest first.

        Returns what became of it.
        """
        entries = [(*entry, 0)[:3] for entry in near]
        evidence = ev.Evidence(
            fingerprint=FINGERPRINT,
            partition="",
            floor=floor,
            horizon=floor if horizon is None else horizon,
            near=pack(
                [self.seqs[one] for one, _, _ in entries],
                [np.float32(cosine) for _, cosine, _ in entries],
                [guard for _, _, guard in entries],
            ),
        )
        if vector is not None:
            fields["vectors"] = vectors(vector)
        text = f"a fact that is only told by {own_id}" if text is None else text
        self.add(ev.MemoryStored(text=text, evidence=evidence, **fields), own_id)
        return self.fold.status[-1]

    def feedback(self, *ids, outcome="delivered", similarity=None, used=None, context=None) -> Story:
        exposures = tuple(ev.Exposure(id=one, similarity=similarity) for one in ids)
        given = None if context is None else vectors(context)
        return self.add(
            ev.FeedbackGiven(
                outcome=outcome, exposures=exposures, used=used, fingerprint=FINGERPRINT, context_vector=given
            )
        )

    def helped(self, *ids, **how) -> Story:
        """A feedback that says these were used."""
        return self.feedback(*ids, used=ids, **how)

    def useless(self, *ids) -> Story:
        """A feedback that says nothing was used."""
        return self.feedback(*ids, used=())

    def supersede(self, old, new) -> Story:
        return self.add(ev.MemorySuperseded(old=old, new=new))

    def restore(self, one) -> Story:
        return self.add(ev.MemoryRestored(memory=one))

    def forget(self, one) -> Story:
        return self.add(ev.MemoryForgotten(memory=one))

    def prune(self) -> Story:
        return self.add(ev.PruneTicked(clock=self.now))

    def same(self, first, second) -> Story:
        return self.add(ev.MembershipOverruled(verdict="same", first=first, second=second))

    def split(self, first) -> Story:
        return self.add(ev.MembershipOverruled(verdict="different", first=first))

    def annotate(self, one, **fields) -> Story:
        return self.add(ev.MemoryAnnotated(memory=one, **fields))

    def memory(self, one):
        root = self.fold.resolve(one)
        return None if root is None else self.fold.memories[root]

    def value(self, one, days=None) -> float:
        return self.fold.value(self.memory(one), self.now if days is None else self.day(days))

    def adjusted(self, one) -> float:
        return self.fold.adjusted(self.memory(one), self.now)

    def visible(self, one, days=None, valid_at=None) -> bool:
        moment = None if valid_at is None else self.day(valid_at)
        return self.fold.visible(self.memory(one), self.now if days is None else self.day(days), moment)

    def edges(self):
        """Weights by (source, target, relation); memories by the id of their root."""
        named = {root: memory.id for root, memory in self.fold.memories.items()}
        return {
            (named.get(source, source), named.get(target, target), relation): weight
            for (source, target, relation), weight in self.fold.edges.now().items()
        }


def vectors(vector) -> ev.Vectors:
    row = np.asarray(vector, "<f2")
    return ev.Vectors(fingerprint=FINGERPRINT, dims=len(row), rows=(row.tobytes(),))


@pytest.fixture
def story() -> Story:
    return Story(Constants.seed())


@pytest.fixture
def story_with():
    """A story under other constants, by name."""
    return lambda **changes: Story(Constants.seed().altered(changes))
