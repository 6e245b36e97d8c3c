"""What is tried is within the range that a constant documents, readable, and something a log can judge."""

from __future__ import annotations

import pytest
from helixlog.commands.constants import constants as listed
from helixlog.constants import THRESHOLD_NAMES, Constants
from helixlog.errors import InvalidInput
from helixlog.replay.tuning.space import DEFAULT, GROUPS, TUNABLE, chosen, dimension, rounded
from hypothesis import given
from hypothesis import strategies as st

NAMES = st.sampled_from(TUNABLE)
PLACES = st.floats(0.0, 1.0)


@given(NAMES, PLACES)
def test_every_value_tried_is_one_that_may_be_adopted(name, place):
    value = dimension(name).value(place)
    assert getattr(Constants().altered({name: value}), name) == value


@given(NAMES, PLACES)
def test_a_value_has_few_digits(name, place):
    value = dimension(name).value(place)
    assert value in (rounded(value), dimension(name).low, dimension(name).high, round(value))


@given(NAMES, PLACES)
def test_a_value_has_its_place(name, place):
    one = dimension(name)
    again = one.value(one.place(one.value(place)))
    assert again == pytest.approx(one.value(place), rel=0.01, abs=0.5 if one.whole else 1e-9)


def test_ranges_are_those_that_are_shown(story):
    shown = {one.name: one.range for one in listed(story.memory).constants}
    for name in TUNABLE:
        one = dimension(name)
        if name == "causal_ramp":
            continue  # it may also be none, and so has no range there
        assert one.high == shown[name][1]
        assert one.low == (shown[name][0] or one.low)


def test_nothing_given_is_the_effectiveness_group():
    assert chosen(()) == GROUPS[DEFAULT]


def test_names_and_groups_may_be_mixed_in_any_case():
    assert chosen(["Learning_Rate", "recency", "effectiveness"])[:3] == (
        "learning_rate",
        "recency_per_day",
        "recency_floor",
    )
    assert len(set(chosen(["recency", "recency_floor"]))) == 2


@pytest.mark.parametrize("name", ["causal", "rrf_k", "max_links", "prune_threshold", "vector_weight"])
def test_what_a_log_cannot_judge_is_refused_by_name(story, name):
    with pytest.raises(InvalidInput, match=f"{name} cannot be tuned"):
        story.memory.tune(names=[name])


def test_every_constant_is_tunable_or_refused():
    fields = {*Constants.__struct_fields__, *THRESHOLD_NAMES}
    for name in fields - set(TUNABLE) - {"thresholds"}:
        with pytest.raises(InvalidInput, match="cannot be tuned"):
            chosen([name])
    with pytest.raises(InvalidInput, match="unknown constant"):
        chosen(["no_such_constant"])


@pytest.mark.parametrize(
    "options",
    [
        {"objective": "recall"},
        {"k": 0},
        {"split": 1.5},
        {"trials": 0},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"jobs": 0},
        {"seed": -1},
        {"names": "learning_rate"},
    ],
    ids=str,
)
def test_options_out_of_range_are_refused(story, options):
    with pytest.raises(InvalidInput) as refused:
        story.memory.tune(**options)
    assert refused.value.remedy
