"""`replay`, `diff`, `adopt` and views under other constants: what they refuse, what they write, what they say."""

from __future__ import annotations

import pytest
from helixlog.constants import DAY, Constants
from helixlog.errors import Conflict, InvalidInput, KeyConflict, NotFound
from helixlog.eventlog.events import ConstantsAdopted

OPEN = "The deploy window is Tuesday at ten"


@pytest.fixture
def taught(small):
    """One memory, one recall of it, and feedback: `ids` are (memory, recall)."""
    stored = small.memory.store(OPEN)
    small.now += DAY
    asked = small.memory.recall("when is the deploy window?")
    small.now += DAY
    small.memory.feedback(asked.recall_id, outcome="delivered")
    small.one = stored.id, asked.recall_id
    return small


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock.mdb"}


def test_a_replay_touches_nothing(taught):
    taught.memory.count()
    before = files(taught.memory.folder)
    taught.memory.replay(changes={"learning_rate": 0.9, "duplicate": 0.8}, explain=taught.one[0])
    taught.memory.replay(check=True)
    taught.memory.diff("@1", changes={"causal": 0.4})
    assert files(taught.memory.folder) == before


def test_a_replay_that_is_broken_off_leaves_nothing_and_can_begin_again(life):
    class Enough(Exception):
        pass

    def stop(_done, _all):
        raise Enough

    before = files(life.memory.folder)
    with pytest.raises(Enough):
        life.memory.replay(changes={"learning_rate": 0.9}, progress=stop)
    assert files(life.memory.folder) == before
    steps = []
    done = life.memory.replay(changes={"learning_rate": 0.9}, progress=lambda n, total: steps.append((n, total)))
    assert steps[-1] == (done.head, done.head)


def test_what_leans_on_recorded_recalls_is_marked(taught):
    memory, recall = taught.one
    (changed,) = taught.memory.replay(changes={"learning_rate": 0.9}).memories
    assert (changed.id, changed.evidence) == (memory, (recall,))
    taught.memory.feedback(ids=[(taught.memory.store("Llamas eat hay").id, 0.9)], outcome="delivered")
    done = taught.memory.replay(changes={"learning_rate": 0.9})
    assert [bool(one.evidence) for one in done.memories] == [True, False]
    assert done.leaning == 1


def test_the_difference_is_explained_event_by_event(taught):
    memory, _ = taught.one
    explained = taught.memory.replay(changes={"causal": 0.9}, explain=memory).explained
    assert explained.id == (memory, memory)
    assert [(one.type, one.differs) for one in explained.events] == [
        ("memory_stored", False),
        ("memories_recalled", False),
        ("feedback_given", True),
    ]
    step = explained.events[-1]
    assert 0.52 <= step.similarity < 0.9
    assert step.before.weight > 0 > step.after.weight
    assert (step.before.hits, step.after.hits) == (1, 0)
    assert step.before.effectiveness > step.after.effectiveness == 0.5


def test_a_text_that_would_be_a_memory_of_its_own_has_events_on_one_side_only(small):
    first = small.memory.store("The team drinks coffee before each meeting")
    second = small.memory.store("The team drinks a coffee before each meeting")
    assert second.status == "merged"
    explained = small.memory.replay(changes={"duplicate": 1.0}, explain=second.text_id).explained
    assert explained.id == (first.id, second.text_id)
    assert [(one.before is None, one.after is None) for one in explained.events] == [(False, True), (False, False)]


def test_a_check_finds_every_projection_the_same_and_notices_one_that_is_not(taught):
    found = taught.memory.replay(check=True).projections
    assert {one.name.partition("-")[0] for one in found} == {"text", "vector", "ledger", "effectiveness", "graph"}
    assert all(one.same for one in found)
    taught.memory.catalog.beliefs.memories.table["salience"][0] = 0.9
    assert [one.name for one in taught.memory.replay(check=True).projections if not one.same] == ["ledger"]


def test_a_check_of_the_past_compares_what_was_believed(life):
    found = life.memory.replay(check=True, as_of="@20").projections
    assert [one.name for one in found] == ["effectiveness", "graph", "ledger"]
    assert all(one.same for one in found)


@pytest.mark.parametrize(
    "options",
    [
        {"changes": {"nonsense": 1}},
        {"changes": {"learning_rate": 7}},
        {"changes": {"duplicate": 0.1, "related": 0.1}},
        {"check": True, "changes": {"causal": 0.5}},
        {"changes": ["causal"]},
        {"constants": {"causal": 0.5}},
        {"recalls": -1},
    ],
    ids=str,
)
def test_what_cannot_be_replayed_is_refused_by_name(taught, options):
    head = taught.memory.eventlog.head
    taught.memory.store("The deploy windows are Tuesday at ten and Thursday at nine")
    with pytest.raises(InvalidInput) as refused:
        taught.memory.replay(**options)
    assert refused.value.remedy
    assert taught.memory.eventlog.head.seq == head.seq + 1


