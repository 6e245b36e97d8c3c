"""What other releases wrote is the same to the live state, a rebuild and a replay under other constants."""

from __future__ import annotations

import msgspec
import pytest
from helixlog.eventlog import codec
from helixlog.eventlog.events import ContentRejected, UnknownEvent
from helixlog.projections.digests import digests

WRITTEN = {
    "old": ("content_rejected", 1, {"type": "content_rejected", "category": "old", "length": 321}),
    "new": ("dreams_were_had", 7, {"type": "dreams_were_had", "of": "electric sheep"}),
}
"""Events as other releases write them, by the category of the one that stands for them here."""


@pytest.fixture
def mixed(life, monkeypatch):
    """A used store with such events in the middle of its log."""

    def encode(event, real=codec.encode):
        written = WRITTEN.get(event.category) if isinstance(event, ContentRejected) else None
        return real(event) if written is None else (*written[:2], msgspec.msgpack.encode(written[2]))

    with monkeypatch.context() as patch:
        patch.setattr(codec, "encode", encode)
        life.memory.append([ContentRejected(category=name, length_band="<10") for name in WRITTEN])
    stored = life.memory.store("The observatory opens at nine")
    life.memory.feedback(ids=[stored.id], outcome="delivered")
    return life.memory


def test_old_events_are_upcast_and_unknown_ones_counted(mixed):
    old, new = [recorded.event for recorded in mixed.eventlog.read() if recorded.seq in between(mixed)]
    assert old == ContentRejected(category="old", length_band="<1000")
    assert isinstance(new, UnknownEvent)
    assert mixed.view().beliefs.unknown == 1


def test_live_rebuilt_and_replayed_state_are_equal(mixed):
    assert all(one.same for one in mixed.replay(check=True).projections)
    catalog = mixed.catalog
    for changes in ({"learning_rate": 0.5}, {"max_links": 1}):
        constants = catalog.beliefs.constants.altered(changes)
        found, folded = catalog.believed(catalog.beliefs.seq, constants), catalog.fold(catalog.beliefs.seq, constants)
        assert digests(found) == digests(folded)
        assert found.unknown == 1
        assert mixed.replay(changes=changes).head == mixed.eventlog.head.seq


def between(memory):
    """The sequence numbers of the events of other releases."""
    last = memory.eventlog.head.seq
    return last - 3, last - 2
