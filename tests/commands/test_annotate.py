"""Annotating: tags, names, expiry, pin and salience, without a new text."""

from __future__ import annotations

import pytest
from helixlog.constants import DAY
from helixlog.errors import InvalidInput, NotFound

FACT = "Llamas eat hay"


@pytest.fixture
def one(memory):
    return memory.store(FACT, tags=["a", "b"], entities=["Llama:animal"], categories=["farm"]).id


def test_tags_and_names_are_added_and_removed(memory, one):
    done = memory.annotate(
        one[:24],
        add_tags=["c"],
        remove_tags=["a", "never there"],
        add_entities=["ACME Corp:company"],
        remove_entities=["LLAMA"],
        add_categories=["food"],
        remove_categories=["Farm"],
        note="tidied",
    )
    assert (done.tags, done.entities, done.categories) == (("b", "c"), ("acme corp",), ("food",))
    assert (done.id, done.seq, done.state, done.note) == (one, memory.eventlog.head.seq, "live", "tidied")
    assert memory.get(one).tags == ("b", "c")


def test_a_new_name_is_found_by_recall(memory, one, shown):
    memory.annotate(one, add_entities=["Zebedee"])
    assert shown("Zebedee") == [FACT]


def test_an_age_is_an_expiry_to_come(memory, one, clock, state):
    done = memory.annotate(one, expires_at="2d")
    assert done.expires_at == memory.get(one).expires_at
    clock.at(1.9)
    assert state(one) == "live"
    clock.now += DAY
    assert state(one) == "expired"
    assert memory.annotate(one, clear=["expires_at"]).state == "live"


def test_pin_and_salience_are_set_and_cleared(memory, one):
    done = memory.annotate(one, pin="persona", salience=0.9)
    assert (done.pin, done.salience) == ("persona", 0.9)
    done = memory.annotate(one, clear=["pin", "salience"])
    assert (done.pin, done.salience) == (None, 0.5)


def test_a_tag_protects_and_its_removal_does_not_any_more(memory, one):
    assert memory.annotate(one, add_tags=["user-provided"]).protected
    assert not memory.annotate(one, remove_tags=["user-provided"]).protected


def test_a_note_alone_is_enough(memory, one):
    assert memory.annotate(one, note="checked").tags == ("a", "b")


def test_a_hidden_memory_can_be_annotated(memory, one):
    memory.supersede(one, "Llamas eat straw")
    assert memory.annotate(one, add_tags=["history"]).state == "superseded"
    memory.forget(one)
    assert memory.annotate(one, remove_tags=["history"]).state == "forgotten"


def test_nothing_to_do_is_refused(memory, one, refused):
    for options in ({}, {"add_tags": []}, {"remove_entities": (), "clear": ()}):
        with refused(InvalidInput, "nothing to do"):
            memory.annotate(one, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"add_tags": ["x"], "remove_tags": ["x"]},
        {"add_entities": ["Llama"], "remove_entities": ["llama"]},
        {"add_categories": ["Farm"], "remove_categories": ["farm"]},
        {"pin": "persona", "clear": ["pin"]},
        {"salience": 0.0, "clear": ["salience"]},
        {"add_tags": "abc"},
        {"add_tags": [" "]},
        {"salience": 1.1},
        {"salience": float("nan")},
        {"expires_at": "soon"},
        {"clear": ["text"]},
        {"clear": "pin"},
        {"pin": ""},
        {"note": ""},
        {"add_entities": [":animal"]},
    ],
)
def test_a_malformed_or_contradictory_annotation_is_refused(memory, one, refused, options):
    with refused(InvalidInput):
        memory.annotate(one, **options)


def test_an_unknown_id_is_not_found(memory, refused):
    with refused(NotFound):
        memory.annotate("zzzzzzzz", note="x")
