"""Faults that users of other memories reported about time, deletion, decay and replay, as inputs to this one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helixlog.commands.times import format_time
from helixlog.constants import DAY
from worlds import BEGIN, Life, said

T = "The staging database is reset every Sunday"
FORMS = ("2025-03-01T10:00", "2025-03-01T10:00Z", "2025-03-01T10:00+09:00", "2025-03-01T01:00Z")


@pytest.fixture
def life(tmp_path):
    made = Life(tmp_path / "life", 1)
    yield made
    made.memory.close()


def day(life, number):
    life.now = BEGIN + round(number * DAY)
    return life.now


def shown(life, query="staging database", **options):
    return [one.text for one in life.memory.recall(query, record=False, hops=0, **options).results]


def test_the_order_of_times_is_that_of_instants_whatever_their_form(life):
    """B24: with and without a zone, and in another."""
    noted = [life.memory.store(f"{T} {number}", observed_at=form) for number, form in enumerate(FORMS)]
    told = [life.memory.get(one.id).observed_at for one in noted]
    assert told == ["2025-03-01T10:00:00Z", "2025-03-01T10:00:00Z", "2025-03-01T01:00:00Z", "2025-03-01T01:00:00Z"]
    views = [life.memory.count(as_of=form.replace("2025", "2024")).as_of for form in FORMS]
    assert views[0] == views[1] != views[2] == views[3]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_a_time_without_a_zone_is_utc_wherever_the_machine_stands(life, zone):
    """B24: the zone of the machine is no part of an answer."""
    life.memory.store(T)
    words = [sys.executable, "-m", "helixlog", "--store", str(life.memory.folder), "--json", "count", "--as-of"]
    answers = {
        subprocess.run([*words, form], env={**os.environ, "TZ": zone}, capture_output=True, check=True).stdout
        for form in ("2025-06-15T15:06:40", "2025-06-15T15:06:40Z", "2025-06-16T00:06:40+09:00")
    }
    assert len(answers) == 1
    assert b'"count":1' in answers.pop()


@pytest.mark.parametrize("end", ["expires", "forgotten", "superseded", "pruned"])
def test_what_was_there_in_february_is_there_as_of_february_however_it_went(life, end):
    """B25: stored on day 10, gone on day 60, asked on day 180; also after a rebuild."""
    day(life, 10)
    one = life.memory.store(T, expires_at="50d" if end == "expires" else None).id
    day(life, 60)
    if end == "forgotten":
        life.memory.forget(one)
    elif end == "superseded":
        life.memory.supersede(one, "The nightly job is kept")
    elif end == "pruned":
        for _ in range(6):
            life.memory.feedback(ids=[one], used=[one], outcome="blocked")
        life.memory.prune()
    asked = [format_time(day(life, number)) for number in (32, 61, 1)]
    day(life, 180)
    for _ in range(2):
        assert [T in shown(life, as_of=point) for point in asked] == [True, False, False]
        assert [T in shown_by(life.memory.as_of(point)) for point in asked] == [True, False, False]
        life.memory.rebuild()


def shown_by(view):
    return [one.text for one in view.recall("staging database").results]


def test_expired_today_but_not_then_and_the_other_way_round(life):
    """An expiry to come does not hide, and one that was taken off does not hide what it hid then."""
    one = life.memory.store(T, expires_at="10d").id
    day(life, 20)
    life.memory.annotate(one, clear=["expires_at"])
    day(life, 40)
    states = [life.memory.get(one, as_of=format_time(BEGIN + n * DAY)).state for n in (5, 15, 21)]
    assert states == ["live", "expired", "live"]
    later = life.memory.store("The key is rotated", expires_at="30d").id
    assert life.memory.get(later).state == "live"
    assert (
        life.memory.get(later, as_of=f"@{life.memory.eventlog.head.seq}/{format_time(day(life, 90))}").state
        == "expired"
    )


def test_a_text_forgotten_and_stored_again_has_its_whole_past(life):
    """B21: every deletion and every return is where it was."""
    points = []
    for number in range(3):
        day(life, number)
        one = life.memory.store(T).id
        points.append((f"@{life.memory.eventlog.head.seq}", [T]))
        if number < 2:
            life.memory.forget(one)
            points.append((f"@{life.memory.eventlog.head.seq}", []))
    for _ in range(2):
        assert [(point, shown(life, as_of=point)) for point, _ in points] == points
        life.memory.rebuild()
    held = life.memory.timeline(query="staging database").beliefs
    assert [[one.ended for one in belief.held] for belief in held] == [["forgotten"], ["forgotten"], [None]]


def test_after_a_correction_the_old_words_are_of_the_past(life):
    """B22: words and vector follow the text; before the correction there is the old one."""
    old = life.memory.store("Dana leads the billing team")
    day(life, 1)
    life.memory.supersede(old.id, "Dana leads the search team")
    assert shown(life, "search team") == ["Dana leads the search team"]
    assert "Dana leads the billing team" not in shown(life, "billing")
    assert shown(life, "billing", as_of=old.id) == ["Dana leads the billing team"]
    assert shown(life, "search team", as_of="@1") == []


@pytest.mark.parametrize("passes", [0, 1, 30, 720])
def test_decay_is_a_matter_of_the_time_asked_about_and_not_of_passes(life, passes):
    """B27: whoever asks for a day gets that day's value, and a view of it hides nothing more."""
    one = life.memory.store(T).id
    life.memory.feedback(ids=[one], used=[one], outcome="delivered")
    for number in range(passes):
        day(life, 31 + 30 * (number + 1) / passes)
        life.memory.decay()
    day(life, 61)
    wanted = 0.5 + 0.1 * 0.9**31
    assert life.memory.get(one).effectiveness == pytest.approx(wanted, abs=1e-12)
    assert life.memory.get(one, as_of=format_time(BEGIN + 40 * DAY)).effectiveness == pytest.approx(0.5 + 0.1 * 0.9**10)
    assert life.memory.prune().hidden == ()


