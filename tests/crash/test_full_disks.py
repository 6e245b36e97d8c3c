"""A full disk refuses by name, loses nothing that was acknowledged, and the store goes on when there is room."""

import pytest
from crash.hindering import full_disk, full_files, full_map, mountable
from crash.teeth import Without
from crash.workloads import WORKLOADS, fresh

SEED = 3
QUICK = ("store", "feedback", "import", "create")


@pytest.mark.parametrize("name", QUICK)
def test_a_file_that_may_not_grow(nursery, copied, name):
    tally = full_files(nursery, name, SEED, copied())
    assert tally.losses == []
    assert tally.promises > 1


def test_a_map_that_may_not_grow(nursery, copied):
    tally = full_map(nursery, SEED, copied())
    assert tally.losses == []
    assert tally.promises > 1


def test_without_opening_anew_a_map_that_could_not_grow_is_the_end(nursery, copied):
    assert full_map(Without(nursery, "reopening"), SEED, copied()).losses


@pytest.mark.skipif(bool(mountable()), reason=mountable() or "mounted")
@pytest.mark.parametrize("name", ["store", "publish", "import"])
def test_a_small_disk(nursery, base, scratch, name):
    tally = full_disk(nursery, name, SEED, base, scratch)
    assert tally.losses == []
    assert tally.promises > 1


@pytest.mark.skipif(bool(mountable()), reason=mountable() or "mounted")
def test_an_event_would_be_reported_as_refused_if_publishing_could_fail_its_verb(nursery, base, scratch):
    tally = full_disk(Without(nursery, "publishing-apart"), "store", SEED, base, scratch)
    assert any("refused the next, and the log has" in loss for loss in tally.losses)


@pytest.mark.long
@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("seed", range(3))
def test_every_verb_on_every_full_disk(nursery, base, scratch, name, seed):
    tally = full_files(nursery, name, seed, fresh(base, scratch / "files"))
    if not mountable():
        tally += full_disk(nursery, name, seed, base, scratch)
    assert tally.losses == []
