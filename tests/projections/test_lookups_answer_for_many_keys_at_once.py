"""A lookup asked for many keys at once says what it says of each."""

from __future__ import annotations

import numpy as np
from helixlog.projections.columns import Lookup
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.lists(st.integers(-3, 6), max_size=25)


@given(KEYS, KEYS, st.lists(st.integers(-4, 7), max_size=8), st.integers(0, 60))
def test_many_keys_give_the_rows_of_each(base, later, asked, stop):
    lookup = Lookup.over(np.array(base, np.int32))
    for row, key in enumerate(later, len(base)):
        lookup.add(key, row)
    for one in (lookup, lookup.before(stop)):
        place, rows = one.find_many(np.array(asked, np.int64))
        found = [rows[place == k].tolist() for k in range(len(asked))]
        assert found == [one.find_array(key).tolist() for key in asked]
        assert (np.diff(place) >= 0).all()