def test_rebuilding_keeps_every_projection_equal_to_one_from_scratch(life):
    """B29: after each step, and after two rebuilds in a row."""
    for number in range(3):
        life.memory.store(f"{T} {number}")
        for _ in range(number):
            life.memory.rebuild()
        assert all(one.same for one in life.memory.replay(check=True).projections)
    assert life.memory.count().count == 3


def test_equal_timestamps_are_told_apart_by_their_events(life):
    """Two things at the same nanosecond: as of the time is after both, as of the event is between them."""
    one = life.memory.store(T).id
    life.memory.forget(one)
    assert life.memory.event(2).recorded_at == life.memory.event(3).recorded_at
    assert life.memory.get(one, as_of="@2").state == "live"
    assert life.memory.get(one, as_of=one).state == "live"
    assert life.memory.get(one, as_of=format_time(life.now)).state == "forgotten"
    assert life.memory.timeline(one).beliefs[0].held[0].end == format_time(life.now)


def test_a_clock_that_runs_back_does_not_reorder_the_past(life):
    """What is recorded later is later, whatever the clock says; the clock's own word is kept beside it."""
    first = life.memory.store(T).id
    head = life.memory.eventlog.head.recorded_at
    day(life, -3)
    second = life.memory.store("The nightly job is kept").id
    recorded = life.memory.event(3)
    assert (recorded.recorded_at, recorded.clock) == (head, life.now)
    assert life.memory.count(as_of=format_time(life.now)).count == 0
    assert [life.memory.count(as_of=point).count for point in (first, second)] == [1, 2]


def test_dates_outside_the_log_are_an_empty_store_and_the_present(life):
    life.memory.store(T)
    for before in ("1900-01-01", "2020-01-01", "2025-06-14"):
        empty = life.memory.as_of(before)
        assert (empty.count().count, empty.list().memories, empty.log().events) == (0, (), ())
        assert empty.recall("staging").empty_reason == "empty_store"
        again = empty.count().as_of
        assert life.memory.count(as_of=f"@{again.seq}/{again.time}") == empty.count()
    assert life.memory.as_of("2200-01-01").count() == life.memory.count()
    assert said(life.memory.recall("staging", as_of="2200-01-01")) == said(life.memory.recall("staging", record=False))


def test_what_was_believed_then_about_another_time(life):
    """Both times at once: what did we believe in March about February?"""
    day(life, 0)
    old = life.memory.store("Jonas is on call", valid_from=BEGIN - 60 * DAY)
    day(life, 30)
    life.memory.supersede(old.id, "Mara is on call", valid_from=BEGIN - 20 * DAY)
    day(life, 60)
    for believed, about, wanted in (
        (1, -30, "Jonas"), (1, -10, "Jonas"), (31, -30, "Jonas"), (31, -10, "Mara"), (60, 50, "Mara"),
    ):  # fmt: skip
        texts = shown(
            life, "who is on call", as_of=format_time(BEGIN + believed * DAY), valid_at=format_time(BEGIN + about * DAY)
        )
        assert texts == [f"{wanted} is on call"], (believed, about)
