from helixlog.commands import health as health_module


def check(health, name):
    return next(one for one in health.checks if one.name == name)


def test_an_empty_store_says_what_to_do(plain):
    health = plain.health()
    assert (health.status, health.memories, health.causal_ratio) == ("NEEDS_ATTENTION", 0, None)
    assert "helix store" in health.reasons[0]


def test_feedback_closes_the_loop(memory):
    stored = memory.store("The deploy script.")
    memory.store("The deploy script runs on Tuesday.")
    assert "no feedback yet" in memory.health().reasons[0]
    memory.feedback(outcome="delivered", ids=[stored.id, (memory.list().memories[0].id, 0.0)])
    health = memory.health()
    assert (health.status, health.reasons) == ("HEALTHY", ())
    assert (health.loop_coverage, health.causal_ratio) == (1.0, 0.5)
    assert 0.0 <= health.connected_ratio <= 1.0


def test_it_counts_only_what_the_asker_may_see(plain):
    plain.store("mine", tags=["a"])
    plain.store("bob's", user="bob", tags=["b"])
    assert (plain.health().memories, plain.health().by_tag) == (1, {"a": 1})
    assert plain.health(user="bob").by_tag == {"b": 1}


def test_tags_are_those_of_now(plain):
    one = plain.store("one", tags=["a", "b"])
    plain.store("two", tags=["a"])
    plain.annotate(one.id, add_tags=["c"], remove_tags=["b"])
    assert plain.health().by_tag == {"a": 2, "c": 1}


def test_a_damaged_generation_is_a_reason(memory, tmp_path):
    memory.store("A note.")
    memory.catalog.publish()
    (pointer,) = (tmp_path / "store" / "projections").glob("ledger-v*/CURRENT")
    pointer.write_text("garbled")
    health = memory.health()
    assert not check(health, "projections").ok
    assert "helix rebuild" in "".join(health.reasons)


def test_without_hnswlib_it_is_said_and_is_no_fault(memory, monkeypatch):
    memory.store("A note.")
    monkeypatch.setattr(health_module.hnsw, "available", lambda: False)
    found = check(memory.health(), "hnswlib")
    assert (found.ok, found.needed) == (False, False)
    assert all("hnswlib" not in reason for reason in memory.health().reasons)
