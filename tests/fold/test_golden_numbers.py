"""The original system's numbers, as measured on it, with its own constants."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev


@pytest.mark.parametrize(
    ("similarity", "delivered", "partial", "blocked"),
    [
        (0.51, 0.502, 0.4992, 0.498),
        (0.60, 0.52, 0.492, 0.48),
        (0.80, 0.56, 0.476, 0.44),
        (0.95, 0.59, 0.464, 0.41),
        (1.0, 0.60, 0.46, 0.40),
    ],
)
def test_one_outcome_moves_a_half(story, similarity, delivered, partial, blocked):
    for outcome, expected in (("delivered", delivered), ("partial", partial), ("blocked", blocked)):
        story.store(outcome)
        story.feedback(outcome, outcome=outcome, similarity=similarity)
        assert story.value(outcome) == pytest.approx(expected, abs=1e-12)


def test_blocked_four_times_crosses_the_prune_line(story):
    story.store("a")
    seen = []
    for _ in range(4):
        story.helped("a", outcome="blocked")
        seen.append(story.value("a"))
    assert seen == pytest.approx([0.40, 0.32, 0.256, 0.2048], abs=1e-12)


def test_eight_delivered_with_eight_uses_and_hits(story):
    story.store("a")
    for _ in range(8):
        story.helped("a")
    assert story.value("a") == pytest.approx(0.916, abs=5e-4)
    assert (story.memory("a").uses, story.memory("a").hits) == (8, 8)


def test_eleven_erosions(story):
    story.store("a", prior=ev.Prior(effectiveness=0.75))
    for _ in range(11):
        story.useless("a")
    assert story.value("a") == pytest.approx(0.58859, abs=5e-6)
    assert (story.memory("a").uses, story.memory("a").hits) == (11, 0)


@pytest.mark.parametrize(
    ("spread", "expected"),
    [(0.0, 0.77), (0.04, 0.77), (0.05, 0.7725), (0.15, 0.7775), (0.25, 0.7825), (0.30, 0.785), (1.0, 0.785)],
)
def test_one_unit_of_decay(story, spread, expected):
    story.store("a", prior=ev.Prior(effectiveness=0.80))
    story.memory("a").spread = spread
    assert story.value("a", days=30.999) == 0.80
    assert story.value("a", days=31) == pytest.approx(expected, abs=1e-12)


def test_spread_and_centroid_of_orthogonal_contexts(story):
    story.store("a")
    axes = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    spreads, centroids = [], []
    for context in axes:
        story.helped("a", context=context)
        spreads.append(story.memory("a").spread)
        centroids.append(story.memory("a").centroid.tolist())
    assert spreads == pytest.approx([0, 0, 0.068572, 0.146704, 0.299394, 0.356512], abs=1e-6)
    assert centroids[2] == pytest.approx([0.8629, 0.5054, 0], abs=1e-4)


@pytest.mark.parametrize(
    ("effectiveness", "uses", "hits", "expected"),
    [(0.99, 20, 0, 0.3267), (0.80, 10, 5, 0.40), (0.75, 5, 5, 0.75), (0.99, 2, 0, 0.99)],
)
def test_adjustment(story, effectiveness, uses, hits, expected):
    story.store("a", prior=ev.Prior(effectiveness=effectiveness, uses=uses, hits=hits))
    assert story.adjusted("a") == pytest.approx(expected, abs=1e-12)
