"""With a key, a call is the same if its caller asks for the same, whatever else has changed since."""

from __future__ import annotations

import pytest
from helixlog.commands.opened import Actor
from helixlog.errors import KeyConflict

FACT = "Llamas eat hay"


def test_a_retry_from_another_session_is_the_same_call(open_memory):
    first = open_memory(actor=Actor(session_id="s1", prompt_id="p1")).store(FACT, key="k")
    again = open_memory(actor=Actor(actor="agent", session_id="s2", agent_id="a")).store(FACT, key="k")
    assert (again.id, again.repeated) == (first.id, True)


def test_a_correction_is_repeated_after_the_old_memory_was_annotated(memory):
    old = memory.store(FACT, tags=["a"])
    first = memory.supersede(old.id, "Llamas eat straw", tags=["b"], key="k")
    second = memory.supersede(first.id, "Llamas eat grass", key="l")
    memory.annotate(old.id, add_tags=["c"])
    memory.annotate(first.id, add_tags=["d"])
    assert memory.supersede(old.id, "Llamas eat straw", tags=["b"], key="k").seq == first.seq
    assert memory.supersede(first.id, "Llamas eat grass", key="l").seq == second.seq
    with pytest.raises(KeyConflict):
        memory.supersede(old.id, "Llamas eat straw", tags=["e"], key="k")


@pytest.mark.parametrize("other", [{"tags": ["x"]}, {"shared": True}, {"valid_to": "1d"}, {"metadata": {"n": 1}}])
def test_a_call_that_says_more_is_another(memory, other):
    memory.store(FACT, key="k")
    with pytest.raises(KeyConflict):
        memory.store(FACT, **other, key="k")


def test_a_source_that_has_changed_since_makes_no_other_call(memory, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("Llamas eat hay.\n")
    first = memory.store(FACT, file=str(file), lines="1", key="k")
    file.write_text("Llamas eat hay, mostly.\n")
    assert memory.store(FACT, file=str(file), lines="1", key="k").id == first.id


def test_a_target_may_be_named_by_its_beginning_or_in_full(memory):
    target = memory.store("Hay is dried grass")
    first = memory.store(FACT, relations=[("extends", target.id)], derived_from=iter([target.id]), key="k")
    again = memory.store(FACT, relations=[("extends", target.id[:20])], derived_from=[target.id[:22]], key="k")
    assert (again.id, again.repeated) == (first.id, True)


def test_a_repeated_store_answers_as_the_first_after_a_split(memory):
    memory.store(FACT)
    first = memory.store(FACT, key="k")
    memory.split(first.text_id)
    again = memory.store(FACT, key="k")
    assert (again.status, again.id, again.seq) == ("reinforced", first.id, first.seq)


def test_a_repeated_store_answers_as_the_first_after_a_merge(memory):
    older = memory.store("Hay is what llamas eat")
    first = memory.store(FACT, key="k")
    memory.merge(older.id, first.id)
    again = memory.store(FACT, key="k")
    assert (again.status, again.id) == ("added", first.id)


def test_only_a_repeat_folds_the_log_to_answer(memory, open_memory, monkeypatch):
    """What another writer appended meanwhile is no reason to fold everything again."""
    other, one = open_memory(), memory.store(FACT)
    real = memory.append_with

    def interrupted(*args, **options):
        appended = real(*args, **options)
        other.store("Alpacas hum")
        return appended

    monkeypatch.setattr(memory, "append_with", interrupted)
    monkeypatch.setattr("helixlog.projections.catalog.Catalog.fold", lambda *_: pytest.fail("a whole fold"))
    assert memory.annotate(one.id, add_tags=["x"]).tags == ("x",)
    assert memory.link(one.id, "entity:hay").weight == 1.0
    assert memory.supersede(one.id, "Llamas eat straw").state == "live"
