import random

import numpy as np
import pytest
from helixlog.eventlog.events import Endpoint, MemoriesLinked, Prior
from helixlog.recall.statistics import shape


def link(memory, one, other, relation="led_to"):
    memory.append([MemoriesLinked(source=Endpoint(id=one), target=Endpoint(id=other), relation=relation)])


def test_effectiveness_one_is_counted(plain):
    plain.store("perfect", prior=Prior(effectiveness=1.0, uses=3, hits=3))
    plain.store("useless", prior=Prior(effectiveness=0.0, uses=3, hits=3))
    stats = plain.stats()
    assert [bucket.count for bucket in stats.effectiveness] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert (stats.used, stats.effectiveness_mean) == (2, 0.5)


def test_a_pair_counts_once_so_density_is_at_most_one(plain):
    ids = [plain.store(f"note {number}").id for number in range(3)]
    for relation in ("led_to", "relates_to", "derives"):
        for one in ids:
            for other in ids:
                if one != other:
                    link(plain, one, other, relation)
    graph = plain.stats().graph
    assert (graph.nodes, graph.edges, graph.density) == (3, 3, 1.0)
    assert graph.relations["led_to"] == 6


def test_the_shape_of_a_small_graph(plain):
    ids = [plain.store(f"note {number}").id for number in range(6)]
    for one, other in [(0, 1), (1, 2), (2, 0), (2, 3)]:
        link(plain, ids[one], ids[other])
    stats = plain.stats()
    graph = stats.graph
    assert (graph.components, graph.largest, graph.isolates) == (3, 4, 2)
    assert graph.articulation == (ids[2],)
    assert (stats.top_connected[0].id, stats.top_connected[0].number) == (ids[2], 3)


def test_velocity_and_spread_are_counted(memory):
    stored = memory.store("The deploy script.")
    memory.store("Another thing.")
    for context in ("deploying on Friday", "cooking pasta", "a flat tyre"):
        memory.feedback(outcome="delivered", ids=[(stored.id, 0.9)], context=context)
    stats = memory.stats()
    assert stats.velocity == {0: 1, 3: 1}
    assert stats.top_velocity[0].id == stored.id
    assert sum(bucket.count for bucket in stats.spread) == 1
    assert stats.log["feedback_given"] == 3


def test_it_counts_only_what_the_asker_may_see(plain):
    mine, hidden = plain.store("mine").id, plain.store("bob's", user="bob").id
    link(plain, mine, hidden)
    stats = plain.stats()
    assert (stats.memories, stats.graph.edges, stats.log.get("memories_linked")) == (1, 0, None)
    assert stats.log["memory_stored"] == 1


@pytest.mark.parametrize("seed", range(20))
def test_components_and_articulation_points_are_those_of_the_definition(seed):
    chance = random.Random(seed)
    count = chance.randrange(1, 12)
    pairs = sorted({tuple(sorted(chance.sample(range(count), 2))) for _ in range(chance.randrange(14)) if count > 1})
    found = shape(np.arange(count), np.array(pairs, np.int64).reshape(-1, 2))
    assert found.components == len(parts(range(count), pairs))
    assert found.largest == max(map(len, parts(range(count), pairs)))
    splitting = [
        node for node in range(count)
        if len(parts([one for one in range(count) if one != node], [p for p in pairs if node not in p]))
        > found.components - (not any(node in p for p in pairs))
    ]  # fmt: skip
    assert list(found.articulation) == splitting


def parts(nodes, pairs):
    groups = [{node} for node in nodes]
    for one, other in pairs:
        first, second = (next(group for group in groups if end in group) for end in (one, other))
        if first is not second:
            first |= second
            groups.remove(second)
    return groups


def test_a_hundred_thousand_nodes_in_a_row_are_no_limit():
    count = 100_000
    order = np.random.default_rng(3).permutation(count)
    pairs = np.sort(np.column_stack([order[:-1], order[1:]]), axis=1)
    found = shape(np.arange(count), pairs)
    assert (found.components, found.largest, len(found.articulation)) == (1, count, count - 2)
