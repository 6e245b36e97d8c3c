"""`timeline`: intervals of belief, what replaced what and why, chains and forks in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from helixlog.commands.times import format_time, parse_time
from helixlog.constants import DAY
from helixlog.errors import InvalidInput, NotFound
from helixlog.replay.chains import chained
from helixlog.replay.intervals import Beat, intervals
from hypothesis import given
from hypothesis import strategies as st
from worlds import BEGIN, Life

OLD, NEW, NEWEST = (f"The deploy window is {day} at ten" for day in ("Tuesday", "Thursday", "Friday"))


@pytest.fixture
def life(tmp_path):
    made = Life(tmp_path / "life", 1, embedder="none")
    yield made
    made.memory.close()


def day(life, number):
    life.now = BEGIN + number * DAY


def at(number):
    return format_time(BEGIN + number * DAY)


def test_a_chain_is_told_from_its_first_with_reasons(life):
    one = life.memory.store(OLD).id
    day(life, 5)
    two = life.memory.supersede(one, NEW, reason="moved").id
    day(life, 9)
    three = life.memory.supersede(two, NEWEST, reason="again").id
    for asked in (one, two, three):
        told = life.memory.timeline(asked)
        assert [(b.id, b.chain, b.depth, b.fork) for b in told.beliefs] == [
            (one, 1, 0, False), (two, 1, 1, False), (three, 1, 2, False),
        ]  # fmt: skip
        assert [[(h.start, h.end, h.ended, h.by, h.reason) for h in b.held] for b in told.beliefs] == [
            [(at(0), at(5), "superseded", two, "moved")],
            [(at(5), at(9), "superseded", three, "again")],
            [(at(9), None, None, None, None)],
        ]
    assert (told.start, told.end) == (at(0), at(9))


def test_a_restore_makes_a_fork_and_a_second_interval(life):
    one = life.memory.store(OLD).id
    day(life, 5)
    two = life.memory.supersede(one, NEW).id
    day(life, 9)
    life.memory.restore(one)
    day(life, 12)
    three = life.memory.supersede(one, NEWEST).id
    told = life.memory.timeline(two)
    assert [(b.id, b.depth, b.fork) for b in told.beliefs] == [(one, 0, True), (two, 1, False), (three, 1, False)]
    assert [(h.start, h.end) for h in told.beliefs[0].held] == [(at(0), at(5)), (at(9), at(12))]
    assert told.beliefs[0].superseded_by == (two, three)


def test_time_alone_begins_and_ends_a_belief(life):
    one = life.memory.store(OLD, valid_from=BEGIN + 2 * DAY, valid_to=BEGIN + 9 * DAY).id
    two = life.memory.store(NEW, expires_at=BEGIN + 3 * DAY).id
    day(life, 20)
    assert [(h.start, h.began, h.end, h.seq, h.ended) for h in life.memory.timeline(one).beliefs[0].held] == [
        (at(2), None, at(9), None, "no_longer_valid")
    ]
    assert [(h.end, h.ended) for h in life.memory.timeline(two).beliefs[0].held] == [(at(3), "expired")]
    assert life.memory.timeline(one, as_of=at(1)).beliefs[0].held == ()
    assert life.memory.timeline(one, as_of=at(5)).beliefs[0].held[0].end is None


def test_every_state_of_every_day_agrees_with_its_view(tmp_path):
    """The intervals are those in which `get` as of then says live."""
    life = Life(tmp_path / "used", 5, embedder="none").live(80)
    told = life.memory.timeline(tag="ops", limit=1000)
    assert len(told.beliefs) > 5
    for belief in told.beliefs:
        spans = [(parse_time(h.start, now=0), h.end and parse_time(h.end, now=0)) for h in belief.held]
        for seq in range(belief.seq, life.memory.eventlog.head.seq + 1, 3):
            clock = life.memory.event(seq).recorded_at
            if life.memory.eventlog.seq_at(clock) != seq:
                continue  # of several events at one time, the last one counts
            live = life.memory.get(belief.id, as_of=f"@{seq}").state == "live"
            within = any(start <= clock and (end is None or clock < end) for start, end in spans)
            owner = life.memory.get(belief.id, as_of=f"@{seq}").id == belief.id
            assert not owner or live == within, (belief, seq)
    life.memory.close()


def test_entities_tags_and_questions_find_what_is_out_of_sight(life):
    one = life.memory.store(OLD, tags=["deploy"], entities=["Ada"]).id
    life.memory.forget(one, reason="wrong")
    for subject in ({"tag": "deploy"}, {"entity": "ADA"}, {"query": "deploy window"}):
        (belief,) = life.memory.timeline(**subject).beliefs
        assert (belief.id, belief.state, belief.held[0].reason) == (one, "forgotten", "wrong")
    assert life.memory.timeline(tag="nothing").beliefs == ()


def test_a_limit_cuts_what_it_begins_from_and_never_a_chain(life):
    one = life.memory.store(OLD, tags=["deploy"]).id
    two = life.memory.supersede(one, NEW).id
    life.memory.store("Pager goes to Ada", tags=["deploy"])
    told = life.memory.timeline(tag="deploy", limit=2)
    assert {two, one} <= {belief.id for belief in told.beliefs}
    assert told.total == 3


def test_what_another_may_not_see_is_not_told(life):
    hidden = life.memory.store(OLD, user="bob", tags=["deploy"]).id
    with pytest.raises(NotFound):
        life.memory.timeline(hidden)
    assert life.memory.timeline(tag="deploy").beliefs == ()
    assert len(life.memory.timeline(tag="deploy", user="bob").beliefs) == 1


@pytest.mark.parametrize("subject", [{}, {"tag": "a", "query": "b"}, {"query": " "}], ids=str)
def test_a_timeline_is_of_one_subject(life, subject):
    with pytest.raises(InvalidInput):
        life.memory.timeline(**subject)


STATES = st.sampled_from(["live", "forgotten", "pruned"])


@given(st.lists(STATES, max_size=12))
def test_intervals_cover_the_live_beats_and_no_others(states):
    beats = [Beat(time, state, time) for time, state in enumerate(states)]
    found = intervals(beats)
    for beat in beats:
        inside = any(one.start <= beat.time and (one.end is None or beat.time < one.end) for one in found)
        assert inside == (beat.state == "live")
    assert all(one.end is not None and one.end < later.start for one, later in pairwise(found))


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12))
def test_every_memory_is_told_once_and_chains_are_what_hangs_together(links):
    links = [(old, new) for old, new in links if old != new]
    told = chained(range(8), links)
    assert sorted(place.root for place in told) == list(range(8))
    chain = {place.root: place.chain for place in told}
    assert all(chain[old] == chain[new] for old, new in links)
    assert [place.chain for place in told] == sorted(place.chain for place in told)


def test_a_circle_is_told_too():
    assert [place.root for place in chained([0, 1], [(0, 1), (1, 0)])] == [0, 1]
