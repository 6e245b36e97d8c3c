"""The same key gives the first answer, although the memory it speaks of is shown with another text by now."""

from __future__ import annotations

import pytest
from helixlog.embedding import load


@pytest.fixture(scope="session")
def static():
    return load("static")


def test_a_new_lead_text_changes_nothing_of_what_was_reported(open_memory, static):
    memory = open_memory(embedder=static)
    one = memory.store("The nightly backup of the server runs in the cellar").id
    other = memory.store("Completely different: the canteen serves soup on every second Tuesday, says the cook").id
    report = {"outcome": "blocked", "ids": [one], "context": "backup of the server", "key": "k"}
    first = memory.feedback(**report)
    memory.merge(one, other)
    again = memory.feedback(**report)
    assert again.repeated
    assert again.updated == first.updated
    assert first.updated[0].causal
