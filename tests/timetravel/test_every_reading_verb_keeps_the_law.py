"""Whatever is asked as of n, at a clock, is answered to the byte as by a store that holds the first n events alone."""

from __future__ import annotations

from random import Random

import pytest
from helixlog.commands.times import format_time
from helixlog.constants import DAY
from worlds import READS, Life, first, said, texts

SEEDS = range(4)
LATER = (0, 1, 3 * DAY, 90 * DAY)


@pytest.fixture(scope="module", params=SEEDS)
def worlds(request, tmp_path_factory):
    """A life, and (seq, clock, the store of its first events) for some points of it."""
    folder = tmp_path_factory.mktemp("world")
    life, rng = Life(folder / "life", request.param).live(70), Random(request.param)
    head = life.memory.eventlog.head.seq
    points = []
    for seq in sorted({*rng.sample(range(2, head), 3), head}):
        clock = life.memory.event(seq).recorded_at + rng.choice(LATER)
        points.append((seq, clock, first(life.memory, seq, folder / f"first{seq}", clock)))
    yield life, points
    for _, _, store in points:
        store.close()
    life.memory.close()


@pytest.mark.parametrize("verb", READS)
def test_as_of_n_is_a_store_of_n_events(worlds, verb):
    life, points = worlds
    for seq, clock, alone in points:
        ids, point = texts(life.memory, seq), f"@{seq}/{format_time(clock)}"
        wanted = said(READS[verb](alone, ids))
        assert said(READS[verb](life.memory, ids, as_of=point)) == wanted, (verb, point)
        assert said(READS[verb](life.memory.as_of(point), ids)) == wanted, (verb, point)


@pytest.mark.parametrize("verb", READS)
def test_the_point_of_an_answer_given_back_repeats_it_to_the_byte(worlds, verb):
    life, _ = worlds
    ids = texts(life.memory, life.memory.eventlog.head.seq)[:5]
    answers = READS[verb](life.memory, ids)
    for answer in answers if isinstance(answers, list) else [answers]:
        point = f"@{answer.as_of.seq}/{answer.as_of.time}"
        again = READS[verb](life.memory, ids, as_of=point)
        again = again[answers.index(answer)] if isinstance(answers, list) else again
        ours, theirs = said(answer), said(again)
        if verb == "recall":
            theirs = theirs.replace(b'"recorded":false', ours[ours.index(b'"recorded":') :].split(b",")[0])
        assert theirs == ours, verb


def test_the_law_would_notice_a_point_that_is_one_event_off(worlds):
    """Teeth: some verb tells two neighbouring points apart."""
    life, points = worlds
    seq, clock, alone = points[-1]
    ids = texts(life.memory, seq - 1)[:3]
    off = f"@{seq - 1}/{format_time(clock)}"
    assert any(said(READS[v](life.memory, ids, as_of=off)) != said(READS[v](alone, ids)) for v in ("log", "count"))
