"""Changing the embedder: every text covered at every point, thresholds with it, the past as it was."""

from __future__ import annotations

import numpy as np
import pytest
from helixlog.commands import reembed as module
from helixlog.embedding import STATIC, Identity, Thresholds
from helixlog.errors import Conflict, EmbedderError, EmbedderMismatch, InvalidInput
from helixlog.eventlog.events import ConstantsAdopted, EmbedderAdopted, MemoriesReembedded, MemoryStored

FACTS = ("Llamas eat hay", "Foxes avoid the paddock at noon", "Invoices are sent on Fridays")
CONTEXT = "what do llamas eat"


class Toy:
    """Eight dimensions from the characters of a text; `before` is called ahead of each batch, a "..." has no vector."""

    def __init__(self, name="toy") -> None:
        self.identity = Identity(
            name=name, weights="sha256:0", dimensions=8, pooling="sum", window=0, stride=0, revision=1
        )
        self.thresholds = Thresholds(duplicate=0.99, related=0.9, causal=0.5, min_relevance=0.1)
        self.embedded = []
        self.before = lambda: None

    def embed_documents(self, texts):
        self.before()
        self.embedded += texts
        return [self.embed_query(text)[None] for text in texts]

    def embed_query(self, text):
        total = np.zeros(8, np.float32)
        for place, character in enumerate(text.replace(".", "")):
            total[(ord(character) + place % 3) % 8] += 1
        return total / (np.linalg.norm(total) or 1)


@pytest.fixture
def toy():
    return Toy()


@pytest.fixture
def filled(memory):
    return [memory.store(text).id for text in FACTS]


def kinds(memory, start):
    return [type(recorded.event) for recorded in memory.eventlog.read(start)]


def uncovered(memory, fingerprint):
    """Texts without vectors of the embedder in use."""
    covered = set()
    for recorded in memory.eventlog.read():
        event = recorded.event
        if isinstance(event, MemoryStored) and event.vectors and event.vectors.fingerprint == fingerprint:
            covered.add(recorded.seq)
        elif isinstance(event, MemoriesReembedded) and event.fingerprint == fingerprint:
            covered.update(event.texts)
    return {recorded.seq for recorded in memory.eventlog.read() if isinstance(recorded.event, MemoryStored)} - covered


@pytest.mark.usefixtures("filled")
def test_vectors_thresholds_and_adoption_are_one_append(memory, toy):
    head = memory.eventlog.head.seq
    done = memory.reembed(toy, "smaller")
    assert kinds(memory, head + 1) == [MemoriesReembedded, ConstantsAdopted, EmbedderAdopted]
    assert (done.seq, done.texts, done.kept, done.events, done.constants_adopted) == (head + 3, 3, 0, 3, True)
    assert (done.embedder, done.fingerprint) == ("toy", toy.identity.fingerprint)
    assert done.previous == STATIC.identity.fingerprint
    adopted = memory.event(done.seq).event
    assert (adopted.reason, adopted.embedder["dimensions"]) == ("smaller", 8)
    assert memory.view().beliefs.constants.threshold(done.fingerprint).duplicate == 0.99
    assert not uncovered(memory, done.fingerprint)


@pytest.mark.usefixtures("filled")
def test_recall_uses_the_new_embedder_and_the_past_keeps_the_old(memory, toy):
    point = memory.recall(CONTEXT, record=False).as_of
    before = memory.recall(CONTEXT, as_of=f"@{point.seq}/{point.time}", record=False)
    memory.reembed(toy)
    assert memory.recall(CONTEXT, as_of=f"@{point.seq}/{point.time}", record=False) == before
    assert memory.recall(CONTEXT).results[0].relevance != before.results[0].relevance
    assert memory.store("Alpacas hum").warnings == ()


@pytest.mark.usefixtures("filled")
def test_a_change_and_a_change_back_embeds_only_what_is_new(memory, toy):
    memory.reembed(toy)
    memory.store("Alpacas hum when they are content")
    done = memory.reembed("static")
    assert (done.texts, done.kept, done.constants_adopted) == (1, 3, False)
    assert not uncovered(memory, STATIC.identity.fingerprint)


def test_a_store_without_an_embedder_gains_one(open_memory, toy):
    memory = open_memory("plain", embedder="none")
    memory.store(FACTS[0])
    done = memory.reembed(toy)
    assert (done.previous, done.texts) == (None, 1)
    assert memory.recall(FACTS[0]).results[0].relevance == pytest.approx(1.0, abs=1e-3)


