"""A view has every verb of the live memory: those that read answer at its point, those that write are refused."""

from __future__ import annotations

import inspect

import pytest
from helixlog.commands.cli.app import helix
from helixlog.commands.memory import VERBS, Memory
from helixlog.errors import ReadOnlyView
from worlds import READS, Life

WRITES = {
    "store": ("A new text",),
    "feedback": (),
    "supersede": ("ID", "Another text"),
    "annotate": ("ID",),
    "reinforce": ("ID",),
    "merge": ("ID", "OTHER"),
    "split": ("ID",),
    "forget": ("ID",),
    "restore": ("ID",),
    "link": ("ID", "OTHER"),
    "unlink": ("ID", "OTHER"),
    "decay": (),
    "prune": (),
    "expire": (),
    "reembed": ("none",),
    "rebuild": (),
    "backup": ("FOLDER",),
    "adopt": (),
    "import_": ("NOTES",),
}
OPTIONS = {
    "feedback": {"ids": ["ID"], "outcome": "delivered"},
    "annotate": {"add_tags": ["x"]},
    "adopt": {"reason": "try", "changes": {"recency_floor": 0.5}},
}
APART = {"as_of", "verify", "export", "tune", "erase", "doctor"}
"""Verbs about files and bytes, those that make a view, and those that are tested in a room of their own."""


@pytest.fixture
def life(tmp_path):
    made = Life(tmp_path / "life", 3).live(25)
    yield made
    made.memory.close()


def test_every_verb_reads_or_writes_or_stands_apart():
    assert set(VERBS) <= set(READS) | set(WRITES) | APART


@pytest.mark.parametrize("verb", [*READS, "export"])
def test_every_reading_verb_and_command_takes_a_point(verb):
    assert "as_of" in inspect.signature(getattr(Memory, verb)).parameters
    command = helix.get_command(None, verb)
    assert "--as-of" in {option for param in command.params for option in param.opts}


@pytest.mark.parametrize("verb", WRITES)
def test_writing_through_a_view_is_refused_by_name(life, verb, tmp_path):
    memory = life.memory
    live = [one.id for one in memory.list(limit=2).memories]
    (tmp_path / "notes.md").write_text("- a note\n")
    named = {"ID": live[0], "OTHER": live[1], "FOLDER": tmp_path / "copy", "NOTES": tmp_path / "notes.md"}
    view, head = memory.as_of(), memory.eventlog.head
    options = {
        name: [named.get(one, one) for one in value] if isinstance(value, list) else value
        for name, value in OPTIONS.get(verb, {}).items()
    }
    with pytest.raises(ReadOnlyView) as refused:
        getattr(view, verb)(*(named.get(word, word) for word in WRITES[verb]), **options)
    assert refused.value.remedy
    assert memory.eventlog.head == head


def test_a_view_keeps_its_point_while_the_store_goes_on(life):
    view = life.memory.as_of()
    before = view.count(), view.log(limit=3)
    life.live(20)
    assert (view.count(), view.log(limit=3)) == before
    assert view.recall("cellar").recorded is False


def test_a_view_of_a_view_never_sees_beyond_it(life):
    view = life.memory.as_of("@9")
    assert view.as_of("@5").count().as_of.seq == 5
    assert view.as_of().count() == view.count()
    assert view.as_of(life.now + 10**18).count() == view.count()


def test_closing_a_view_leaves_the_store_open(life):
    with life.memory.as_of("@5") as view:
        view.count()
    assert life.memory.store("still writable").status == "added"


def test_a_view_shares_the_projections_of_its_store(life):
    assert life.memory.as_of("@5").catalog is life.memory.catalog
