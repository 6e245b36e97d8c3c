"""A hop over what was superseded leads to what took its place, but over nothing that is hidden from the asker."""

from __future__ import annotations

from itertools import pairwise

import pytest
from helixlog.eventlog.events import MemorySuperseded

NEAR = "The crane lifts steel"


@pytest.fixture
def chain(memory, told):
    """`chain(*fields)`: a direct hit that updates the first of a chain, each superseded by the next; its ids."""

    def made(*fields):
        near = memory.store(told.at(NEAR, 0.9), shared=True).id
        ids = [
            memory.store(told.at(f"Sand is delivered on day {number}", 0.0), **given).id
            for number, given in enumerate(fields)
        ]
        memory.link(near, ids[0], relation="updates", user=fields[0].get("user"))
        memory.append([MemorySuperseded(old=old, new=new) for old, new in pairwise(ids)])
        return ids

    return made


OPEN, BOBS, OTHER = {"shared": True}, {"user": "bob"}, {"shared": True, "kind": "episode"}


@pytest.mark.parametrize(
    ("fields", "question", "reached"),
    [
        ([OPEN, OPEN, OPEN], {}, True),
        ([OPEN, BOBS, OPEN], {}, False),
        ([BOBS, OPEN, OPEN], {}, False),
        ([OPEN, BOBS, OPEN], {"user": "bob"}, True),
        ([OPEN, OPEN, BOBS], {}, False),
        ([OPEN, OTHER, OPEN], {"kind": "fact"}, False),
        ([OPEN, OTHER, OPEN], {}, True),
    ],
)
def test_a_chain_is_followed_as_far_as_the_asker_may_see(shown, chain, fields, question, reached):
    chain(*fields)
    last = f"Sand is delivered on day {len(fields) - 1}"
    assert shown("anything", hops=1, **question) == ([NEAR, last] if reached else [NEAR])


def test_what_was_forgotten_on_the_way_ends_it(memory, shown, chain):
    ids = chain(OPEN, OPEN, OPEN)
    memory.forget(ids[1])
    assert shown("anything", hops=1) == [NEAR]
