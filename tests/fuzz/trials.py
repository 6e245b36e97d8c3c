"""Trying many inputs: each is taken, or refused with an error of our own, soon and in little memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from helixlog.errors import HelixlogError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROUNDS = pytest.mark.parametrize("rounds", [40, pytest.param(2_000, marks=pytest.mark.long)])
"""How many inputs: a few each time, many with `pytest -m long tests/fuzz`."""

SECONDS = 3.0
"""CPU time that one input may take, however slow the machine."""
BYTES = 64 << 20
"""Memory that one input may take."""


def survive(work, inputs, rounds):
    """Do `work` with many inputs; anything but an answer or an error of ours fails, as does taking long or much."""
    taken = [0, 0]

    @settings(max_examples=rounds, deadline=None, suppress_health_check=list(HealthCheck))
    @given(inputs)
    def tried(value):
        tracemalloc.start()
        start = time.process_time()
        try:
            work(value)
            taken[0] += 1
        except HelixlogError as error:
            assert error.remedy  # noqa: PT017 - any error of ours will do
            taken[1] += 1
        finally:
            seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert seconds < SECONDS
        assert peak < BYTES

    tried()
    return taken


@st.composite
def mutated(draw, seeds):
    """Bytes of a seed after some changes: cut, repeated, overwritten, put in."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        until = draw(st.integers(at, min(len(data), at + 64)))
        change = draw(st.sampled_from(["cut", "end", "repeat", "put", "over", "flip"]))
        new = draw(st.binary(min_size=1, max_size=8))
        if change == "cut":
            data = data[:at] + data[until:]
        elif change == "end":
            data = data[:at]
        elif change == "repeat":
            data = data[:until] + data[at:until] * draw(st.integers(1, 50)) + data[until:]
        elif change == "put":
            data = data[:at] + new + data[at:]
        elif change == "over":
            data = data[:at] + new + data[at + len(new) :]
        elif at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << draw(st.integers(0, 7))]) + data[at + 1 :]
    return data


words = st.one_of(
    st.text(max_size=200),
    st.text(st.characters(codec=None), max_size=50),  # halves of surrogate pairs too
    st.sampled_from(
        ["", " ", "\0", "@1", "@-1", "@9999999999999999999", "@1/", "@1/x", "2026-02-30", "1e400", "7d", "-7d"]
    ),
    st.sampled_from(
        ["now", "01", "\u0661\u0662", "∞", "'; --", "a" * 5000, "()" * 500, "\\" * 300, "*:*", "NEAR(", "\ud800"]
    ),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words, st.binary(max_size=20)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=8,
)
