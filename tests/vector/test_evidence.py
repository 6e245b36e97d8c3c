"""The bytes of evidence."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helixlog.errors import InvalidInput
from helixlog.projections.vector.evidence import ENTRY, EVIDENCE_LIMIT, pack, unpack, unpack_many
from hypothesis import given
from hypothesis import strategies as st

ENTRIES = st.lists(
    st.tuples(st.integers(1, 2**32 - 1), st.floats(-1, 1, width=32), st.integers(0, 255)), max_size=EVIDENCE_LIMIT
).map(lambda entries: sorted(entries, key=lambda entry: -entry[1]))


def packed(entries) -> bytes:
    return pack([e[0] for e in entries], [e[1] for e in entries], [e[2] for e in entries])


def test_an_entry_is_nine_bytes_and_its_bytes_are_pinned():
    assert ENTRY.itemsize == 9
    assert pack([258], [0.5], [7]).hex() == "020100000000003f07"


@given(ENTRIES)
def test_what_is_packed_is_unpacked(entries):
    assert unpack(packed(entries)).tolist() == entries


@given(st.lists(ENTRIES, max_size=6))
def test_many_are_unpacked_at_once(many):
    entries, offsets = unpack_many([packed(one) for one in many])
    parts = [entries[low:high].tolist() for low, high in pairwise(offsets)]
    assert parts == many


@pytest.mark.parametrize(
    ("seqs", "cosines", "guards"),
    [
        ([0], [0.5], [0]),
        ([2**32], [0.5], [0]),
        ([1], [1.5], [0]),
        ([1], [np.nan], [0]),
        ([1], [0.5], [256]),
        ([1, 2], [0.5, 0.6], [0, 0]),
        ([1, 2], [0.5], [0]),
        (range(1, 34), [0.5] * 33, [0] * 33),
    ],
)
def test_what_does_not_fit_is_refused(seqs, cosines, guards):
    with pytest.raises(InvalidInput):
        pack(list(seqs), cosines, guards)


def test_bytes_that_are_no_entries_are_refused():
    with pytest.raises(InvalidInput):
        unpack(b"12345678")