@pytest.mark.usefixtures("filled")
def test_none_takes_the_embedder_away(memory):
    done = memory.reembed("none", "words are enough")
    assert (done.fingerprint, done.embedder, done.texts, done.events) == (None, None, 0, 1)
    assert memory.recall("llamas").results[0].relevance is None
    assert memory.store("Alpacas hum").warnings == ()
    with pytest.raises(Conflict):
        memory.reembed("none")


def test_a_handle_without_an_embedder_answers_once_the_store_has_none(memory, open_memory):
    memory.store("The queue tunnel is down.")
    other = open_memory(memory.folder, embedder="none")
    assert other.count().count == 1
    with pytest.raises(EmbedderMismatch):
        other.recall("queue tunnel")
    memory.reembed("none")
    assert len(other.recall("queue tunnel").results) == 1


@pytest.mark.usefixtures("filled")
def test_texts_are_embedded_in_batches_and_the_last_comes_with_the_adoption(memory, toy, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 2)
    monkeypatch.setattr(module, "SLICE", 1)
    seen = []
    head = memory.eventlog.head.seq
    done = memory.reembed(toy, progress=lambda *numbers: seen.append(numbers))
    assert kinds(memory, head + 1) == [MemoriesReembedded, MemoriesReembedded, ConstantsAdopted, EmbedderAdopted]
    assert [len(memory.event(head + place).event.texts) for place in (1, 2)] == [2, 1]
    assert (done.events, seen) == (4, [(1, 3), (2, 3), (3, 3)])


@pytest.mark.parametrize("late", [1, 40])
@pytest.mark.usefixtures("filled")
def test_texts_stored_meanwhile_are_covered(memory, open_memory, toy, late):
    """Another handle stores while this one embeds: a few are embedded under the lock, many in another round."""
    other = open_memory()

    def store_once():
        toy.before = lambda: None
        for number in range(late):
            other.store(f"Fact number {number} about llamas")

    toy.before = store_once
    done = memory.reembed(toy)
    assert done.texts == len(FACTS) + late
    assert not uncovered(memory, done.fingerprint)
    assert len(toy.embedded) == done.texts


@pytest.mark.usefixtures("filled")
def test_a_text_embedded_for_the_old_embedder_gets_vectors_of_the_new_one(memory, open_memory, toy):
    """The embedder changes while another handle embeds a text for the old one."""
    other = open_memory()
    other.use_embedder(toy)
    embed = other.embed

    def embed_late(*arguments):
        other.embed = embed
        vectors = embed(*arguments)
        memory.reembed(toy)
        return vectors

    other.embed = embed_late
    other.store("Alpacas hum")
    assert not uncovered(memory, toy.identity.fingerprint)


@pytest.mark.usefixtures("filled")
def test_a_failing_embedder_changes_nothing_and_the_next_run_goes_on(memory, toy, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 2)

    def fail_at_the_second():
        if toy.embedded:
            raise EmbedderError("out of breath", remedy="try again")

    toy.before = fail_at_the_second
    with pytest.raises(EmbedderError):
        memory.reembed(toy)
    assert memory.view().beliefs.fingerprint == STATIC.identity.fingerprint
    toy.before = lambda: None
    done = memory.reembed(toy)
    assert (done.texts, done.kept) == (1, 2)
    assert not uncovered(memory, done.fingerprint)


def test_a_text_that_means_nothing_to_the_embedder_is_covered_without_a_vector(memory, toy):
    memory.store("...")
    done = memory.reembed(toy)
    assert memory.event(done.seq - 2).event.rows == ((),)


@pytest.mark.usefixtures("filled")
def test_a_dry_run_embeds_and_appends_nothing(memory, toy):
    head = memory.eventlog.head
    dry = memory.reembed(toy, dry_run=True)
    assert (memory.eventlog.head, toy.embedded) == (head, [])
    assert (dry.seq, dry.texts, dry.constants_adopted, dry.events) == (None, 3, True, 0)


@pytest.mark.usefixtures("filled")
def test_the_embedder_in_use_is_a_conflict_and_an_unknown_one_is_refused(memory, refused):
    with refused(Conflict, "already"):
        memory.reembed("static")
    with refused(InvalidInput):
        memory.reembed("nonesuch")


@pytest.mark.usefixtures("filled")
def test_a_key_adopts_once(memory, toy):
    first = memory.reembed(toy, key="k")
    memory.reembed("static")
    again = memory.reembed(toy, key="k")
    assert again.repeated
    assert (again.seq, again.texts, again.previous) == (first.seq, 3, STATIC.identity.fingerprint)
    assert memory.view().beliefs.fingerprint == STATIC.identity.fingerprint
