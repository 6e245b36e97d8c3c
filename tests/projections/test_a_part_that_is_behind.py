"""Where one projection is missing, a first question about the past brings it up before it is asked."""

from __future__ import annotations

import shutil

import pytest
from helixlog.commands.memory import Memory


@pytest.fixture(params=["static", "none"])
def embedder(request):
    return request.param


@pytest.fixture
def folder(tmp_path, embedder):
    with Memory(tmp_path / "store", embedder=embedder) as memory:
        for number in range(30):
            memory.store(f"The queue tunnel number{number} is down.")
        assert memory.catalog.publish()
    return tmp_path / "store"


@pytest.mark.parametrize("gone", ["nothing-*", "text-v*", "vector-v*", "ledger-v*", "*"])
def test_the_past_is_answered_whatever_is_missing(folder, embedder, gone):
    for place in (folder / "projections").glob(gone):
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    with Memory(folder, create=False, embedder=embedder) as memory:
        then = memory.recall("number7", as_of="@20", limit=3)
        assert then.results[0].text == "The queue tunnel number7 is down."
        assert memory.recall("number7", as_of="@20", limit=3) == then
        assert memory.recall("number29", as_of="@20").results[:1] != memory.recall("number29").results[:1]
