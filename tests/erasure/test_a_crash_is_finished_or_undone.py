"""A crash at each step of an erasure is finished or undone at the next open, and the log is whole either way."""

import pytest
from helixlog.commands.memory import Memory

KNOWN = b"zanzibarquux"

DIES = """
import os, sys
from helixlog.commands.memory import Memory
from helixlog.eventlog import erasing, layout
from helixlog.projections import epochs

def dies(*_args, **_options):
    os._exit(9)

def after(module, name):
    done = getattr(module, name)
    def then(*args, **options):
        done(*args, **options)
        os._exit(9)
    setattr(module, name, then)

def in_the_middle(*args):
    put = erasing._put_batch
    count = 0
    def counted(*args):
        nonlocal count
        count += 1
        if count == 2:
            os._exit(9)
        put(*args)
    erasing._put_batch = counted

where, store = sys.argv[1:]
{
    "1 lock taken": lambda: setattr(erasing, "_write_next", dies),
    "2 half written": in_the_middle,
    "2 written": lambda: after(erasing, "_write_next"),
    "3 sealed": lambda: after(erasing, "_seal"),
    "4 pointer": lambda: after(layout, "point_to"),
    "5 generation deleted": lambda: after(erasing, "_drop"),
    "5 projections deleted": lambda: after(epochs, "clear"),
    "5 half deleted": lambda: setattr(epochs, "_write", dies),
}[where]()
erasing.BATCH = 10
with Memory(store, create=False) as memory:
    memory.erase(open(store + ".id").read())
print("survived")
"""

UNDONE = ["1 lock taken", "2 half written", "2 written"]
FINISHED = ["3 sealed", "4 pointer", "5 generation deleted", "5 projections deleted", "5 half deleted"]


@pytest.fixture
def store(memory, tmp_path):
    """A closed store whose projections are published; the id of its secret is beside it."""
    one = memory.store("The vault of zanzibarquux opens with a key.")
    for number in range(30):
        memory.store(f"The vault number {number} opens with {number} keys.")
    memory.catalog.publish()
    memory.close()
    (tmp_path / "store.id").write_text(one.id)
    return tmp_path / "store"


def crash(child, where, store):
    process = child(DIES, where, store)
    assert process.wait(timeout=60) == 9
    assert process.stdout.read() == ""


def generations(store):
    return sorted(path.name for path in (store / "log").iterdir() if path.is_dir())


@pytest.mark.parametrize("where", UNDONE)
def test_before_the_seal_it_is_undone(child, store, contents, where):
    crash(child, where, store)
    with Memory(store) as memory:
        assert memory.get((store.parent / "store.id").read_text()).text.startswith("The vault of zanzibarquux")
        assert generations(store) == ["g1"]
        assert memory.verify().ok
        memory.store("life goes on")
        memory.erase((store.parent / "store.id").read_text())
    assert KNOWN not in contents(store)


@pytest.mark.parametrize("where", FINISHED)
def test_from_the_seal_on_it_is_finished(child, store, contents, where):
    crash(child, where, store)
    with Memory(store) as memory:
        assert generations(store) == ["g2"]
        assert KNOWN not in contents(store)
        assert memory.eventlog.head.seq == 33
        assert memory.verify().ok
        assert len(memory.list(limit=100).memories) == 30
        assert memory.recall("what opens the vault of zanzibarquux", record=False).results
    assert KNOWN not in contents(store)
    assert (store / "log" / "CURRENT").read_text() == "g2\n"


def test_a_reader_of_a_folder_it_may_not_write_follows_the_seal(child, store):
    crash(child, "3 sealed", store)
    from helixlog.eventlog.environment import Environment

    class Unlocked(Environment):
        def _open_from(self, name):
            self._lock = None
            return super()._open_from(name)

    environment = Unlocked(store / "log", map_size=1 << 20)
    assert environment.generation == "g2"
    environment.close()
    assert generations(store) == ["g1", "g2"]
