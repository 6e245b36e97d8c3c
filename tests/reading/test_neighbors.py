import pytest
from helixlog.errors import NotFound
from helixlog.eventlog.events import Endpoint, MemoriesLinked


def link(memory, one, other, relation="led_to", weight=1.0):
    ends = {"source": Endpoint(id=one), "target": Endpoint(id=other)}
    memory.append([MemoriesLinked(**ends, relation=relation, weight=weight)])


def told(neighbors):
    return [(one.text, one.relation, one.direction) for one in neighbors.neighbors]


def test_every_edge_with_its_direction_heaviest_first(plain):
    one, two, three = (plain.store(f"note {name}").id for name in "abc")
    link(plain, one, two, weight=0.5)
    link(plain, three, one, "relates_to", weight=0.9)
    found = plain.neighbors(one)
    assert told(found) == [("note c", "relates_to", "in"), ("note b", "led_to", "out")]
    assert told(plain.neighbors(one, relation="led_to")) == [("note b", "led_to", "out")]
    assert (len(plain.neighbors(one, limit=1).neighbors), plain.neighbors(one, limit=1).total) == (1, 2)


def test_shared_names_tie_and_an_entity_is_an_end(plain):
    one = plain.store("Ada wrote it.", entities=["Ada"])
    plain.store("Ada left.", entities=["Ada"])
    ends = {"source": Endpoint(id=one.id), "target": Endpoint(id="parser", kind="entity")}
    plain.append([MemoriesLinked(**ends, relation="relates_to", weight=0.5)])
    found = plain.neighbors(one.id)
    assert told(found) == [("Ada left.", "mentions", "both"), (None, "relates_to", "out")]
    assert found.neighbors[1].id == "entity:parser"


def test_superseded_neighbors_are_shown_as_such(plain):
    old = plain.store("The port is 80.").id
    new = plain.store("The port is 8080.", relations=[("updates", old)]).id
    (found,) = plain.neighbors(new).neighbors
    assert (found.id, found.relation, found.state) == (old, "updates", "superseded")


def test_a_hidden_memory_is_no_neighbor_and_no_bridge(plain):
    one, far = plain.store("one").id, plain.store("far").id
    hidden = plain.store("bob's", user="bob").id
    link(plain, one, hidden)
    link(plain, hidden, far)
    assert plain.neighbors(one).neighbors == ()
    assert [node.text for node in plain.lineage(one).nodes] == ["one"]
    with pytest.raises(NotFound):
        plain.neighbors(hidden)
    with pytest.raises(NotFound):
        plain.lineage(hidden)


def test_lineage_follows_origins_and_consequences_for_several_hops(plain):
    root = plain.store("root cause").id
    middle = plain.store("decision", derived_from=[root]).id
    leaf = plain.store("outcome").id
    link(plain, middle, leaf)
    beyond = plain.store("far consequence", derived_from=[leaf]).id
    link(plain, leaf, plain.store("unrelated").id, "relates_to")
    found = plain.lineage(middle)
    assert [(node.text, node.hop) for node in found.nodes] == [
        ("root cause", -1), ("decision", 0), ("outcome", 1), ("far consequence", 2),
    ]  # fmt: skip
    assert [(edge.source, edge.target, edge.relation) for edge in found.edges] == [
        (root, middle, "derives"), (middle, leaf, "led_to"), (leaf, beyond, "derives"),
    ]  # fmt: skip
    assert [node.hop for node in plain.lineage(beyond, hops=1).nodes] == [-1, 0]


def test_a_circle_ends(plain):
    one, two = plain.store("one").id, plain.store("two").id
    link(plain, one, two)
    link(plain, two, one)
    assert len(plain.lineage(one, hops=50).nodes) == 2
