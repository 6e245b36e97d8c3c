"""Making a store, once."""

from __future__ import annotations

import pytest
from helixlog.commands.init import init
from helixlog.embedding import STATIC
from helixlog.errors import Conflict, InvalidInput

FINGERPRINT = STATIC.identity.fingerprint


def test_a_store_is_made_and_described(tmp_path):
    done = init(tmp_path / "s", embedder="static", owner="ann")
    assert (done.store, done.embedder, done.fingerprint, done.created) == (
        str(tmp_path / "s"), "static", FINGERPRINT, True,
    )  # fmt: skip
    assert len(done.store_id) == 26


def test_a_store_that_is_there_is_left_as_it_is(tmp_path, open_memory):
    first = init(tmp_path / "store", embedder="static")
    memory = open_memory()
    memory.store("Llamas eat hay")
    for asked in (None, "static"):
        again = init(tmp_path / "store", embedder=asked)
        assert (again.created, again.store_id, again.fingerprint) == (False, first.store_id, FINGERPRINT)
    assert memory.eventlog.head.seq == 2


def test_a_store_may_be_without_an_embedder(tmp_path):
    assert init(tmp_path / "s", embedder="none").fingerprint is None
    assert init(tmp_path / "s", embedder="none").embedder is None


@pytest.mark.parametrize(("there", "asked"), [("static", "minilm"), ("static", "none"), ("none", "static")])
def test_another_embedder_is_a_conflict(tmp_path, there, asked):
    init(tmp_path / "s", embedder=there)
    with pytest.raises(Conflict, match="embedder") as caught:
        init(tmp_path / "s", embedder=asked)
    assert "reembed" in caught.value.remedy


def test_another_owner_is_a_conflict(tmp_path):
    init(tmp_path / "s", embedder="none", owner="ann")
    assert not init(tmp_path / "s", owner="ann").created
    with pytest.raises(Conflict, match="ann"):
        init(tmp_path / "s", owner="kim")


def test_an_unknown_embedder_makes_no_store(tmp_path):
    with pytest.raises(InvalidInput):
        init(tmp_path / "s", embedder="nonesuch")
    assert not (tmp_path / "s" / "helixlog.json").exists()


def test_a_file_is_no_place_for_a_store(tmp_path):
    (tmp_path / "s").write_text("here")
    with pytest.raises(InvalidInput, match="is a file"):
        init(tmp_path / "s", embedder="none")


def test_after_a_change_of_embedder_the_new_one_is_described(tmp_path, open_memory, static):
    init(tmp_path / "store", embedder="none")
    memory = open_memory(embedder=None)
    memory.reembed(static)
    assert init(tmp_path / "store").embedder == "static"
