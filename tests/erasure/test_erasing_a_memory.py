"""What `erase` takes, whom it obeys, what it answers, and that refused it leaves the log as it was."""

import pytest
from helixlog.commands.memory import Memory
from helixlog.errors import AmbiguousId, InvalidInput, NotFound, OutOfSpace, ReadOnlyView, StoreBusy, StoreReadOnly
from helixlog.eventlog import erasing
from helixlog.eventlog.events import Draft, MemoryErased, MemorySuperseded, TurnRecorded
from helixlog.eventlog.layout import WriteLock
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.projections import epochs


@pytest.fixture
def refused(memory):
    """`refused(Error, words, *args, **options)`: `erase` raises it, with a remedy, and the log is unchanged."""

    def refused_(error, words, *args, **options):
        head, generation = memory.eventlog.head, memory.eventlog.generation
        with pytest.raises(error, match=words) as caught:
            memory.erase(*args, **options)
        assert type(caught.value) is error
        assert caught.value.remedy
        assert (memory.eventlog.head, memory.eventlog.generation) == (head, generation)

    return refused_


def test_every_text_of_a_memory_goes(memory):
    one = memory.store("Charges are retried three times.")
    same = memory.store("Charges  are retried three times.")
    longer = memory.store("Charges are retried three times by the service that bills.")
    memory.merge(one.id, longer.id)
    receipt = memory.erase(same.text_id)
    assert set(receipt.texts) == {one.id, same.text_id, longer.id}
    assert receipt.memories == (one.id,)
    assert receipt.seq == memory.eventlog.head.seq
    for gone in receipt.texts:
        with pytest.raises(NotFound, match="was erased"):
            memory.get(gone)


def test_what_was_split_off_before_stays(memory):
    one, same = memory.store("Charges are retried."), memory.store("Charges are  retried.")
    memory.split(same.text_id)
    receipt = memory.erase(one.id)
    assert memory.get(same.text_id).text == "Charges are  retried."
    assert receipt.same_text == (same.text_id,)


def test_sequence_numbers_ids_and_the_chain_stay(memory):
    one = memory.store("Charges are retried three times.")
    memory.store("Jonas owns the search index.")
    before = memory.eventlog.head
    memory.erase(one.id)
    assert memory.eventlog.chain_at(before.seq) == before.digest
    assert memory.eventlog.resolve(one.id) == [(one.id, 2)]
    assert memory.eventlog.head.seq == before.seq + 1
    assert memory.verify(projections=True).ok


def test_the_past_answers_without_it(memory):
    one = memory.store("Charges are retried three times.")
    memory.store("Jonas owns the search index.")
    memory.erase(one.id)
    assert memory.recall("how often are charges retried?", as_of="@3").results == ()
    assert [found.text for found in memory.recall("who owns the index?", as_of="@3").results] == [
        "Jonas owns the search index."
    ]
    assert [found.text for found in memory.list(as_of="@2").memories] == []


def test_a_view_of_before_that_is_still_open_answers_without_it_too(memory):
    one = memory.store("Charges are retried three times.")
    past = memory.as_of("@2")
    assert past.get(one.id).text
    memory.erase(one.id)
    with pytest.raises(NotFound):
        past.get(one.id)


def test_the_log_and_what_it_was_tied_to_say_that_something_was_erased(memory):
    one, other = memory.store("Charges are retried three times."), memory.store("Jonas owns the search index.")
    memory.supersede(one.id, by=other.id, reason="charges are retried")
    memory.erase(one.id)
    shown = {entry.seq: entry for entry in memory.log(limit=9).events}
    assert (shown[2].type, shown[2].content, shown[2].id) == ("memory_stored", "erased", one.id)
    assert 4 not in shown
    assert memory.event(4).event == MemorySuperseded(old=one.id, new=other.id)
    assert shown[5].type == "memory_erased"
    assert memory.history(other.id).events[0].summary == "Jonas owns the search index."


def test_what_was_drawn_from_it_is_named_and_stays(memory):
    one = memory.store("Charges are retried three times.")
    two = memory.store("The retries are too few.", derived_from=[one.id])
    three = memory.store("Retries shall be five.", derived_from=[two.id])
    receipt = memory.erase(one.id)
    assert receipt.derived == (two.id, three.id)
    assert not receipt.derived_erased
    assert memory.get(three.id).text == "Retries shall be five."


def test_what_was_drawn_from_it_goes_too_if_asked_for(memory):
    one = memory.store("Charges are retried three times.", shared=True)
    two = memory.store("The retries are too few.", derived_from=[one.id])
    three = memory.store("Retries shall be five.", relations=[("derives", two.id)])
    theirs = memory.store("Mara thinks so too.", user="mara")
    hidden = memory.store("Mara drew on it.", user="mara", derived_from=[one.id])
    receipt = memory.erase(one.id, derived=True)
    assert set(receipt.texts) == {one.id, two.id, three.id}
    assert receipt.derived_erased
    assert receipt.derived_unseen == 1
    assert {found.id for found in memory.list(user="mara").memories} == {theirs.id, hidden.id}


def test_a_private_memory_of_another_is_not_found(memory, refused):
    one = memory.store("Mara's key is under the mat.", user="mara")
    refused(NotFound, "no memory has the id", one.id)
    assert memory.erase(one.id, user="mara").texts == (one.id,)


