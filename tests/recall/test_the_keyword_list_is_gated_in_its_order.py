"""The gate is asked about no more texts than the list needs, and the list is that of asking about all."""

from __future__ import annotations

import numpy as np
from helixlog.projections.text.index import TextHits
from helixlog.recall.candidates import Lists
from hypothesis import given
from hypothesis import strategies as st


class Gated(Lists):
    """Lists whose gate lets through what has a share of 1."""

    def __init__(self, roots: np.ndarray) -> None:
        self.roots, self.asked = roots, 0

    def _gate(self, ordinals, share, _rare):
        self.asked += len(ordinals)
        return share == 1.0


@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(1, 40), st.floats(0, 1))
def test_the_first_through_are_those_of_asking_about_all(seed, count, wanted, share):
    chance = np.random.default_rng(seed)
    ordinals, scores = chance.permutation(count), np.sort(chance.integers(1, 5, count))[::-1].astype(float)
    through = (chance.random(count) < share).astype(float)
    lists = Gated(np.arange(count))
    found = lists._first_through(TextHits(ordinals, scores, through, through == 2, exhausted=True), wanted)
    best = ordinals[through == 1.0]
    assert found[:wanted].tolist() == best[:wanted].tolist()
    assert len(found) >= min(wanted, len(best))


def test_when_all_pass_few_more_than_wanted_are_asked_about():
    lists, ones = Gated(np.arange(400)), np.ones(400)
    lists._first_through(TextHits(np.arange(400), ones, ones, ones == 2, exhausted=False), 100)
    assert lists.asked == 125
