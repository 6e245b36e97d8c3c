"""One fresh store for all, and a copy to harm for each test."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from catalogue import MUSEUM, fresh
from helixlog.projections import generations
from helixlog.projections.text import index


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """The folder with the stores that specimens are made of."""
    folder = tmp_path_factory.mktemp("museum")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generations, "_sync", lambda _: None)
        patch.setattr(index, "INDEXED_FROM", 1)
        fresh(folder)
    return folder


@pytest.fixture
def made(told, tmp_path, monkeypatch):
    """`made(name)`: the folder of a specimen."""
    monkeypatch.setattr(generations, "_sync", lambda _: None)

    def make(name):
        store = shutil.copytree(told / "today", tmp_path / "store")
        MUSEUM[name].make(told, store)
        return store

    return make