def test_everything_of_a_user_goes(memory, contents):
    mine = memory.store("Ann's note on the vault.")
    memory.store("Mara's key is under the mat.", user="mara")
    shared = memory.store("Mara shares that the vault is blue.", user="mara", shared=True)
    ours = memory.store("The lift is out of order.", shared=True)
    memory.store("The lift is  out of order.", shared=True, user="mara")
    recalled = memory.recall("what does Mara quietly ask about the lift", user="mara")
    memory.feedback(recalled.recall_id, outcome="delivered", user="mara")
    receipt = memory.erase(user="mara")
    assert len(receipt.texts) == 3
    assert shared.id in receipt.memories
    assert {one.id for one in memory.list(user="mara").memories} == {ours.id}
    assert {one.id for one in memory.list().memories} == {mine.id, ours.id}
    assert b"quietly" not in contents(memory.folder)
    assert b"mara" not in contents(memory.folder)
    assert memory.verify(projections=True).ok


def test_erasing_twice_says_so_and_does_nothing_more(memory, refused):
    one = memory.store("Charges are retried three times.")
    memory.store("Mara's key is under the mat.", user="mara")
    memory.erase(one.id)
    memory.erase(user="mara")
    refused(NotFound, "was erased", one.id)
    refused(NotFound, "nothing in the store is of 'mara'", user="mara")


def test_a_dry_run_says_what_would_go_and_nothing_goes(memory):
    one = memory.store("Charges are retried three times.")
    recalled = memory.recall("charges")
    head = memory.eventlog.head
    would = memory.erase(one.id, dry_run=True)
    assert (would.dry_run, would.seq) == (True, None)
    assert memory.eventlog.head == head
    done = memory.erase(one.id)
    assert (would.texts, would.destroyed, would.rewritten) == (done.texts, done.destroyed, done.rewritten)
    assert done.rewritten == ({"memories_recalled": 1} if recalled.results else {})
    assert any("backups" in place for place in done.copies)


def test_what_cannot_be_is_refused_and_the_log_is_unchanged(memory, refused):
    one = memory.store("Charges are retried three times.")
    memory.store("Jonas owns the search index.")
    refused(InvalidInput, "needs to be told what")
    refused(InvalidInput, "is no id", "")
    refused(NotFound, "no memory has the id", "01zzzzzzzz")
    refused(AmbiguousId, "begins several ids", one.id[:4])
    refused(InvalidInput, "dry_run", one.id, dry_run=1)
    with pytest.raises(ReadOnlyView):
        memory.as_of("@2").erase(one.id)


def test_a_store_opened_to_be_read_is_not_erased_from(memory, open_memory):
    one = memory.store("Charges are retried three times.")
    with pytest.raises(StoreReadOnly):
        open_memory(read_only=True).erase(one.id)
    assert memory.get(one.id).text


def test_it_waits_for_another_writer_only_so_long(memory, refused, monkeypatch):
    one = memory.store("Charges are retried three times.")
    monkeypatch.setattr("helixlog.commands.erase.WAIT", 0.05)
    lock = WriteLock(memory.folder / "log")
    lock.acquire(0)
    refused(StoreBusy, "lock", one.id)
    lock.close()
    with epochs.publishing(memory.folder / "projections", lambda: True):
        refused(StoreBusy, "publishing", one.id)
    assert memory.erase(one.id).texts == (one.id,)


def test_a_full_disk_leaves_the_log_as_it_was(memory, refused, monkeypatch):
    one = memory.store("Charges are retried three times.")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("helixlog.eventlog.erasing._put_batch", full)
    refused(OutOfSpace, "No space", one.id)
    monkeypatch.undo()
    assert [path.name for path in (memory.folder / "log").iterdir() if path.is_dir()] == ["g1"]
    assert memory.erase(one.id).texts == (one.id,)


def test_the_same_key_still_acts_once(memory):
    one = memory.store("Charges are retried three times.", key="k1")
    memory.erase(one.id)
    with pytest.raises(NotFound, match="was erased"):
        memory.store("Charges are retried three times.", key="k1")
    again = memory.store("Charges are retried three times.")
    assert again.status == "added"


def test_erasing_again_and_again_keeps_every_record_accounted_for(memory):
    stored = [memory.store(f"The vault number {number} opens with {number} keys.") for number in range(12)]
    memory.recall("which vault opens with keys?", limit=12)
    for one in {one.id for one in stored[:6]}:
        memory.erase(one)
        assert memory.verify(projections=True).ok
    assert memory.eventlog.generation == "g7"


def test_an_altered_record_that_no_erasure_lists_is_found(memory):
    """Teeth: a rewriting that keeps silent about what it did does not verify."""
    one = memory.store("Charges are retried three times.")
    silent = erasing.Rewriting(
        lambda recorded: None if recorded.id == one.id else recorded.event,
        lambda _: Draft(MemoryErased(memories=(one.id,), rewritten=())),
    )
    erasing.erase(memory.eventlog, lambda _: silent, clock=memory.clock(), wait=1)
    assert [problem.kind for problem in memory.verify().problems] == ["erasure"]


def test_readers_of_the_old_generation_finish_what_they_read(memory):
    for number in range(200):
        memory.append_with(lambda _, n=number: [_note(n)])
    reading = memory.eventlog.read(1)
    assert next(reading).seq == 1
    one = memory.store("Charges are retried three times.")
    memory.erase(one.id)
    assert [recorded.seq for recorded in reading] == list(range(2, 202))


def _note(number):
    return Draft(TurnRecorded(role="user", text=f"turn {number}"))


def test_a_store_of_an_older_day_opens_after_it(memory, tmp_path):
    one = memory.store("Charges are retried three times.")
    memory.erase(one.id)
    memory.close()
    with LmdbLog.open(tmp_path / "store") as log:
        assert log.generation == "g2"
    with Memory(tmp_path / "store") as again:
        assert again.list(state="all").memories == ()
