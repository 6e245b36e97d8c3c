"""Whatever is handed in as an id, a point or a flag, the answer is one of the package's errors."""

from __future__ import annotations

import pytest
from helixlog.commands.opened import OpenStore
from helixlog.errors import InvalidInput, NotFound
from helixlog.recall.view import Point

NOW = 1_750_000_000_000_000_000
NO_IDS = ["\xff", "\xff" * 8, "\udc80", "a\ud800b", "a" * 10_000, "a" * 65, "a\0", "\0", "..", "a b"]
VERBS = ["get", "forget", "history", "reinforce", "restore", "split", "neighbors", "lineage"]


@pytest.mark.parametrize("one", NO_IDS, ids=range(len(NO_IDS)))
def test_what_can_be_no_id_is_not_found(memory, one):
    memory.store("a fact")
    for verb in VERBS:
        with pytest.raises(NotFound):
            getattr(memory, verb)(one)
    for call in (
        lambda: memory.explain("fact", id=one),
        lambda: memory.log(id=one),
        lambda: memory.feedback(one, outcome="delivered"),
        lambda: memory.link(one, "entity:x"),
        lambda: memory.store("another", relations=[("extends", one)]),
    ):
        with pytest.raises(NotFound) as caught:
            call()
        assert len(str(caught.value)) < 400


def test_an_id_that_fills_its_column_is_not_that_of_a_longer_one(memory):
    texts = memory.view().beliefs.texts
    stored = memory.store("a fact")
    assert texts.ordinal_of(stored.id + "\0") == -1
    memory.rebuild()
    assert memory.view().beliefs.texts.ordinal_of(stored.id + "\0") == -1
    assert memory.view().beliefs.texts.ordinal_of(stored.id) == 0


@pytest.mark.parametrize("point", ["@" + "9" * 5_000, "a" * 10_000, "\udc80" * 9, "@2/1678-01-02", "@\u00b2"])
def test_what_can_be_no_point_is_refused(memory, point):
    memory.store("a fact")
    with pytest.raises(InvalidInput) as caught:
        memory.recall("fact", as_of=point)
    assert len(str(caught.value)) < 400


def test_a_clock_before_its_own_event_is_refused_with_the_earliest(memory):
    memory.store("a fact")
    with pytest.raises(InvalidInput, match="2025-06-15T15:06:40Z"):
        memory.get("x", as_of="@2/2025-06-15T15:06:39Z")
    assert memory.count(as_of="@2/2025-06-15T15:06:40Z").count == 1


def test_a_view_of_the_past_never_answers_past_itself(open_memory):
    time = iter(range(NOW, NOW + 1_000_000, 1_000))
    memory = open_memory("moving", clock=lambda: next(time))
    for text in ("one", "two", "three"):
        memory.store(text)
    later = memory.event(3).recorded_at + 1_000_000_000
    past = OpenStore(memory.folder, memory.eventlog, clock=lambda: later, at=Point(2, later))
    assert past.point(memory.event(4).recorded_at).seq == 2
    assert past.point(memory.event(2).recorded_at - 1).seq == 1


FLAGS = {
    "shared": lambda memory: memory.store("a fact", shared="no"),
    "shared of a correction": lambda memory: memory.supersede(memory.store("a fact").id, "other", shared=0),
    "decay": lambda memory: memory.decay(dry_run="no"),
    "prune": lambda memory: memory.prune(dry_run=1),
    "expire": lambda memory: memory.expire(dry_run=None),
    "reembed": lambda memory: memory.reembed("none", dry_run="yes"),
    "import": lambda memory: memory.import_(".", dry_run="yes"),
    "log": lambda memory: memory.log(vectors="yes"),
    "verify": lambda memory: memory.verify(projections="yes"),
}


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_is_true_or_false_and_nothing_like_it(memory, name):
    with pytest.raises(InvalidInput, match=r"is ('|0|1|None)"):
        FLAGS[name](memory)


@pytest.mark.parametrize("field", ["note", "quote", "uri"])
def test_control_characters_in_a_source_are_refused(memory, field):
    said = {"source": "user:\x1b[31m"} if field == "note" else {field: "\x1b[31m"}
    with pytest.raises(InvalidInput, match=f"{field} holds the control character"):
        memory.store("a fact", **said)


@pytest.mark.parametrize("flag", ["deep", "exact", "record"])
def test_a_recall_takes_true_or_false_and_nothing_like_it(memory, flag):
    with pytest.raises(InvalidInput, match=flag):
        memory.recall("llamas", **{flag: "no"})
