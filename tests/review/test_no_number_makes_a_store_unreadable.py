"""Numbers out of bounds are refused where they enter, and do no harm where they are."""

from __future__ import annotations

import io
import json

import pytest
from helixlog.commands.copying import restore_export
from helixlog.errors import InvalidInput
from helixlog.eventlog import appending
from helixlog.eventlog import events as ev

FAR = 3_000_000_000
POISON = {
    "prior.uses": ev.MemoryStored(text="a fact", prior=ev.Prior(effectiveness=0.5, uses=FAR)),
    "prior.hits": ev.MemoryStored(text="a fact", prior=ev.Prior(effectiveness=0.5, hits=-1)),
    "prior.effectiveness": ev.MemoryStored(text="a fact", prior=ev.Prior(effectiveness=1.5)),
    "salience": ev.MemoryStored(text="a fact", salience=float("nan")),
    "provenance.confidence": ev.MemoryStored(text="a fact", provenance=ev.Provenance(confidence=2.0)),
    "relations[0].confidence": ev.MemoryStored(
        text="a fact", relations=(ev.Relation(relation="extends", target="x", confidence=-1.0),)
    ),
    "entities[0].confidence": ev.MemoryStored(text="a fact", entities=(ev.Term(name="x", key="x", confidence=9.0),)),
    "weight": ev.MemoriesLinked(source=ev.Endpoint(id="a"), target=ev.Endpoint(id="b"), weight=0.0, relation="r"),
}
ANNOTATED = ev.MemoryAnnotated(memory="x", salience=7.0)


@pytest.fixture
def unbounded(monkeypatch):
    """Let through what would be refused."""
    monkeypatch.setattr(appending, "check_bounds", lambda *_: None)


@pytest.mark.parametrize("field", POISON)
def test_a_number_out_of_bounds_is_refused_by_an_append(memory, field):
    with pytest.raises(InvalidInput) as caught:
        memory.append([POISON[field]])
    assert f"`$.{field}`" in str(caught.value)
    assert memory.eventlog.head.seq == 1


def test_so_is_one_that_annotates(memory):
    with pytest.raises(InvalidInput, match="salience"):
        memory.append([ANNOTATED])


@pytest.mark.parametrize("field", ["prior.uses", "prior.effectiveness", "salience", "weight"])
def test_a_number_out_of_bounds_is_refused_by_an_import(memory, tmp_path, field):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(appending, "check_bounds", lambda *_: None)
        memory.append([ev.Draft(POISON[field], memory.new_id())])
    out = io.BytesIO()
    memory.export(out)
    file = tmp_path / "export.jsonl"
    file.write_bytes(out.getvalue())
    with pytest.raises(InvalidInput, match=rf"line 3 .*\$\.{field}"):
        restore_export(file, tmp_path / "copy")
    assert json.loads(out.getvalue().splitlines()[2])["seq"] == 2


@pytest.mark.usefixtures("unbounded")
def test_a_store_that_holds_one_is_read_with_the_nearest_number_in_bounds(open_memory):
    memory = open_memory("old")
    prior = ev.Prior(effectiveness=7.0, uses=FAR, hits=-3)
    memory.append([ev.Draft(ev.MemoryStored(text="a fact", prior=prior, salience=3.0), "a" * 26)])
    memory.close()
    record = open_memory("old").get("a" * 26)
    assert (record.effectiveness, record.uses, record.hits, record.salience) == (1.0, 2_000_000_000, 0, 1.0)
