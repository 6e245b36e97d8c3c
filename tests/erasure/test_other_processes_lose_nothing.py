"""Processes that have a store open while it is erased from write on, and stop saying what was erased."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from helixlog.projections.catalog import Catalog

KNOWN = "The vault of zanzibarquux opens with a key."

WRITER = """
import os, sys
from helixlog.commands.memory import Memory
from helixlog.eventlog import environment

if sys.argv[2] == "blind":
    # Without the look at the seal: what `_once` would be.
    def once(self, work, *, write):
        self._gate.enter()
        try:
            with self._ready().begin(write=write) as txn:
                return work(environment.Transaction(self._ready(), txn))
        finally:
            self._gate.leave()
    environment.Environment._once = once

with Memory(sys.argv[1], create=False) as memory:
    for line in sys.stdin:
        verb, _, text = line.strip().partition(" ")
        if verb == "store":
            print(memory.store(text).id, flush=True)
        elif verb == "recall":
            print([one.text for one in memory.recall(text, record=False).results], flush=True)
        elif verb == "publish":
            print(memory.catalog.publish() if text != "old" else memory._catalog.publish(), flush=True)
        elif verb == "many":
            seqs = [memory.store(f"note {number} of writer {os.getpid()}").seq for number in range(int(text))]
            print(*seqs, flush=True)
"""


@pytest.fixture
def secret(memory):
    one = memory.store(KNOWN)
    memory.store("The vault of the bank opens with two keys.")
    memory.catalog.publish()
    return one.id


def says(process, *words):
    print(*words, file=process.stdin, flush=True)
    return process.stdout.readline().strip()


def test_what_a_process_stored_before_is_there_and_what_it_stores_after_too(memory, secret, child):
    writer = child(WRITER, memory.folder, "seeing")
    first = says(writer, "store", "the writer was here before")
    memory.erase(secret)
    second = says(writer, "store", "the writer was here after")
    assert memory.get(first).text == "the writer was here before"
    assert memory.get(second).text == "the writer was here after"
    assert memory.verify().ok


def test_without_the_look_at_the_seal_what_it_acknowledges_is_lost(memory, secret, child):
    """Teeth: the write goes into the generation that was replaced."""
    writer = child(WRITER, memory.folder, "blind")
    says(writer, "store", "the writer was here before")
    memory.erase(secret)
    lost = says(writer, "store", "the writer was here after")
    assert len(lost) == 26
    assert memory.eventlog.resolve(lost) == []


def test_writers_and_erasures_at_once_lose_nothing(memory, secret, child):
    victims = [secret, *(memory.store(f"victim {number}, to be erased {number * 3}").id for number in range(3))]
    writers = [child(WRITER, memory.folder, "seeing") for _ in range(2)]
    for writer in writers:
        says(writer, "recall", "vault")
        print("many", 20, file=writer.stdin, flush=True)
    for one in victims:
        memory.erase(one)
    for writer in writers:
        for number, seq in enumerate(map(int, writer.stdout.readline().split())):
            assert memory.event(seq).event.text == f"note {number} of writer {writer.pid}"
    assert memory.eventlog.head.seq == 1 + 2 + 3 + 40 + 4
    assert memory.verify().ok


def test_a_process_that_knew_it_stops_saying_it(memory, secret, child):
    reader = child(WRITER, memory.folder, "seeing")
    assert KNOWN in says(reader, "recall", "vault of zanzibarquux opens with keys")
    memory.erase(secret)
    answer = says(reader, "recall", "vault of zanzibarquux opens with keys")
    assert "zanzibarquux" not in answer
    assert "two keys" in answer


def test_a_process_that_knew_it_publishes_it_no_more(memory, secret, child, contents):
    reader = child(WRITER, memory.folder, "seeing")
    says(reader, "recall", "vault of zanzibarquux opens with keys")
    memory.erase(secret)
    assert says(reader, "publish", "old") == "False"
    assert says(reader, "publish", "new") == "True"
    assert b"zanzibarquux" not in contents(memory.folder)


def test_another_handle_of_this_process_stops_saying_it(open_memory, memory, secret):
    other = open_memory()
    assert other.get(secret).text == KNOWN
    memory.erase(secret)
    assert KNOWN not in [one.text for one in other.recall("vault of zanzibarquux opens with keys").results]
    assert other.store("stored by the other").status == "added"
    assert other.verify().ok


@pytest.mark.parametrize("verb", ["recall", "list", "get"])
def test_an_answer_that_an_erasure_overtook_is_given_without_it(open_memory, memory, secret, monkeypatch, verb):
    other, bodies = open_memory(), Catalog.bodies
    (kept,) = [one for one in memory.list().memories if one.id != secret]

    def overtaken(self, ordinals):
        if self is other._catalog and memory.eventlog.generation == "g1":
            memory.erase(secret)
            self._bodies.clear()
        return bodies(self, ordinals)

    monkeypatch.setattr(Catalog, "bodies", overtaken)
    asked = {"recall": ("what opens the vault",), "list": (), "get": (kept.id,)}[verb]
    answer = getattr(other, verb)(*asked)
    assert memory.eventlog.generation == "g2"
    assert KNOWN not in repr(answer)
    assert kept.text in repr(answer)


def test_threads_of_this_process_lose_nothing_either(memory, secret):
    with ThreadPoolExecutor(4) as pool:
        stored = [pool.submit(memory.store, f"thread note {number}, kept apart {number * 3}") for number in range(24)]
        memory.erase(secret)
    for number, one in enumerate(stored):
        assert memory.event(one.result().seq).event.text == f"thread note {number}, kept apart {number * 3}"
    assert memory.eventlog.head.seq == 1 + 2 + 24 + 1
    assert memory.verify().ok
