"""Expiry: a comparison with the clock, and a report of what it took."""

from __future__ import annotations

from helixlog.constants import DAY
from helixlog.eventlog.events import ExpiryTicked

FACT = "Llamas eat hay"


def test_a_memory_expires_at_its_moment_without_a_tick(memory, clock, shown, state):
    one = memory.store(FACT, expires_at="10d")
    clock.now += 10 * DAY - 1
    assert (shown("llamas"), state(one.id)) == ([FACT], "live")
    clock.now += 1
    assert (shown("llamas"), state(one.id)) == ([], "expired")
    assert shown("llamas", deep=True) == [FACT]


def test_a_tick_reports_what_has_expired_the_longest_first(memory, clock):
    later, sooner = memory.store(FACT, expires_at="5d"), memory.store("Alpacas hum", expires_at="2d")
    memory.store("Foxes avoid noon")
    clock.at(6)
    done = memory.expire()
    assert [(one.id, one.text) for one in done.expired] == [(sooner.id, "Alpacas hum"), (later.id, FACT)]
    assert done.expired[1].expires_at == memory.get(later.id).expires_at
    assert memory.event(done.seq).event == ExpiryTicked(clock=clock.now)


def test_a_dry_run_appends_nothing(memory, clock):
    memory.store(FACT, expires_at="1d")
    clock.at(2)
    head = memory.eventlog.head
    dry = memory.expire(dry_run=True)
    assert (memory.eventlog.head, dry.seq, len(dry.expired)) == (head, None, 1)
    assert memory.expire().expired == dry.expired


def test_what_is_hidden_for_another_reason_is_not_reported(memory, clock):
    one = memory.store(FACT, expires_at="1d")
    memory.forget(one.id)
    clock.at(2)
    assert memory.expire().expired == ()


def test_joining_a_memory_makes_the_later_expiry_count(memory, clock, state):
    one = memory.store(FACT, expires_at="1d")
    memory.store(FACT, expires_at="3d")
    clock.at(2)
    assert state(one.id) == "live"
    clock.at(3)
    assert state(one.id) == "expired"
