"""Superseding: who may take whose place, and what is shown afterwards."""

from __future__ import annotations

import pytest
from helixlog.errors import Conflict, InvalidInput, NotFound
from helixlog.eventlog.events import MemoryStored, MemorySuperseded

OLD, NEW = "Dana leads the billing team", "Dana leads the search team"


def test_a_new_text_takes_the_place_of_the_old_in_one_append(memory, state):
    old = memory.store(OLD)
    done = memory.supersede(old.id, NEW, reason="she moved")
    text, supersession = (memory.event(seq).event for seq in (done.seq - 1, done.seq))
    assert isinstance(text, MemoryStored)
    assert text.superseding
    assert [(one.relation, one.target) for one in text.relations] == [("updates", old.id)]
    assert supersession == MemorySuperseded(old=old.id, new=done.id, reason="she moved")
    assert (done.text, done.state, done.old, state(old.id)) == (NEW, "live", old.id, "superseded")


def test_recall_shows_the_tip_of_a_chain(memory, shown):
    first = memory.store(OLD)
    second = memory.supersede(first.id, NEW)
    third = memory.supersede(second.id, "Dana leads the growth team")
    assert shown("which team does Dana lead") == ["Dana leads the growth team"]
    assert memory.get(first.id).superseded_by == second.id
    assert memory.get(third.id).supersedes == (second.id,)


def test_a_memory_that_is_there_can_take_the_place(memory, state):
    old, new = memory.store(OLD), memory.store("The search team is led by Dana since May")
    done = memory.supersede(old.id, by=new.id)
    assert (done.id, done.old, state(old.id)) == (new.id, old.id, "superseded")
    assert done.seq == memory.eventlog.head.seq


def test_a_correction_stays_in_the_project_with_its_kind_and_tags(memory):
    old = memory.store(OLD, project="atlas", user="kim", tags=["user-provided"], kind="preference", shared=True)
    record = memory.get(memory.supersede(old.id, NEW).id, user="kim")
    assert (record.scope.project, record.scope.user, record.scope.visibility) == ("atlas", "kim", "shared")
    assert (record.kind, record.tags, record.protected) == ("preference", ("user-provided",), True)


def test_what_is_said_of_the_new_text_wins(memory):
    old = memory.store(OLD, project="atlas", tags=["old"])
    record = memory.get(memory.supersede(old.id, NEW, project="hermes", tags=["new"], entities=["Dana"]).id)
    assert (record.scope.project, record.tags, record.entities) == ("hermes", ("new",), ("dana",))


def test_a_superseding_text_never_joins_another_memory(memory):
    twin, old = memory.store(NEW), memory.store("Dana leads no team")
    assert memory.supersede(old.id, NEW).id != twin.id


def test_repeating_the_target_word_for_word_is_a_conflict(memory, refused):
    old = memory.store(OLD)
    with refused(Conflict, "word for word"):
        memory.supersede(old.id, f"  {OLD}\n")


def test_what_is_superseded_already_has_no_place_to_give(memory, refused):
    old = memory.store(OLD)
    new = memory.supersede(old.id, NEW)
    with refused(Conflict, "superseded already") as caught:
        memory.supersede(old.id, "Dana leads nothing")
    assert new.id in caught.value.remedy


def test_there_is_no_circle(memory, refused):
    old = memory.store(OLD)
    new = memory.supersede(old.id, NEW)
    with refused(Conflict):
        memory.supersede(new.id, by=old.id)


def test_the_chain_may_turn_round_after_a_restore(memory, state):
    old = memory.store(OLD)
    new = memory.supersede(old.id, NEW)
    memory.restore(old.id)
    memory.supersede(new.id, by=old.id)
    assert (state(old.id), state(new.id)) == ("live", "superseded")


@pytest.mark.parametrize("which", ["old", "by"])
def test_a_forgotten_memory_takes_no_part(memory, refused, which):
    one, other = memory.store(OLD), memory.store("Llamas eat hay")
    memory.forget(one.id if which == "old" else other.id)
    with refused(Conflict, "forgotten"):
        memory.supersede(one.id, by=other.id)


def test_an_expired_memory_can_be_replaced_but_takes_nobodys_place(memory, clock, refused):
    one, other = memory.store(OLD, expires_at="1d"), memory.store("Llamas eat hay")
    clock.at(2)
    with refused(Conflict, "expired"):
        memory.supersede(other.id, by=one.id)
    assert memory.supersede(one.id, NEW).state == "live"


def test_two_ids_of_one_memory_cannot_replace_each_other(memory, refused):
    first, second = memory.store(OLD), memory.store(OLD)
    with refused(Conflict, "one memory"):
        memory.supersede(first.text_id, by=second.text_id)


def test_exactly_one_of_text_and_by_is_wanted(memory, refused):
    old, other = memory.store(OLD), memory.store("Llamas eat hay")
    with refused(InvalidInput, "text or a memory"):
        memory.supersede(old.id)
    with refused(InvalidInput, "text or a memory"):
        memory.supersede(old.id, NEW, by=other.id)
    with refused(InvalidInput, "project"):
        memory.supersede(old.id, by=other.id, project="atlas")
    with refused(InvalidInput, "blank"):
        memory.supersede(old.id, " ")


def test_an_unknown_id_is_not_found(memory, refused):
    old = memory.store(OLD)
    with refused(NotFound):
        memory.supersede("zzzzzzzz", NEW)
    with refused(NotFound):
        memory.supersede(old.id, by="zzzzzzzz")


def test_a_race_for_one_place_has_one_winner(memory, open_memory):
    """Another handle supersedes between the look-up and the append of this one."""
    old, other = memory.store(OLD), open_memory()
    embed = memory.embed

    def embed_late(*arguments):
        other.supersede(old.id, NEW)
        return embed(*arguments)

    memory.embed = embed_late
    with pytest.raises(Conflict, match="superseded already"):
        memory.supersede(old.id, "Dana leads the growth team")
    assert [type(recorded.event) for recorded in memory.eventlog.read(3)] == [MemoryStored, MemorySuperseded]


def test_an_update_declared_by_store_is_checked_under_the_lock_too(memory, refused):
    old = memory.store(OLD)
    memory.store(NEW, relations=[("updates", old.id)])
    with refused(Conflict, "superseded already"):
        memory.store("Dana leads the growth team", relations=[("updates", old.id)])
