import msgspec
import pytest
from helixlog.commands.log import _entry
from helixlog.errors import InvalidInput, NotFound
from helixlog.eventlog.events import ErasedEvent, Recorded, UnknownEvent


def seqs(logged):
    return [entry.seq for entry in logged.events]


def test_the_last_events_oldest_first_with_the_head(plain):
    for number in range(5):
        plain.store(f"note {number}")
    logged = plain.log(limit=3)
    assert (seqs(logged), logged.head) == ([4, 5, 6], 6)
    assert logged.events[-1].summary == "note 4"


def test_after_follows_the_log_page_by_page(plain):
    for number in range(5):
        plain.store(f"note {number}")
    assert seqs(plain.log(after=1, limit=2)) == [2, 3]
    assert seqs(plain.log(after=3)) == [4, 5, 6]
    assert seqs(plain.log(after=6)) == []


def test_by_type_time_and_id(plain, clock):
    first = plain.store("one")
    clock.days(1)
    second = plain.store("two")
    plain.feedback(outcome="delivered", ids=[first.id])
    assert [entry.type for entry in plain.log(type="feedback_given").events] == ["feedback_given"]
    assert seqs(plain.log(id=first.id)) == [2, 4]
    assert seqs(plain.log(id=second.id[:16])) == [3]
    day = clock.time - 10**13
    assert seqs(plain.log(since=day)) == [3, 4]
    assert seqs(plain.log(until=day)) == [1, 2]
    with pytest.raises(InvalidInput, match="event type"):
        plain.log(type="nonsense")


def test_a_recall_is_found_by_its_id(memory):
    memory.store("The deploy script.")
    recalled = memory.recall("deploy script")
    memory.feedback(recalled.recall_id, outcome="delivered")
    assert [one.type for one in memory.log(id=recalled.recall_id).events] == ["memories_recalled", "feedback_given"]


def test_vectors_are_printed_only_on_demand(memory):
    memory.store("The deploy script.")
    short = msgspec.json.encode(memory.log())
    assert len(short) < 5_000
    assert b"<512 bytes>" in short
    assert b"<512 bytes>" not in msgspec.json.encode(memory.log(vectors=True))


def test_another_users_events_are_hidden(memory):
    hidden = memory.store("Bob's deploy script.", user="bob")
    shared = memory.store("The deploy script for all.", shared=True)
    memory.recall("deploy script", user="bob")
    memory.feedback(outcome="delivered", ids=[hidden.id, shared.id], user="bob")
    text = msgspec.json.encode(memory.log())
    assert hidden.id.encode() not in text
    assert b"Bob" not in text
    assert b"memories_recalled" not in text
    assert [one.type for one in memory.log(user="bob").events][1:] == [
        "memory_stored", "memory_stored", "memories_recalled", "feedback_given",
    ]  # fmt: skip
    with pytest.raises(NotFound):
        memory.log(id=hidden.id)


def test_events_of_a_newer_release_and_erased_ones_are_shown_as_such():
    unknown = UnknownEvent(kind="dream_dreamt", kind_version=3, payload=b"xyz")
    told = _entry(Recorded(7, 0, 0, None, unknown), vectors=False)
    assert (told.type, told.content, told.data["payload"]) == ("dream_dreamt", "unknown", "<3 bytes>")
    erased = _entry(Recorded(8, 0, 0, "m1", ErasedEvent(kind="memory_stored")), vectors=False)
    assert (erased.type, erased.content, erased.id) == ("memory_stored", "erased", "m1")
