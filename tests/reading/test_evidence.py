import random

import msgspec
import pytest
from helixlog.commands.evidence import with_evidence
from helixlog.commands.memory import Memory
from helixlog.eventlog.events import Draft, MemoryStored, Scope
from helixlog.projections.text.document import indexed_text
from helixlog.projections.vector.evidence import ENTRY

LIMIT = 6
SUBJECTS = ("the deploy script", "the cache", "Ada", "the parser", "team red", "the queue")
VERBS = ("reads", "writes to", "ignores", "restarts", "depends on")
OBJECTS = ("postgres", "redis", "port 80", "port 81", "the log", "the bucket", "every Tuesday")


def events(chance, count):
    long = " ".join(f"{chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)}." for _ in range(120))
    for number in range(count):
        text = f"{chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)}"
        yield MemoryStored(
            text=f"{long} {number % 3}" if chance.random() < 0.05 else text,
            title=chance.choice([None, None, None, "notes"]),
            scope=Scope(project=chance.choice([None, None, "p"]), user=chance.choice([None, None, "bob"])),
        )


def embedded(memory, drafts):
    vectors = memory.embed(memory.catalog.beliefs.fingerprint, [indexed_text(event) for event in drafts])
    return [msgspec.structs.replace(event, vectors=found) for event, found in zip(drafts, vectors, strict=True)]


def put(memory, batch):
    """Append a batch, with the evidence of a batch; what was appended."""
    kept = []

    def decide(reader):
        kept[:] = with_evidence(memory.synced(reader), batch, reader.head.seq + 1)
        return [Draft(event, memory.new_id()) for event in kept]

    memory.append_with(decide)
    return kept


@pytest.mark.parametrize("seed", range(3))
def test_evidence_of_a_batch_is_that_of_its_texts_one_by_one(tmp_path, clock, monkeypatch, seed):
    monkeypatch.setattr("helixlog.commands.evidence.EVIDENCE_LIMIT", LIMIT)
    chance = random.Random(seed)
    drafts = list(events(chance, 150))
    with (
        Memory(tmp_path / "one", embedder="static", clock=clock) as one,
        Memory(tmp_path / "many", embedder="static", clock=clock) as many,
    ):
        ready = embedded(one, drafts)
        singly = [event for each in ready for event in put(one, [each])]
        at, batches = 0, []
        while at < len(ready):
            size = chance.choice([1, 2, 40, 90])
            batches += put(many, ready[at : at + size])
            at += size
    assert sum(len(event.evidence.near) == LIMIT * ENTRY.itemsize for event in singly) > 20
    assert batches == singly
