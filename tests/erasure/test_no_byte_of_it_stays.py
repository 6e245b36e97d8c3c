"""After an erasure no file of the store holds the text, its tokens, its vectors or a number measured of them."""

import struct

import numpy as np
import pytest
from helixlog.eventlog.events import Draft, MemoryAnnotated, SessionArchived
from helixlog.projections import epochs
from helixlog.projections.text.index import TextIndex

CANARIES = ["zanzibarquux", "4711-8842-canary", "verschwiegenheit"]
TEXT = (
    "The vault of the bank opens with a key, a card and the word of two persons who know each other well: "
    f"{CANARIES[0]} {CANARIES[1]} {CANARIES[2]}."
)


def forms(row):
    """The bytes a vector may be kept as: half, single and double precision, signs in either order."""
    signs = row > 0
    return [
        row.astype("<f2").tobytes(),
        row.astype("<f4").tobytes(),
        row.astype("<f8").tobytes(),
        np.packbits(signs).tobytes(),
        np.packbits(signs, bitorder="little").tobytes(),
    ]


def numbers(cosines):
    """The bytes a cosine may be kept as."""
    near = [np.nextafter(np.float32(one), np.float32(2)) for one in cosines]
    return [struct.pack(form, float(one)) for one in (*cosines, *near) for form in ("<f", ">d", "<d")]


def vector_of(memory, one):
    ((_, seq),) = memory.eventlog.resolve(one)
    return np.frombuffer(memory.event(seq).event.vectors.rows[0], "<f2")


@pytest.fixture
def told(memory, monkeypatch):
    """A store in which a secret has left every trace it can; the secret's id, and what must vanish."""
    monkeypatch.setattr(TextIndex, "accelerated_from", TextIndex.accelerated_from._replace(documents=1), raising=False)
    secret = memory.store(TEXT, tags=[f"tag-{CANARIES[0]}"], title=f"title {CANARIES[2]}", metadata={"m": CANARIES[1]})
    others = [
        memory.store(
            f"The vault of the bank opens with a key, a card and the word of {number} persons who know each other well."
        ).id
        for number in range(40)
    ]
    memory.store(f"  {TEXT}")
    memory.append([Draft(MemoryAnnotated(memory=secret.id, note=f"noted {CANARIES[0]}"))])
    memory.link(secret.id, others[0], relation="led_to", reason=f"because {CANARIES[0]}")
    memory.forget(others[1])
    recalled = memory.recall(f"who opens the vault of the bank, {CANARIES[0]}", goal=f"goal {CANARIES[1]}")
    assert secret.id in [one.id for one in recalled.results]
    memory.feedback(recalled.recall_id, outcome="delivered")
    memory.feedback(None, outcome="blocked", ids=[secret.id, others[2]], context=f"context {CANARIES[2]}")
    query = np.frombuffer(memory.event(memory.eventlog.resolve(recalled.recall_id)[0][1]).event.vector.rows[0], "<f2")
    row = vector_of(memory, secret.id)
    compared = [vector_of(memory, one) for one in others]
    cosines = [np.float32(row.astype(float) @ one.astype(float)) for one in [*compared, query]]
    memory.catalog.publish(lasting=True)
    words = [word.encode() for word in (*CANARIES, TEXT)]
    return secret.id, words, [*forms(row), *forms(query)], numbers(cosines)


def test_words_vectors_and_cosines_are_gone_from_every_file(memory, told, contents):
    _, words, vectors, cosines = told
    before = contents(memory.folder)
    assert all(word in before for word in words)
    assert vectors[0] in before
    assert sum(one in before for one in cosines) > 20
    assert sum(one in before for one in vectors) >= 2
    receipt = memory.erase(told[0])
    assert len(receipt.texts) == 2
    now = contents(memory.folder)
    assert [one for one in words if one in now] == []
    assert [one for one in vectors if one in now] == []
    assert [one for one in cosines if one in now] == []


def test_nor_do_they_come_back_when_projections_are_made_anew(memory, told, contents):
    memory.erase(told[0])
    assert memory.recall("the vault of the bank").results
    assert memory.catalog.publish(lasting=True)
    memory.rebuild()
    now = contents(memory.folder)
    assert [one for part in told[1:] for one in part if one in now] == []


def test_half_made_copies_in_the_store_go_too(memory, told, contents):
    copy = memory.folder / ".new-half"
    copy.mkdir()
    (copy / "data").write_text(TEXT, "utf-8")
    (memory.folder / ".out.jsonl.new-99").write_text(TEXT, "utf-8")
    memory.erase(told[0])
    assert CANARIES[1].encode() not in contents(memory.folder)


def test_without_the_deletion_of_projections_their_bytes_would_be_found(memory, told, contents, monkeypatch):
    """Teeth: the search does look into segments of words and vectors."""
    monkeypatch.setattr(epochs, "clear", lambda *_: None)
    memory.erase(told[0])
    assert [one for part in told[1:3] for one in part if one in contents(memory.folder)]


def test_summaries_of_the_sessions_that_saw_it_go(open_memory, contents):
    from helixlog.commands.opened import Actor

    memory = open_memory(actor=Actor(session_id="s1"))
    one = memory.store(TEXT)
    memory.append([Draft(SessionArchived(session_id="s1", summary=f"we spoke of {CANARIES[0]}", outcome="delivered"))])
    memory.append([Draft(SessionArchived(session_id="s2", summary="we spoke of the weather"))])
    memory.erase(one.id)
    now = contents(memory.folder)
    assert CANARIES[0].encode() not in now
    assert b"the weather" in now
    assert memory.event(3).event.outcome == "delivered"
