import random

import pytest
from helixlog.errors import InvalidInput
from helixlog.eventlog.ids import ID_LENGTH, is_id, is_own_id, new_id


def test_an_id_is_a_ulid_in_lower_case():
    assert new_id(0, bytes) == "0" * ID_LENGTH
    assert new_id(1_469_918_176_385_000_000, lambda n: b"\xff" * n) == "01aryz6s41" + "z" * 16


def test_ids_of_later_times_sort_later():
    chance = random.Random(1).randbytes
    ids = [new_id(ms * 1_000_000, chance) for ms in (0, 1, 31, 32, 1 << 40, (1 << 48) - 1)]
    assert ids == sorted(ids)
    assert all(map(is_id, ids))


@pytest.mark.parametrize("clock", [-1, (1 << 48) * 1_000_000])
def test_a_time_that_does_not_fit_is_refused(clock):
    with pytest.raises(InvalidInput):
        new_id(clock, bytes)


@pytest.mark.parametrize("text", ["", "0" * 25, "0" * 27, "8" + "0" * 25, "i" + "0" * 25, "A" * 26])
def test_what_is_no_id(text):
    assert not is_id(text)


def test_an_event_may_carry_a_uuid_but_no_upper_case():
    assert is_own_id("0190a6f0-7c3b-7000-8000-000000000000")
    assert not is_own_id("ABC")
    assert not is_own_id("a" * 65)