def test_an_unknown_memory_cannot_be_explained(taught):
    with pytest.raises(NotFound):
        taught.memory.replay(changes={"causal": 0.9}, explain="01kzzzzzzzzzzzzzzzzzzzzzzz")


def test_adopted_constants_hold_at_once_and_not_before(taught):
    memory, clock = taught.memory, taught.now
    head = memory.eventlog.head.seq
    before = memory.recall("deploy window", record=False)
    wanted = memory.recall(
        "deploy window", constants=memory.view().beliefs.constants.altered({"learning_rate": 0.9})
    ).results
    done = memory.adopt(changes={"learning_rate": 0.9}, reason="tried it", evaluation={"ndcg": [0.7, 0.8]})
    assert done.constants == {"learning_rate": (0.2, 0.9)}
    event = memory.event(done.seq).event
    assert isinstance(event, ConstantsAdopted)
    assert (event.reason, event.evaluation) == ("tried it", {"ndcg": [0.7, 0.8]})
    assert memory.recall("deploy window", record=False).results == wanted
    assert memory.recall("deploy window", as_of=f"@{head}/{before.as_of.time}").results == before.results
    assert memory.diff(f"@{head}").constants == {"learning_rate": (0.2, 0.9)}
    assert taught.now == clock


def test_what_was_adopted_can_be_taken_back(taught):
    memory = taught.memory
    first = memory.constants().digest
    memory.adopt(changes={"duplicate": 0.98, "related": 0.9}, reason="stricter")
    memory.store("Llamas eat hay")
    memory.adopt(changes={"duplicate": 0.92, "related": 0.61}, reason="back")
    assert memory.constants().digest == first


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (InvalidInput, {"reason": "x"}),
        (InvalidInput, {"reason": " ", "changes": {"causal": 0.5}}),
        (InvalidInput, {"reason": "x", "changes": {"causal": 5}}),
        (InvalidInput, {"reason": "x", "changes": {"related": 0.01, "duplicate": 0.02}}),
        (InvalidInput, {"reason": "x", "changes": {"causal": 0.5}, "evaluation": ["no object"]}),
        (Conflict, {"reason": "x", "changes": {"learning_rate": 0.2}}),
    ],
    ids=str,
)
def test_what_cannot_be_adopted_changes_nothing(taught, error, options):
    head = taught.memory.eventlog.head
    with pytest.raises(error) as refused:
        taught.memory.adopt(**options)
    assert refused.value.remedy
    assert taught.memory.eventlog.head == head


def test_a_key_adopts_once(taught):
    memory = taught.memory
    first = memory.adopt(changes={"causal": 0.6}, reason="once", key="k")
    memory.adopt(changes={"causal": 0.7}, reason="later")
    again = memory.adopt(changes={"causal": 0.6}, reason="once", key="k")
    assert (again.repeated, again.seq, again.constants) == (True, first.seq, first.constants)
    with pytest.raises(KeyConflict):
        memory.adopt(changes={"causal": 0.8}, reason="once", key="k")


def test_a_view_under_other_constants_says_so_in_every_answer(taught):
    supposed = {"learning_rate": (0.2, 0.9)}
    view = taught.memory.as_of(changes={"learning_rate": 0.9})
    assert view.recall("deploy window").counterfactual == supposed
    assert view.explain("deploy window").counterfactual == supposed
    assert view.get(taught.one[0]).effectiveness > taught.memory.get(taught.one[0]).effectiveness
    assert taught.memory.recall("deploy window", constants=Constants()).counterfactual
    assert taught.memory.recall("deploy window").counterfactual is None
    assert view.as_of("@2").constants().digest == view.constants().digest


def test_constants_that_no_fold_can_take_make_no_view(taught):
    taught.memory.store("The deploy windows are Tuesday at ten and Thursday at nine")
    with pytest.raises(InvalidInput, match="floor"):
        taught.memory.as_of(changes={"duplicate": 0.1, "related": 0.1})


def test_another_asker_sees_nothing_of_the_owners_difference(taught):
    done = taught.memory.replay(changes={"learning_rate": 0.9}, user="bob")
    assert (done.memories, done.recalls, done.recalls_asked) == ((), (), 0)
    assert taught.memory.diff("@1", user="bob").added == ()
