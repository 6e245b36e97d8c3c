"""Reinforcing: one more access, and only of what can be recalled."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, NotFound

FACT = "Llamas eat hay"


def test_accesses_and_salience_rise_and_nothing_else(memory):
    one = memory.store(FACT)
    done = [memory.reinforce(one.id[:24]) for _ in range(2)][-1]
    assert (done.accesses, done.salience, done.state) == (2, pytest.approx(0.7), "live")
    record = memory.get(one.id)
    assert (record.effectiveness, record.uses, record.accesses) == (0.5, 0, 2)


def test_salience_ends_at_one(memory):
    one = memory.store(FACT, salience=0.95)
    assert memory.reinforce(one.id, note="cited").salience == 1.0


@pytest.mark.parametrize("hide", ["forget", "supersede", "expire", "validity"])
def test_only_what_is_live_can_be_reinforced(memory, clock, refused, hide):
    one = memory.store(FACT, expires_at="1d" if hide == "expire" else None, valid_to="2099-01-01")
    other = memory.store("Alpacas eat hay", valid_from=clock.now + 1)
    if hide == "forget":
        memory.forget(one.id)
    elif hide == "supersede":
        memory.supersede(one.id, "Llamas eat straw")
    elif hide == "expire":
        clock.at(2)
    with refused(Conflict):
        memory.reinforce(other.id if hide == "validity" else one.id)


def test_an_unknown_id_is_not_found(memory, refused):
    with refused(NotFound):
        memory.reinforce("zzzzzzzz")
