import pytest
from helixlog.errors import AmbiguousId, InvalidInput, NotFound


def test_a_memory_is_found_by_its_id_and_by_the_beginning_of_it(plain):
    stored = plain.store("The cache is warmed at six.", tags=["ops"])
    assert plain.get(stored.id).text == "The cache is warmed at six."
    assert plain.get(stored.id[:14].upper(), as_of="@2") == plain.get(stored.id, as_of="@2")


def test_a_merged_id_answers_its_root_and_says_what_was_merged(plain):
    first = plain.store("Deploys run on Tuesday.")
    second = plain.store("Deploys  run on Tuesday.")
    found = plain.get(second.text_id)
    assert (found.id, found.merged_from) == (first.id, (second.text_id,))


def test_what_another_may_not_see_is_not_found(plain):
    hidden = plain.store("Bob's own note.", user="bob")
    assert plain.get(hidden.id, user="bob").scope.user == "bob"
    with pytest.raises(NotFound, match="no memory has the id"):
        plain.get(hidden.id)
    with pytest.raises(NotFound):
        plain.get(hidden.id[:20], user="eve")


def test_a_grant_and_sharing_make_it_seen(plain):
    granted = plain.store("For Eve too.", user="bob", grants=["eve"])
    shared = plain.store("For all.", user="bob", shared=True)
    assert plain.get(granted.id, user="eve").text == "For Eve too."
    assert plain.get(shared.id, user="eve").text == "For all."


def test_an_ambiguous_beginning_names_only_what_may_be_seen(plain):
    mine, other = plain.store("Mine, seen."), plain.store("Another of mine.")
    hidden = plain.store("Bob's.", user="bob")
    with pytest.raises(AmbiguousId) as caught:
        plain.get(mine.id[:8])
    assert other.id in str(caught.value)
    assert hidden.id not in str(caught.value)
    assert plain.get(hidden.id[:8], user="bob").id == hidden.id


def test_the_past_shows_what_was_believed_then(plain):
    first = plain.store("The port is 80.")
    before = plain.view().point.seq
    plain.store("The port is 8080.", relations=[("updates", first.id)])
    assert plain.get(first.id).state == "superseded"
    assert plain.get(first.id, as_of=f"@{before}").state == "live"


def test_nonsense_is_refused(plain):
    with pytest.raises(InvalidInput):
        plain.get("  ")
    with pytest.raises(NotFound):
        plain.get("zzzz")


def test_count_tells_every_state_of_what_the_asker_may_see(plain):
    first = plain.store("The port is 80.")
    plain.store("The port is 8080.", relations=[("updates", first.id)])
    plain.store("Bob's.", user="bob")
    counted = plain.count()
    assert counted.count == 1
    assert {name for name, number in counted.by_state.items() if number} == {"live", "superseded"}
    assert plain.count(user="bob").count == 1
    assert plain.count(as_of="@1").count == 0
