import pytest
from helixlog.commands.listing import LISTED
from helixlog.errors import InvalidInput
from helixlog.eventlog.events import MemoryForgotten
from helixlog.recall.statistics import states
from helixlog.recall.visibility import STATES, state


def texts(listed):
    return [one.text for one in listed.memories]


def pages(memory, **options):
    cursor, found = None, []
    while True:
        page = memory.list(cursor=cursor, **options)
        found += texts(page)
        cursor = page.next
        if cursor is None:
            return found


def test_newest_first_and_oldest_first(plain):
    for name in "abc":
        plain.store(f"note {name}")
    assert texts(plain.list()) == ["note c", "note b", "note a"]
    assert texts(plain.list(order="oldest", limit=2)) == ["note a", "note b"]


@pytest.mark.parametrize("order", ["newest", "oldest", "effectiveness"])
def test_pages_together_are_the_whole_and_new_stores_move_nothing(plain, order):
    ids = [plain.store(f"note {number}").id for number in range(7)]
    plain.feedback(outcome="delivered", ids=[ids[2], ids[5]])
    plain.feedback(outcome="blocked", ids=[ids[3]])
    whole = texts(plain.list(order=order, limit=100))
    assert pages(plain, order=order, limit=3) == whole
    first = plain.list(order=order, limit=3)
    plain.store("a late one")
    rest = pages(plain, order=order, limit=100)
    second = plain.list(order=order, limit=100, cursor=first.next)
    assert [text for text in texts(first) + texts(second) if text != "a late one"] == whole
    assert "a late one" in rest


def test_effectiveness_orders_the_best_first(plain):
    good, bad = plain.store("good").id, plain.store("bad").id
    plain.store("unknown")
    plain.feedback(outcome="delivered", ids=[good])
    plain.feedback(outcome="blocked", ids=[bad])
    assert texts(plain.list(order="effectiveness")) == ["good", "unknown", "bad"]


def test_filters_narrow(plain):
    plain.store("a", kind="preference", tags=["x", "y"], entities=["Ada:person"], project="p", session="s")
    plain.store("b", tags=["x"], project="q")
    assert texts(plain.list(kind="preference")) == ["a"]
    assert texts(plain.list(tags=["x"])) == ["b", "a"]
    assert texts(plain.list(tags=["x", "y"])) == ["a"]
    assert texts(plain.list(entity="ADA")) == ["a"]
    assert texts(plain.list(project="q")) == ["b"]


def test_only_what_is_live_unless_another_state_is_asked_for(plain):
    gone = plain.store("gone").id
    plain.store("short", expires_at="1d")
    plain.store("there")
    plain.append([MemoryForgotten(memory=gone)])
    plain._clock.days(2)
    assert texts(plain.list()) == ["there"]
    assert texts(plain.list(state="forgotten")) == ["gone"]
    assert texts(plain.list(state="expired")) == ["short"]
    assert texts(plain.list(state="all")) == ["there", "short", "gone"]


def test_states_of_all_at_once_are_those_one_by_one(plain, clock):
    start = clock.time
    gone = plain.store("gone").id
    old = plain.store("old").id
    plain.store("new", relations=[("updates", old)])
    plain.store("short", expires_at="1d")
    plain.store("later", valid_from=start + 10**18)
    plain.store("earlier", valid_from=start - 10**18, valid_to=start)
    plain.append([MemoryForgotten(memory=gone)])
    clock.days(2)
    view = plain.view()
    found = states(view.beliefs, view.point.clock).tolist()
    assert [STATES[code] for code in found] == [state(view.beliefs, root, view.point.clock) for root in range(6)]
    assert len(set(found)) == 6
    assert set(LISTED) | {"erased"} == set(STATES)


def test_a_list_hides_what_the_asker_may_not_see(plain):
    plain.store("bob's", user="bob")
    plain.store("owner's")
    plain.store("everyone's", user="bob", shared=True)
    assert texts(plain.list()) == ["everyone's", "owner's"]
    assert texts(plain.list(user="bob")) == ["everyone's", "bob's"]


@pytest.mark.parametrize("cursor", ["", "x", "!!!!", "AAAA"])
def test_a_garbled_cursor_is_refused(plain, cursor):
    with pytest.raises(InvalidInput):
        plain.list(cursor=cursor)


def test_a_cursor_of_another_order_is_refused(plain):
    plain.store("a")
    plain.store("b")
    with pytest.raises(InvalidInput, match="order"):
        plain.list(order="oldest", cursor=plain.list(limit=1).next)
