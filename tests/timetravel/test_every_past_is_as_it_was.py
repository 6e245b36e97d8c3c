"""A store is used in every way, with a clock that jumps and runs back, closed, opened and rebuilt; and at each step
every past that was seen is asked for again. It agrees with a small model, and its answers are the same bytes as then.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest
from helixlog.commands.memory import Memory
from helixlog.commands.times import format_time
from helixlog.constants import DAY
from helixlog.errors import Conflict
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from model import Belief, Model
from worlds import BEGIN, said

TEXTS = ("red", "green", "blue", "a red one", "a green one", "a blue one", "something else")
OUTCOMES = {"delivered": 1.0, "partial": 0.3, "blocked": 0.0}
STEPS = (0, 1, 10**9, DAY, 7 * DAY, 100 * DAY, -DAY, -(10**9))


def standing(listed):
    return {one.id: (one.state, pytest.approx(one.effectiveness), one.uses) for one in listed.memories}


class TimeMachine(RuleBasedStateMachine):
    """`seen` are points with the model of their day and the bytes that were answered."""

    @initialize()
    def begin(self):
        self.folder, self.time = Path(tempfile.mkdtemp(prefix="helixlog-")), BEGIN
        self.model, self.seen = Model(), []
        self.open()

    def open(self):
        self.memory = Memory(self.folder / "store", embedder="none", clock=lambda: self.time)

    def teardown(self):
        if hasattr(self, "memory"):
            self.memory.close()
            shutil.rmtree(self.folder)

    def some(self, data):
        return data.draw(st.sampled_from(list(self.model.beliefs)))

    def attempt(self, verb, *args, **options):
        """Whether the store agreed to it; a refusal must have left the log alone."""
        head = self.memory.eventlog.head
        try:
            getattr(self.memory, verb)(*args, **options)
        except Conflict:
            assert self.memory.eventlog.head == head
            return False
        return True

    @property
    def now(self):
        return self.memory.now()

    @rule(step=st.sampled_from(STEPS))
    def pass_time(self, step):
        self.time += step

    @rule(text=st.sampled_from(TEXTS), days=st.sampled_from([None, None, 3, 200]))
    def store(self, text, days):
        now = self.now
        expires = None if days is None else now + days * DAY
        done = self.memory.store(text, expires_at=expires)
        assert self.model.store(done.text_id, text, self.memory.event(done.seq).recorded_at, expires) == done.id

    @precondition(lambda self: self.model.beliefs)
    @rule(data=st.data(), text=st.sampled_from(TEXTS))
    def supersede(self, data, text):
        old, words = self.some(data), f"{text} number {len(self.model.root)}"
        now = self.now
        if self.attempt("supersede", old, words):
            new = self.memory.list(order="newest", state="all", limit=1).memories[0]
            self.model.store(new.id, words, now, None, joins=False)
            self.model.beliefs[old].superseded = True

    @precondition(lambda self: self.model.beliefs)
    @rule(data=st.data())
    def forget_or_restore(self, data):
        one = self.some(data)
        if self.attempt("forget", one):
            self.model.beliefs[one].forgotten = True
        elif self.attempt("restore", one):
            self.model.restore(one)

    @precondition(lambda self: len(self.model.beliefs) > 1)
    @rule(data=st.data())
    def merge(self, data):
        one, other = self.some(data), self.some(data)
        if self.attempt("merge", one, other):
            self.model.merge(one, other)

    @precondition(lambda self: self.model.beliefs)
    @rule(data=st.data(), outcome=st.sampled_from(list(OUTCOMES)), times=st.integers(1, 4))
    def feedback(self, data, outcome, times):
        one = self.some(data)
        for _ in range(times):
            self.memory.feedback(ids=[one], used=[one], outcome=outcome)
            at = self.memory.eventlog.head.recorded_at
            self.model.beliefs[one].outcomes.append((at, OUTCOMES[outcome]))

    @rule()
    def prune(self):
        self.memory.prune()
        self.model.prune(self.memory.eventlog.head.recorded_at)

    @rule(tick=st.sampled_from(["decay", "expire"]))
    def tick(self, tick):
        getattr(self.memory, tick)()

    @rule(rate=st.sampled_from([0.1, 0.2, 0.5]))
    def adopt(self, rate):
        with contextlib.suppress(Conflict):
            self.memory.adopt(changes={"learning_rate": rate}, reason="trying")
        before, self.model.rate = self.model.rate, rate
        if before != rate:
            self.prune_again()

    def prune_again(self):
        """The whole past is folded with the new constants, so what a prune hid is worked out anew by the store."""
        for one in self.memory.list(state="all", limit=1000).memories:
            self.model.beliefs[one.id].pruned = one.state == "pruned" or self.is_pruned(one.id)

    def is_pruned(self, name):
        beliefs = self.memory.view().beliefs
        return bool(beliefs.memories.table["pruned"][beliefs.memories.resolve(name)])

    @rule()
    def reopen(self):
        self.memory.close()
        self.open()

    @rule()
    def rebuild(self):
        self.memory.rebuild()

    def whole(self, **at):
        return self.memory.list(state="all", limit=1000, order="oldest", **at)

    @rule()
    def remember_this_moment(self):
        listed = self.whole()
        point = f"@{listed.as_of.seq}/{listed.as_of.time}"
        self.seen.append((point, self.model.snapshot(self.now), said(listed), said(self.memory.constants())))

    @invariant()
    def every_past_is_as_it_was(self):
        for point, believed, listed, constants in getattr(self, "seen", ())[-4:]:
            found = self.whole(as_of=point)
            assert said(found) == listed
            assert said(self.memory.constants(as_of=point)) == constants
            assert {
                one.id: (one.state, pytest.approx(one.effectiveness), one.uses) for one in found.memories
            } == believed

    @invariant()
    def the_present_agrees_with_the_model(self):
        if hasattr(self, "memory"):
            assert standing(self.whole()) == self.model.snapshot(self.now)
            assert self.whole(as_of=f"@{self.memory.eventlog.head.seq}/{format_time(self.now)}") == self.whole()


TestTimeMachine = TimeMachine.TestCase
TestTimeMachine.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)


def test_a_store_that_learned_twice_as_fast_would_be_noticed(monkeypatch):
    """Teeth: the model tells such a store apart."""
    believed = Belief.effectiveness
    monkeypatch.setattr(Belief, "effectiveness", lambda self, clock, rate: believed(self, clock, rate / 2))
    few = settings(max_examples=15, stateful_step_count=30, deadline=None, database=None)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(TimeMachine, settings=few)
