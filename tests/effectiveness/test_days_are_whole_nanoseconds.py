"""A constant in days is its nearest whole number of nanoseconds, in both folds."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.constants import DAY, Constants
from helixlog.eventlog import events as ev
from helixlog.projections.reference import Reference
from learning_logs import fold

BEGUN = 1_750_000_000_000_000_000


@pytest.mark.parametrize("days", [0.043, 0.071, 1.0, 2.5])
def test_decay_begins_at_the_same_nanosecond(days):
    """.043 days in floating point are a little less than the 3,715,200,000,000 nanoseconds they are."""
    constants = Constants.seed().altered({"decay_after_days": days, "decay_unit_days": days})
    genesis = ev.StoreCreated(store_id="s", tenant="t", format=1, constants=constants.as_dict())
    stored = ev.MemoryStored(text="it lasts", prior=ev.Prior(effectiveness=0.9))
    said = enumerate(((None, genesis), ("m1", stored)), 1)
    log = [ev.Recorded(seq=n, recorded_at=BEGUN, clock=BEGUN, id=own, event=event) for n, (own, event) in said]
    reference, production = Reference(constants), fold(log, constants)
    for recorded in log:
        reference.apply(recorded)
    begins = BEGUN + 2 * round(days * DAY)
    values = [
        (reference.value(reference.memories[0], t), float(production.effectiveness.value(np.array([0]), t)[0]))
        for t in (begins - 1, begins)
    ]
    assert values[0] == (0.9, 0.9)
    assert values[1][0] == values[1][1] < 0.9
