"""Masks worked out once: no more than so many, and none from before a change."""

from __future__ import annotations

import numpy as np
from helixlog.recall import visibility
from helixlog.recall.visibility import MOST_REMEMBERED, may_see, remembered


def test_a_thousand_users_leave_no_thousand_masks(memory):
    memory.store("for everybody", shared=True)
    for number in range(1_000):
        assert len(memory.recall("everybody", user=f"user {number}", record=False).results) == 1
    assert len(memory.view().beliefs.masks) <= MOST_REMEMBERED


def test_what_was_begun_before_a_change_is_not_found_after_it(memory):
    memory.store("first words")
    beliefs = memory.view().beliefs

    def make():
        early = np.ones(len(beliefs.texts), np.bool_)
        memory.store("second words")
        memory.view()
        return early

    assert len(remembered(beliefs, ("seen", None), make)) == 1
    assert len(may_see(beliefs, visibility.Asker())) == 2
