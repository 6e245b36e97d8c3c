"""Decay: a function of time, whatever the ticks."""

from __future__ import annotations

import pytest
from helixlog.eventlog.events import DecayTicked

FACT = "Llamas eat hay"
SETTLING = 35.5 * 24 + 0.5
"""The hour of a feedback that settles the decay so far."""


@pytest.fixture
def praised(memory):
    one = memory.store(FACT).id
    for _ in range(3):
        memory.feedback(ids=[one], outcome="delivered")
    return one


def test_a_tick_reports_what_time_took_off_and_changes_nothing(memory, clock, praised):
    before = memory.get(praised).effectiveness
    clock.at(40)
    expected = memory.get(praised).effectiveness
    done = memory.decay()
    assert [(one.id, one.before, one.after) for one in done.settled] == [(praised, before, expected)]
    assert before > expected > 0.5
    assert memory.get(praised).effectiveness == expected
    assert memory.event(done.seq).event == DecayTicked(clock=clock.now)


@pytest.mark.usefixtures("praised")
def test_what_time_took_nothing_off_is_counted(memory):
    memory.store("Alpacas eat hay too")
    done = memory.decay()
    assert (done.settled, done.unchanged) == ((), 2)


@pytest.mark.usefixtures("praised")
def test_a_dry_run_reports_the_same_and_appends_nothing(memory, clock):
    clock.at(50)
    head = memory.eventlog.head
    dry = memory.decay(dry_run=True)
    assert (memory.eventlog.head, dry.seq, dry.dry_run) == (head, None, True)
    assert memory.decay().settled == dry.settled != ()


@pytest.mark.parametrize("hide", ["forget", "supersede"])
def test_what_is_forgotten_or_superseded_is_not_reported(memory, clock, praised, hide):
    getattr(memory, hide)(praised, "Llamas eat straw")
    clock.at(50)
    assert praised not in [one.id for one in memory.decay().settled]


def test_hourly_daily_one_and_no_ticks_end_with_the_same_bits(open_memory, clock):
    """Ten days of decay with a feedback that settles on the way, ticked in four rhythms."""
    ticks = {"hourly": range(29 * 24, 38 * 24), "daily": range(29 * 24, 38 * 24, 24), "once": [38 * 24], "never": []}
    values = set()
    for name, hours in ticks.items():
        clock.at(0)
        memory = open_memory(name, embedder="none")
        one = memory.store(FACT).id
        memory.feedback(ids=[one], outcome="delivered")
        for hour in sorted([*hours, SETTLING]):
            clock.at(hour / 24)
            if hour == SETTLING:
                memory.feedback(ids=[one], outcome="partial", used=[])
            else:
                memory.decay()
        values.add(tuple(clock.at(days) and memory.get(one).effectiveness for days in (38, 60)))
    ((soon, late),) = values
    assert 0.5 < late < soon < 0.6
