"""Idempotency keys: the same call acts once and answers as it did; another call with the key is a conflict."""

from __future__ import annotations

import msgspec
import pytest
from helixlog.errors import Conflict, InvalidInput, KeyConflict

FACT, FOX = "Llamas eat hay", "Foxes avoid the paddock at noon"

ONE, TWO, OTHER_TEXT = "(one)", "(two)", "(other text of one)"

CALLS = {
    "store": ("store", ("Alpacas hum",), {"expires_at": "30d"}),
    "supersede": ("supersede", (ONE, "Llamas eat straw"), {"reason": "r"}),
    "supersede by": ("supersede", (ONE,), {"by": TWO}),
    "merge": ("merge", (ONE, TWO), {}),
    "forget": ("forget", (ONE, "r"), {}),
    "reinforce": ("reinforce", (ONE,), {}),
    "annotate": ("annotate", (ONE,), {"add_tags": ["x"], "expires_at": "30d"}),
    "link": ("link", (ONE, TWO), {}),
    "feedback": ("feedback", (), {"outcome": "delivered", "ids": [ONE]}),
    "decay": ("decay", (), {}),
    "prune": ("prune", (), {}),
    "expire": ("expire", (), {}),
    "split": ("split", (OTHER_TEXT,), {}),
    "restore": ("restore", (ONE,), {}),
    "unlink": ("unlink", (ONE, TWO), {}),
}


@pytest.fixture(params=CALLS)
def call(request, memory):
    """A call of one verb with the key "k", on a store where it has something to do."""
    one, two = memory.store(FACT).id, memory.store(FOX).id
    named = {ONE: one, TWO: two}
    if request.param == "split":
        named[OTHER_TEXT] = memory.store(FACT).text_id
    elif request.param == "restore":
        memory.forget(one)
    elif request.param == "unlink":
        memory.link(one, two)

    def filled(value):
        return [filled(each) for each in value] if isinstance(value, list) else named.get(value, value)

    verb, arguments, options = CALLS[request.param]
    arguments = [filled(value) for value in arguments]
    options = {name: filled(value) for name, value in options.items()}
    return lambda: getattr(memory, verb)(*arguments, **options, key="k")


def test_a_key_acts_once_and_answers_as_the_first_call_did(memory, clock, call):
    first, head = call(), memory.eventlog.head
    clock.at(3)
    again = call()
    assert (first.repeated, again.repeated, memory.eventlog.head) == (False, True, head)
    assert msgspec.structs.replace(again, repeated=False) == first


def test_a_key_that_was_used_for_something_else_is_a_conflict(memory, refused, call):
    memory.annotate(memory.store(FOX).id, note="first", key="k")
    with refused(KeyConflict):
        call()


def test_a_refused_call_does_not_use_its_key_up(memory, refused):
    one = memory.store(FACT).id
    with refused(Conflict):
        memory.restore(one, key="k")
    assert not memory.forget(one, key="k").repeated


def test_a_blank_key_is_refused(memory, refused):
    one = memory.store(FACT).id
    with refused(InvalidInput, "key"):
        memory.forget(one, key=" ")
