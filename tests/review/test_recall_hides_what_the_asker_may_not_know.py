"""A suppressed id of another's memory is as unknown as one that never was; names are compared as they are stored."""

from __future__ import annotations

import pytest
from helixlog.errors import NotFound


def test_suppressing_another_users_memory_says_what_an_unknown_id_says(memory):
    private = memory.store("the owner's own").id
    said = []
    for asked in (private, private[:-4] + "zzzz"):
        with pytest.raises(NotFound) as refused:
            memory.recall("own", user="bob", suppress=[asked])
        said.append(str(refused.value).replace(asked, "ID"))
    assert said[0] == said[1]


def test_white_space_around_a_users_name_makes_no_other_user(memory):
    memory.store("bob's own words", user="bob ")
    assert len(memory.recall("words", user=" bob", record=False).results) == 1
