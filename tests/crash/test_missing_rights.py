"""Folders that may not be written or read, lose their rights while open, or are gone: refused by name, nothing lost."""

import pytest
from crash.hindering import no_rights
from crash.teeth import Without
from crash.workloads import WORKLOADS

SEED = 5


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_folder_that_may_not_be_written_answers_and_is_left_alone(nursery, copied, name):
    assert no_rights(nursery, "not_writable", name, SEED, copied()).losses == []


@pytest.mark.parametrize("name", sorted(set(WORKLOADS) - {"import"}))
def test_rights_taken_while_a_store_is_open_cost_nothing_that_was_acknowledged(nursery, copied, name):
    assert no_rights(nursery, "rights_taken", name, SEED, copied()).losses == []


def test_a_folder_that_may_not_be_read_is_refused_by_name(nursery, copied):
    assert no_rights(nursery, "unreadable", "store", SEED, copied()).losses == []


def test_nothing_is_acknowledged_into_a_folder_that_was_deleted(nursery, copied):
    assert no_rights(nursery, "taken_away", "store", SEED, copied()).losses == []


def test_without_a_look_at_the_lock_it_would_be(nursery, copied):
    tally = no_rights(Without(nursery, "lock-still-there"), "taken_away", "store", SEED, copied())
    assert any("LOST" in loss for loss in tally.losses)
