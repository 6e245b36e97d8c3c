"""A constant that would make a fold senseless is refused by name, whichever way it comes in."""

from __future__ import annotations

import math

import pytest
from helixlog.constants import Constants, Thresholds
from helixlog.errors import InvalidInput

WRONG = [
    *({name: value} for name in ("duplicate", "related", "causal", "min_relevance") for value in (5.0, -1.5, math.nan)),
    *({"causal_ramp": value} for value in (-1.0, math.nan, math.inf)),
    *({name: math.nan} for name in Constants.seed().as_dict() if name not in {"thresholds", "causal_ramp"}),
]


@pytest.mark.parametrize("changes", WRONG)
def test_a_value_out_of_range_is_refused(changes):
    (name,) = changes
    with pytest.raises(InvalidInput, match=name):
        Constants.seed().altered(changes)
    values = Constants.seed().as_dict()
    (values["thresholds"]["*"] if name in values["thresholds"]["*"] else values).update(changes)
    with pytest.raises(InvalidInput, match=name):
        Constants.from_dict(values)


def test_related_above_duplicate_is_refused_and_the_remedy_named():
    with pytest.raises(InvalidInput, match="lower related or raise duplicate"):
        Constants.seed().altered({"related": 0.9})
    with pytest.raises(InvalidInput, match="lower related or raise duplicate"):
        Constants.seed().with_thresholds("told", Thresholds(duplicate=0.5, related=0.6, causal=0.5, min_relevance=0.3))
    both = Constants.seed().altered({"related": 0.9, "duplicate": 0.9})
    assert (both.threshold(None).related, both.threshold(None).duplicate) == (0.9, 0.9)


def test_the_row_for_all_others_cannot_be_left_out():
    with pytest.raises(InvalidInput, match="no row"):
        Constants.seed().altered({"thresholds": {}})


@pytest.mark.parametrize("ramp", [None, 0.0, 0.25, 2.0])
def test_a_ramp_may_be_absent_or_zero(ramp):
    assert Constants.seed().altered({"causal_ramp": ramp}).causal_ramp == ramp
