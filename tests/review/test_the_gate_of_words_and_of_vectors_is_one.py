"""A threshold that float32 would round down admits the same cosines to the keyword list as to the vector list."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from helixlog.constants import Constants
from helixlog.recall.candidates import Lists


def test_a_cosine_just_below_the_threshold_passes_neither_gate():
    asked = next(share for share in (n / 100 for n in range(1, 100)) if float(np.float32(share)) < share)
    lists = Lists.__new__(Lists)
    lists.constants, lists.min_relevance = Constants.seed().altered({"keyword_admission": False}), asked
    cosines = np.array([np.float32(asked), np.nextafter(np.float32(asked), np.float32(2.0))])
    lists.cosines = SimpleNamespace(possible=True, of=lambda _: cosines)
    passed = lists._gate(np.arange(2), np.zeros(2), np.zeros(2, np.bool_))
    assert passed.tolist() == (cosines.astype(np.float64) >= asked).tolist() == [False, True]
