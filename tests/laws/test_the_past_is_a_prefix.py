"""The answer at event n and clock t is that of a store that holds exactly the first n events.

Nothing leaks from what came later: no document frequency, no neighbour, no cut
of a list, no constant, no vector of another embedder.
"""

from __future__ import annotations

from random import Random

import pytest
from asking import ask, bits, embedders, ids_of, question, store_of
from helixlog.commands.times import format_time
from helixlog.constants import DAY
from hypothesis import given, settings
from hypothesis import strategies as st
from production import snapshot
from strategies import random_log

CHANGING = {"adopt_constants": 4, "adopt_embedder": 4, "supersede": 6, "same": 5, "different": 5, "forget": 5}


def check(rng, log, n, clock):
    known = embedders(log)
    whole, prefix = store_of(log, log[-1].recorded_at, known), store_of(log[:n], clock, known)
    point = f"@{n}/{format_time(clock)}"
    assert snapshot(whole.view(point).beliefs, clock) == snapshot(prefix.view().beliefs, clock)
    answers = []
    for _ in range(5):
        asked = question(rng, ids_of(log[:n]), clock)
        answers.append(bits(ask(prefix, asked)))
        assert bits(ask(whole, asked, as_of=point)) == answers[-1]
    return answers


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 110), st.data())
def test_the_past_answers_as_a_store_of_its_events_alone(seed, size, data):
    rng = Random(seed)
    log = random_log(rng, size, **(CHANGING if seed % 2 else {}))
    n = data.draw(st.integers(1, len(log)))
    later = data.draw(st.sampled_from([0, 1, 10**9, 20 * DAY, 400 * DAY]))
    check(rng, log, n, log[n - 1].recorded_at + later)


@pytest.fixture(scope="module")
def answered():
    """What the answers of some logs hold, taken together."""
    rng = Random(11)
    logs = [random_log(rng, 90, **CHANGING) for _ in range(6)]
    return [answer for log in logs for answer in check(rng, log, 60, log[59].recorded_at)]


def test_the_law_is_not_kept_by_having_nothing_to_answer(answered):
    results = [result for answer in answered for result in answer["results"]]
    assert len(results) > 40
    assert {result["hop"] for result in results} >= {0, 1}
    assert any(result["relevance"] is not None for result in results)
    assert any(answer["empty_reason"] for answer in answered)


def test_a_leak_of_the_future_would_be_noticed():
    """Teeth: the answer of the whole log, given for that of the prefix, differs."""
    rng = Random(5)
    log = random_log(rng, 90)
    known, clock = embedders(log), log[-1].recorded_at
    whole, prefix = store_of(log, clock, known), store_of(log[:45], clock, known)
    asked = [question(rng, [], clock) for _ in range(20)]
    assert any(bits(ask(whole, one))["results"] != bits(ask(prefix, one))["results"] for one in asked)
