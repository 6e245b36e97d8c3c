"""A look at the head of the log, at the clock of now, is the live view."""

from __future__ import annotations

from random import Random

from asking import ask, bits, embedders, ids_of, question, store_of
from helixlog.constants import DAY
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_log

SEEDS = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 80), st.sampled_from([0, 1, 40 * DAY]))
def test_as_of_the_head_answers_as_live(seed, size, later):
    rng = Random(seed)
    log = random_log(rng, size)
    clock = log[-1].recorded_at + later
    store = store_of(log, clock, embedders(log))
    for _ in range(4):
        asked = question(rng, ids_of(log), clock)
        live = bits(ask(store, asked))
        for point in (f"@{len(log)}/{live['as_of']['time']}", clock, clock + DAY):
            assert bits(ask(store, asked, as_of=point)) == live


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(1, 80), st.data())
def test_the_point_that_an_answer_names_repeats_it(seed, size, data):
    rng = Random(seed)
    log = random_log(rng, size)
    store = store_of(log, log[-1].recorded_at, embedders(log))
    moment = data.draw(st.integers(log[0].recorded_at, log[-1].recorded_at))
    asked = question(rng, [], moment)
    answer = bits(ask(store, asked, as_of=moment))
    point = answer["as_of"]
    assert bits(ask(store, asked, as_of=f"@{point['seq']}/{point['time']}")) == answer
