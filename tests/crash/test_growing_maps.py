"""A map that must grow while other processes write and read, and one of them is killed, loses nothing."""

import pytest
from crash.hindering import growth
from crash.teeth import Without


@pytest.mark.parametrize("seed", range(2))
def test_the_map_grows_among_others(nursery, copied, seed):
    place = copied()
    tally = growth(nursery, seed, place)
    assert tally.losses == []
    assert tally.promises > 30
    assert tally.kills == 2
    assert (place / "log" / "g1" / "data.mdb").stat().st_size > 1 << 20, "it outgrew the map it began with"


def test_without_growth_writers_are_refused(nursery, copied):
    assert growth(Without(nursery, "growth"), 0, copied()).losses


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 40))
def test_many_maps_grow(nursery, copied, seed):
    assert growth(nursery, seed, copied(), rounds=60, writers=3).losses == []
