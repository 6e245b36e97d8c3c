"""A beginning of an id is judged among the memories that the acting user may see: all of them, and no others."""

from __future__ import annotations

import pytest
from helixlog.errors import AmbiguousId, Conflict, NotFound

HIDDEN = {"shared": False, "user": "kim"}


def act(memory, one, other):
    """Every verb that takes an id, on `one`."""
    return {
        "annotate": lambda user: memory.annotate(one, note="n", user=user),
        "reinforce": lambda user: memory.reinforce(one, user=user),
        "feedback": lambda user: memory.feedback(outcome="delivered", ids=[one], user=user),
        "used": lambda user: memory.feedback(outcome="delivered", ids=[other], used=[one], user=user),
        "link": lambda user: memory.link(one, "entity:x", user=user),
        "unlink": lambda user: memory.unlink("entity:x", one, user=user),
        "merge": lambda user: memory.merge(one, other, user=user),
        "supersede": lambda user: memory.supersede(one, "new words", user=user),
        "supersede by": lambda user: memory.supersede(other, by=one, user=user),
        "store": lambda user: memory.store("new words", relations=[("extends", one)], user=user),
        "derived": lambda user: memory.store("new words", derived_from=[one], user=user),
        "forget": lambda user: memory.forget(one, user=user),
        "restore": lambda user: memory.restore(one, user=user),
    }


@pytest.fixture
def timely(open_memory):
    """A store whose ids sort by when they were made."""
    time = iter(range(1_750_000_000_000_000_000, 1_760_000_000_000_000_000, 2_000_000))
    return open_memory("timely", clock=lambda: next(time))


def test_recalls_do_not_crowd_out_the_other_memory_of_a_beginning(timely):
    first = timely.store("one")
    for _ in range(40):
        timely.recall("one")
    timely.store("else")
    with pytest.raises(AmbiguousId):
        timely.forget(first.id[:4])


def test_recalls_do_not_hide_the_only_memory_of_a_beginning(timely):
    for _ in range(40):
        timely.recall("nothing")
    only = timely.store("one")
    assert timely.forget(only.id[:4]).id == only.id


@pytest.mark.parametrize("verb", act(None, None, None))
def test_no_verb_reaches_a_private_memory_of_another_user(memory, verb):
    theirs, mine = memory.store("kim's own", **HIDDEN), memory.store("mine")
    head = memory.eventlog.head
    for one in (theirs.id, theirs.id[:-1]):
        with pytest.raises(NotFound):
            act(memory, one, mine.id)[verb](None)
    assert memory.eventlog.head == head


@pytest.mark.parametrize("verb", sorted(set(act(None, None, None)) - {"merge", "restore"}))
def test_every_verb_acts_for_the_user_it_is_given(memory, verb):
    theirs, other = memory.store("kim's own", **HIDDEN), memory.store("kim's too", **HIDDEN)
    if verb == "unlink":
        memory.link(theirs.id, "entity:x", user="kim")
    head = memory.eventlog.head.seq
    act(memory, theirs.id, other.id)[verb]("kim")
    assert memory.eventlog.head.seq > head


def test_an_ambiguity_names_no_id_of_another_user(memory):
    theirs = memory.store("kim's own", **HIDDEN)
    mine = [memory.store("mine"), memory.store("mine too")]
    with pytest.raises(AmbiguousId) as caught:
        memory.forget(theirs.id[:4])
    assert theirs.id not in str(caught.value)
    assert all(one.id in str(caught.value) for one in mine)


def test_a_beginning_that_others_share_is_unique_among_ones_own(memory):
    memory.store("kim's own", **HIDDEN)
    mine = memory.store("mine")
    assert memory.forget(mine.id[:4]).id == mine.id


def test_feedback_is_given_on_ones_own_recalls_only(memory):
    memory.store("kim's own words", **HIDDEN)
    recalled = memory.recall("kim's own words", user="kim")
    with pytest.raises(NotFound):
        memory.feedback(recalled.recall_id, outcome="delivered")
    assert memory.feedback(recalled.recall_id, outcome="delivered", user="kim").updated


def test_a_refusal_names_no_successor_that_the_user_may_not_see(memory):
    old, new = memory.store("for all", shared=True), memory.store("kim's own", shared=True, user="kim")
    hidden = memory.store("kim's secret", **HIDDEN)
    memory.supersede(old.id, by=hidden.id, user="kim")
    with pytest.raises(Conflict) as caught:
        memory.supersede(old.id, by=new.id)
    assert hidden.id not in str(caught.value)


def test_a_record_names_only_what_the_asker_may_see(memory):
    old, hidden = memory.store("for all", shared=True), memory.store("kim's secret", **HIDDEN)
    newest = memory.store("for all again", shared=True)
    memory.supersede(old.id, by=hidden.id, user="kim")
    memory.supersede(hidden.id, by=newest.id, user="kim")
    assert memory.get(old.id).superseded_by is None
    assert memory.get(newest.id).supersedes == ()
    assert memory.get(old.id, user="kim").superseded_by == hidden.id
    assert memory.get(newest.id, user="kim").supersedes == (hidden.id,)
    assert [one.superseded_by for one in memory.list(state="superseded").memories] == [None]


def test_a_record_names_only_those_of_its_texts_that_the_asker_may_see(memory):
    first = memory.store("the same words", grants=["kim"])
    again = memory.store("the same words")
    assert memory.get(first.id).merged_from == (again.text_id,)
    assert memory.get(first.id, user="kim").merged_from == ()


def test_a_correction_stays_whose_the_corrected_was(memory):
    old = memory.store("kim's plan", **HIDDEN)
    new = memory.supersede(old.id, "kim's better plan", user="kim")
    assert memory.get(new.id, user="kim").scope.user == "kim"
    with pytest.raises(TypeError):
        memory.supersede(new.id, "kim's best plan", user="kim", prior=None)
