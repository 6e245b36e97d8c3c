"""Asked for a point of the past, a date means its end, in each of the forms ISO 8601 writes it."""

from __future__ import annotations

import pytest
from helixlog.commands.times import parse_time


@pytest.mark.parametrize("date", ["2026-03-02", "20260302", "2026-W10-1"])
@pytest.mark.parametrize("edge", ["start", "end"])
def test_every_form_of_a_date_is_the_same_day(date, edge):
    assert parse_time(date, now=0, edge=edge) == parse_time("2026-03-02", now=0, edge=edge)


@pytest.mark.parametrize("moment", ["2026-03-02T10:00", "2026-03-02 10:00", "20260302T1000", "2026-03-02 10"])
def test_a_time_of_day_is_a_moment(moment):
    assert parse_time(moment, now=0, edge="end") == parse_time("2026-03-02T10:00Z", now=0)
