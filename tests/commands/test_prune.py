"""Pruning: what is hidden, why, and what never is."""

from __future__ import annotations

import pytest
from helixlog.eventlog.events import PruneTicked

FACT = "Llamas eat hay"


@pytest.fixture
def judged(memory):
    """`judged(text, blocked=4, useless=0, ...)` stores a text and reports that often on it."""

    def store(text=FACT, *, blocked=0, useless=0, **options):
        one = memory.store(text, **options).id
        for _ in range(blocked):
            memory.feedback(ids=[one], outcome="blocked")
        for _ in range(useless):
            memory.feedback(ids=[one], outcome="delivered", used=[])
        return one

    return store


def test_what_failed_is_hidden_and_deep_recall_still_finds_it(memory, judged, shown, state):
    one = judged(blocked=4)
    done = memory.prune()
    (hidden,) = done.hidden
    assert (hidden.id, hidden.text, hidden.uses) == (one, FACT, 4)
    assert hidden.effectiveness == pytest.approx(0.5 * 0.8**4)
    assert "after 4 uses" in hidden.why
    assert state(one) == "pruned"
    assert (shown("llamas"), shown("llamas", deep=True)) == ([], [FACT])
    assert isinstance(memory.event(done.seq).event, PruneTicked)


def test_what_is_shown_a_dozen_times_without_effect_is_hidden(memory, judged):
    judged(useless=11)
    assert memory.prune().hidden == ()
    one = judged("Alpacas hum when they are content", useless=12)
    (hidden,) = memory.prune().hidden
    assert hidden.id == one
    assert hidden.adjusted < 0.25 <= hidden.effectiveness
    assert "adjusted" in hidden.why


@pytest.mark.parametrize(("source", "hidden"), [("agent", 1), ("tool:grep", 1), ("user", 0), ("import", 0)])
def test_only_what_a_machine_stored_and_nobody_saw_goes_with_age(memory, clock, source, hidden):
    memory.store(FACT, source=source)
    clock.at(60)
    assert memory.prune(dry_run=True).hidden == ()
    clock.at(60.1)
    done = memory.prune(dry_run=True)
    assert len(done.hidden) == hidden
    assert all("not seen for 60 days" in one.why for one in done.hidden)


def test_what_was_recalled_lately_is_no_ghost(memory, clock):
    memory.store(FACT, source="agent")
    clock.at(30)
    assert memory.recall("llamas").recorded
    clock.at(89)
    assert memory.prune(dry_run=True).hidden == ()
    clock.at(90)
    assert len(memory.prune(dry_run=True).hidden) == 1


@pytest.mark.parametrize(
    "exemption",
    [{"tags": ["user-provided"]}, {"tags": ["user-preference"]}, {"kind": "instruction"}, {"pin": "persona"}],
)
def test_the_protected_and_the_pinned_are_exempt_and_counted(memory, judged, state, exemption):
    pin = exemption.pop("pin", None)
    one = judged(blocked=5, **exemption)
    if pin:
        memory.annotate(one, pin=pin)
    done = memory.prune()
    assert (done.hidden, done.exempt, state(one)) == ((), 1, "live")


def test_a_dry_run_names_what_the_prune_hides_and_appends_nothing(memory, judged, state):
    one = judged(blocked=4)
    judged("Alpacas hum", blocked=5, tags=["user-provided"])
    head = memory.eventlog.head
    dry = memory.prune(dry_run=True)
    assert (memory.eventlog.head, dry.seq, dry.exempt, state(one)) == (head, None, 1, "live")
    assert memory.prune().hidden == dry.hidden


def test_what_is_hidden_is_not_hidden_again(memory, judged):
    judged(blocked=4)
    memory.prune()
    assert memory.prune().hidden == ()


def test_storing_the_text_again_makes_it_visible(memory, judged, state):
    one = judged(blocked=4)
    memory.prune()
    assert memory.store(FACT).status == "reinforced"
    assert state(one) == "live"
