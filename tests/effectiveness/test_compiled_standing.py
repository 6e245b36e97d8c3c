"""The compiled standing of memories is that of NumPy, to the bit, and refuses what does not fit."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helixlog.constants import DAY, Constants
from helixlog.projections import compiled
from helixlog.projections.columns import Column
from helixlog.projections.effectiveness.learning import READ, Effectiveness
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(compiled.standing is None, reason="nothing was compiled here")
BEGIN = 1_750_000_000_000_000_000
SHARE = st.floats(0, 1)
CONSTANTS = st.fixed_dictionaries(
    {},
    optional={
        "decay_rate": SHARE,
        "decay_discount": SHARE,
        "spread_min": SHARE,
        "causal_floor": SHARE,
        "causal_min_uses": st.integers(1, 9),
        "decay_after_days": st.floats(0, 90),
        "decay_unit_days": st.floats(0.001, 30),
        "velocity_window_days": st.floats(0.1, 60),
    },
)


def drawn(seed, count, constants):
    """Effectiveness of memories of any age and use, of which some began anew."""
    chance = np.random.default_rng(seed)
    kept = Effectiveness(constants, SimpleNamespace())
    table = kept._table
    table.grow(count)
    table["effectiveness"][:] = chance.choice([0.0, 0.5, 1.0, *chance.random(5)], count)
    table["anchor"][:] = BEGIN + chance.integers(-3000, 300, count) * DAY // 10
    table["settled"][:] = chance.integers(0, 4, count)
    table["spread"][:] = chance.choice([0.0, *chance.random(4)], count)
    table["uses"][:] = chance.integers(0, 9, count)
    table["hits"][:] = chance.integers(0, 1 + table["uses"])
    causes = 3 * count
    kept._velocity_roots = Column(chance.integers(0, max(1, count - 2), causes).astype(np.int32))
    kept._velocity_times = Column(np.sort(BEGIN - chance.integers(0, 60 * DAY, causes)))
    table["velocity_from"][:] = chance.choice([0, *chance.integers(0, causes + 1, 3)], count)
    return kept


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), CONSTANTS, st.integers(-40 * DAY, 4000 * DAY))
def test_the_same_bits_come_out(seed, count, altered, later):
    kept = drawn(seed, count, Constants.seed().altered(altered))
    roots = np.random.default_rng(seed).integers(0, count, 2 * count)
    found = kept.standing(roots, BEGIN + later)
    with compiled.numpy_alone():
        wanted = kept.standing(roots, BEGIN + later)
    for ours, numpy in zip(found, wanted, strict=True):
        assert (ours.dtype, ours.tobytes()) == (numpy.dtype, numpy.tobytes())


def test_what_does_not_fit_is_refused():
    table, counts = drawn(1, 4, Constants.seed())._table, np.zeros(1, np.int32)
    columns, rules = tuple(table[name] for name in READ), (DAY, 1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 1)
    standing = compiled.standing.standing
    assert standing(columns, np.arange(4), counts, BEGIN, 0, rules)
    for root in (-1, 4, 2**62):
        with pytest.raises(IndexError, match="where there are 4"):
            standing(columns, np.array([root]), counts, BEGIN, 0, rules)
    for short in range(1, len(READ)):
        with pytest.raises(ValueError, match="are needed"):
            standing(
                (*columns[:short], columns[short][:0], *columns[short + 1 :]), np.arange(4), counts, BEGIN, 0, rules
            )
    with pytest.raises(ValueError, match="are needed"):
        standing(columns[1:], np.arange(4), counts, BEGIN, 0, rules)
    with pytest.raises(ValueError, match="are needed"):
        standing(columns, np.arange(4), counts[:0], BEGIN, 0, rules)
    with pytest.raises(ValueError, match="are needed"):
        standing(columns, np.arange(4), counts, BEGIN, 0, (0, *rules[1:]))
    with pytest.raises(ValueError, match="are needed"):
        standing(columns, np.arange(4, dtype=np.int32), counts, BEGIN, 0, rules)
    for place, column in enumerate(columns):
        other = column.astype(np.int64 if column.itemsize == 4 else np.int32).repeat(2)
        with pytest.raises(ValueError, match="are needed"):
            standing((*columns[:place], other, *columns[place + 1 :]), np.arange(4), counts, BEGIN, 0, rules)
