import random

import pytest
from helixlog.errors import NotFound
from helixlog.eventlog.events import Endpoint, MemoriesLinked


def types(history):
    return [moment.type for moment in history.events]


def test_every_event_of_one_memory_in_order_with_what_it_was_worth_after(memory):
    stored = memory.store("The deploy script lives in tools/deploy.sh")
    memory.store("Bananas are yellow.")
    recalled = memory.recall("where is the deploy script")
    memory.feedback(recalled.recall_id, outcome="delivered", used=[stored.id])
    memory.forget(stored.id)
    found = memory.history(stored.id)
    assert types(found) == ["memory_stored", "memories_recalled", "feedback_given", "memory_forgotten"]
    assert [moment.effectiveness for moment in found.events] == pytest.approx([0.5, 0.5, 0.6, 0.6])
    assert [(moment.uses, moment.hits) for moment in found.events][-1] == (1, 1)
    assert found.events[-1].state == "forgotten"


def test_merged_texts_and_their_ids_belong_to_the_history_of_the_root(plain):
    first = plain.store("Deploys run on Tuesday.")
    second = plain.store("Deploys  run on Tuesday.")
    plain.feedback(outcome="delivered", ids=[second.text_id])
    assert plain.history(second.text_id, as_of="@4") == plain.history(first.id, as_of="@4")
    assert types(plain.history(first.id)) == ["memory_stored", "memory_stored", "feedback_given"]


def test_ticks_are_shown_only_when_they_changed_something(plain, clock):
    stored = plain.store("A fact.")
    plain.feedback(outcome="delivered", ids=[stored.id])
    plain.decay()
    clock.days(60)
    plain.decay()
    plain.prune()
    found = plain.history(stored.id)
    assert types(found) == ["memory_stored", "feedback_given", "decay_ticked"]
    assert found.events[-1].effectiveness < 0.6


def test_a_prune_that_hides_it_is_shown(plain):
    stored = plain.store("A fact that misleads.")
    for _ in range(9):
        plain.feedback(outcome="blocked", ids=[stored.id])
    plain.prune()
    assert plain.history(stored.id).events[-1].state == "pruned"
    assert types(plain.history(stored.id))[-1] == "prune_ticked"


def test_a_text_that_merely_speaks_of_an_id_is_no_event_of_it(plain):
    stored = plain.store("A fact.")
    plain.store(f"See {stored.id} for more.")
    assert types(plain.history(stored.id)) == ["memory_stored"]


def test_a_memory_of_another_is_not_found_and_their_recall_is_not_shown(memory):
    hidden = memory.store("Bob's deploy notes.", user="bob")
    shared = memory.store("Deploy notes for all.", shared=True)
    memory.recall("deploy notes", user="bob")
    with pytest.raises(NotFound):
        memory.history(hidden.id)
    assert types(memory.history(shared.id)) == ["memory_stored"]
    assert types(memory.history(shared.id, user="bob")) == ["memory_stored", "memories_recalled"]


def live(plain, chance, ids, step, *, merging):
    """One thing that happens to some memories."""
    one, other = chance.sample(ids, 2)
    ends = {"source": Endpoint(id=one), "target": Endpoint(id=other)}
    rated = {"outcome": chance.choice(["delivered", "partial", "blocked"]), "ids": [one, (other, chance.random())]}
    deeds = [
        lambda: ids.append(plain.store(f"fact {chance.randrange(8)}").text_id),
        *[lambda: plain.feedback(**rated)] * 3,
        lambda: plain.feedback(outcome="delivered", ids=[one, other], used=[one]),
        lambda: (plain.prune(), plain.decay()),
        lambda: plain.append([MemoriesLinked(**ends, relation="led_to")]),
        lambda: plain.annotate(one, add_tags=[f"tag {step}"], pin="core" if chance.random() < 0.2 else None),
    ]
    if merging and plain.get(one).id != plain.get(other).id:
        deeds.append(lambda: plain.merge(one, other))
    chance.choice(deeds)()


@pytest.mark.parametrize("seed", range(6))
def test_the_last_moment_is_what_the_whole_fold_believes(plain, clock, seed):
    chance = random.Random(seed)
    ids = [plain.store(f"fact {number}").text_id for number in range(4)]
    for step in range(40):
        clock.days(chance.choice([0, 1, 20]))
        live(plain, chance, ids, step, merging=seed % 2)
    for one in ids:
        last = plain.history(one).events[-1]
        then, now = plain.get(one, as_of=f"@{last.seq}"), plain.get(one)
        assert (last.effectiveness, last.uses, last.hits) == (then.effectiveness, now.uses, now.hits)
        assert last.state == then.state


def test_a_split_memory_keeps_what_happened_before(plain):
    first = plain.store("Deploys run on Tuesday.")
    second = plain.store("Deploys  run on Tuesday.")
    plain.feedback(outcome="delivered", ids=[first.id])
    plain.split(second.text_id)
    plain.feedback(outcome="blocked", ids=[second.text_id])
    kept, parted = plain.history(first.id), plain.history(second.text_id)
    assert kept.events[-1].effectiveness == pytest.approx(0.6)
    assert parted.events[-1].effectiveness == plain.get(second.text_id).effectiveness == pytest.approx(0.4)
    assert types(parted) == ["memory_stored", "membership_overruled", "feedback_given"]
