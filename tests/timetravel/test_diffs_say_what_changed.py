"""`diff`: between two moments, or between two sets of constants."""

from __future__ import annotations

import pytest
from helixlog.commands.memory import Memory
from helixlog.constants import DAY
from helixlog.errors import InvalidInput
from worlds import Life, said

TRAIN, WINDOW, MOVED = "The release train leaves at noon", "The deploy window is Tuesday", "The deploy window is Friday"

TAUGHT = 0.5 * 0.8 + 0.2
"""Where one good outcome takes a memory."""


@pytest.fixture
def life(tmp_path):
    made = Life(tmp_path / "life", 1)
    yield made
    made.memory.close()


def ids(found):
    return [one.id for one in found]


@pytest.fixture
def told(life):
    """A diff over one of everything; `life.named` are the ids."""
    memory = life.memory
    names = ("kept", "gone", "old", "back", "first", "used")
    texts = ("Llamas eat hay", TRAIN, WINDOW, "Tea is at four", "The parser is slow", "Flags live in a file")
    life.named = {name: memory.store(text).id for name, text in zip(names, texts, strict=True)}
    memory.forget(life.named["back"])
    memory.recall("deploy window")
    life.before = f"@{memory.eventlog.head.seq}"
    life.now += DAY
    memory.forget(life.named["gone"], reason="no train")
    life.named["new"] = memory.supersede(life.named["old"], MOVED, reason="moved").id
    memory.restore(life.named["back"], reason="tea again")
    life.named["second"] = memory.store("The parser is in Rust").id
    memory.merge(life.named["first"], life.named["second"], reason="one parser")
    memory.feedback(ids=[life.named["used"]], used=[life.named["used"]], outcome="delivered")
    return memory.diff(life.before)


def test_each_kind_of_change_has_its_list(life, told):
    named = life.named
    assert ids(told.added) == [named["new"], named["second"]]
    assert [(one.id, one.by, one.reason) for one in told.superseded] == [(named["old"], named["new"], "moved")]
    assert [(one.id, one.by) for one in told.merged] == [(named["second"], named["first"])]
    assert [(one.id, one.state, one.reason) for one in told.hidden] == [
        (named["gone"], ("live", "forgotten"), "no train")
    ]
    assert [(one.id, one.state, one.reason) for one in told.restored] == [
        (named["back"], ("forgotten", "live"), "tea again")
    ]
    (moved,) = told.effectiveness
    assert (moved.id, moved.effectiveness) == (named["used"], (0.5, TAUGHT))
    assert named["kept"] not in {one.id for found in (told.added, told.hidden, told.effectiveness) for one in found}


def test_recorded_questions_are_asked_at_both_moments(life, told):
    (recall,) = told.recalls
    assert recall.order == ((life.named["old"],), (life.named["new"],))
    assert {(one.id, one.rank) for one in recall.ranks} == {
        (life.named["old"], (1, None)),
        (life.named["new"], (None, 1)),
    }
    assert told.recalls_asked == 1


def test_a_question_asked_again_and_again_is_asked_once(life, told):
    assert told.recalls_asked == 1
    for _ in range(3):
        life.memory.recall("deploy window")
    assert life.memory.diff(life.before).recalls_asked == 1


def test_backwards_it_is_the_mirror_image(life, told):
    back = life.memory.diff(f"@{life.memory.eventlog.head.seq}", life.before)
    assert [one.effectiveness for one in back.effectiveness] == [(TAUGHT, 0.5)]
    assert [link.weight[::-1] for link in back.links] == [link.weight for link in told.links]
    assert ids(back.hidden) == [life.named["back"]]


@pytest.mark.usefixtures("told")
def test_between_two_sets_of_constants(life):
    found = life.memory.diff(changes={"learning_rate": 0.5})
    assert found.before == found.after
    assert found.constants == found.counterfactual == {"learning_rate": (0.2, 0.5)}
    assert [one.effectiveness for one in found.effectiveness] == [(TAUGHT, 0.75)]
    assert not any((found.added, found.superseded, found.merged, found.hidden, found.restored))


def test_a_store_just_opened_gives_the_same(life, told):
    """Its projections are behind both moments, and must not be brought on under the first of the two."""
    point = f"@{told.after.seq}/{told.after.time}"
    life.memory.close()
    with Memory(life.memory.folder, clock=lambda: life.now) as again:
        assert said(again.diff(life.before, point)) == said(told)


@pytest.mark.usefixtures("told")
def test_nothing_differs_from_itself(life):
    point = f"@{life.memory.eventlog.head.seq}"
    found = life.memory.diff(point, point)
    lists = (found.added, found.superseded, found.merged, found.parted, found.hidden, found.restored)
    assert not any((*lists, found.effectiveness, found.links, found.recalls, found.constants))


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("options", [{}, {"before": "@1", "after": "@2", "as_of": "@2"}, {"before": "@999"}], ids=str)
def test_what_cannot_be_compared_is_refused(life, options):
    with pytest.raises(InvalidInput):
        life.memory.diff(**options)
