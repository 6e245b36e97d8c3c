"""The power fails at any moment: in every disk it may leave, what was acknowledged is there and the rest is whole.

The disks are built from the system calls of a real process (`crash.recording`, `crash.disk`).
"""

import pytest
from crash import recording
from crash.disk import Disk
from crash.images import power_cuts
from crash.operations import Enter, Rename, Sync, Write
from crash.teeth import Without
from crash.workloads import WORKLOADS

SEED = 3
pytestmark = pytest.mark.skipif(bool(recording.available()), reason=recording.available() or "traced")
HERE = {"store": 8, "publish": 10, "create": 10, "import": 6}


@pytest.fixture
def cut(nursery, base, scratch):
    """`cut(workload, ...)`: the tally of its images; on an empty disk for `create`."""

    def cut_(name, seed=SEED, *, by=nursery, **options):
        return power_cuts(by, name, seed, None if name.endswith("create") else base, scratch / "cut", **options)

    return cut_


@pytest.mark.parametrize("name", HERE)
def test_what_was_acknowledged_is_on_every_disk_a_power_cut_may_leave(cut, name):
    tally = cut(name, only=HERE[name])
    assert tally.losses == []
    assert tally.images == tally.checks == HERE[name]
    assert tally.promises or name == "publish"


@pytest.mark.parametrize(
    ("safety", "name"), [("sync", "store"), ("metasync", "store"), ("layout-sync", "create"), ("layout-sync", "import")]
)
def test_without_a_sync_something_is_lost(cut, safety, name):
    """The harness has teeth: LMDB's two syncs, and those of what is renamed into place."""
    tally = cut(f"{safety}:{name}", module="crash.teeth", until_lost=True, kinds=("none",))
    assert tally.losses


def test_generations_that_were_never_synced_are_noticed_and_made_anew(cut):
    tally = cut("generation-sync:publish", module="crash.teeth", kinds=("torn",), least=40, only=5)
    assert tally.losses == []
    assert tally.images == 5


def test_without_their_checksums_they_are_not(nursery, cut):
    trusting = Without(nursery, "checksums", checks=True)
    options = {"module": "crash.teeth", "kinds": ("torn",), "least": 40, "until_lost": True}
    assert cut("generation-sync:publish", by=trusting, **options).losses


# -- the model of the disk ----------------------------------------------------------


def left(disk, cut):
    """The files of the image in which all or nothing of what is pending is there."""
    from random import Random

    return disk.image(cut, Random(0), 0, 0).files


def played(root, *operations):
    disk = Disk(root)
    for operation in operations:
        disk.apply(operation)
        disk.settle(operation)
    return disk


def test_a_file_s_name_is_durable_only_once_its_folder_is_synced(tmp_path):
    made = [Enter(1, "a", made=True, cut=False), Write(1, 0, b"x"), Sync(1)]
    disk = played(tmp_path, *made)
    assert left(disk, "none") == {}
    assert left(disk, "all") == {"a": b"x"}
    disk = played(tmp_path, *made, Enter(2, "", made=False, cut=False), Sync(2))
    assert left(disk, "none") == {"a": b"x"}


def test_a_rename_is_there_whole_or_not_at_all(tmp_path):
    (tmp_path / "old").write_bytes(b"x")
    disk = played(tmp_path, Rename("old", "new"))
    assert (left(disk, "none"), left(disk, "all")) == ({"old": b"x"}, {"new": b"x"})


def test_a_write_is_durable_after_a_sync_or_by_itself(tmp_path):
    (tmp_path / "a").write_bytes(b"....")
    opened = Enter(1, "a", made=False, cut=False)
    assert left(played(tmp_path, opened, Write(1, 1, b"x")), "none") == {"a": b"...."}
    assert left(played(tmp_path, opened, Write(1, 1, b"x"), Sync(1)), "none") == {"a": b".x.."}
    assert left(played(tmp_path, opened, Write(1, 1, b"x", durable=True)), "none") == {"a": b".x.."}


def test_a_process_that_writes_past_the_recorder_is_refused(tmp_path):
    import os
    import sys

    mapped = "import mmap; f = open({0!r}, 'w+b'); f.truncate(9); mmap.mmap(f.fileno(), 9)"
    for code in ("import os; os.fork() or open({0!r}, 'wb').write(b'x')", "open({0!r}, 'ab').write(b'x')", mapped):
        with pytest.raises(recording.CannotFollow):
            recording.record([sys.executable, "-c", code.format(str(tmp_path / "a"))], tmp_path, dict(os.environ))


@pytest.mark.long
@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("seed", range(3))
def test_every_disk_of_every_verb(cut, name, seed):
    tally = cut(name, seed)
    assert tally.losses == []
    assert tally.images > 20
