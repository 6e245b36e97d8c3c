"""Decay is a function of time: how often anybody looked does not matter."""

from __future__ import annotations

import pytest
from helixlog.eventlog import events as ev
from helixlog.projections.arithmetic import ipow


def told(story, ticks):
    """A story of two months with ticks at these days."""
    story.store("a")
    story.helped("a")
    for days in ticks:
        story.at(days).add(ev.DecayTicked(clock=story.now))
    return story.at(61)


@pytest.fixture(params=["hourly", "daily", "once", "late", "never"])
def ticks(request):
    return {
        "hourly": [hour / 24 for hour in range(61 * 24)],
        "daily": range(61),
        "once": [45],
        "late": [60.9],
        "never": [],
    }[request.param]


def test_any_ticks_give_the_same_bits(story, ticks):
    told(story, ticks)
    learned = 0.5 * 0.8 + 0.2
    decayed = 0.5 + (learned - 0.5) * ipow(1 - 0.1, 31)
    assert story.value("a").hex() == decayed.hex()
    story.useless("a")
    assert story.value("a").hex() == (decayed + (0.5 - decayed) * 0.09).hex()


def test_a_use_without_effect_settles_and_decay_goes_on(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    story.at(35).useless("a")
    settled = 0.5 + (0.9 - 0.5) * ipow(0.9, 5)
    eroded = settled + (0.5 - settled) * 0.09
    assert (story.memory("a").k0, story.value("a")) == (5, eroded)
    assert story.value("a", days=36) == 0.5 + (eroded - 0.5) * ipow(0.9, 1)


def test_a_causal_use_begins_anew(story):
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    story.at(35).helped("a")
    assert story.memory("a").k0 == 0
    assert story.value("a", days=65.9) == story.value("a")
    assert story.value("a", days=66) < story.value("a")


def test_what_is_at_or_below_a_half_does_not_decay(story):
    story.store("a")
    story.store("b", prior=ev.Prior(effectiveness=0.2))
    assert (story.value("a", days=900), story.value("b", days=900)) == (0.5, 0.2)


def test_a_clock_before_the_anchor_is_harmless(story):
    story.at(10).store("a", prior=ev.Prior(effectiveness=0.9))
    assert story.value("a", days=0) == 0.9


def test_the_unit_is_a_constant(story_with):
    story = story_with(decay_unit_days=0.5)
    story.store("a", prior=ev.Prior(effectiveness=0.9))
    assert story.value("a", days=31) == 0.5 + (0.9 - 0.5) * ipow(0.9, 2)
