import numpy as np
import pytest
from helixlog.commands.opened import SETTLED
from helixlog.commands.projections import digests
from helixlog.commands.verify import verify_folder
from helixlog.errors import ReadOnlyView


def test_a_sound_store_is_sound_down_to_its_projections(memory):
    for number in range(12):
        memory.store(f"note {number} about deploys", tags=["a"])
    memory.feedback(outcome="delivered", ids=[memory.list().memories[0].id])
    report = memory.verify(projections=True)
    assert (report.ok, report.head, report.problems) == (True, 14, [])


def test_a_damaged_record_is_named(plain, tmp_path):
    plain.store("canary canary canary")
    plain.close()
    data = tmp_path / "plain" / "log" / "g1" / "data.mdb"
    raw = data.read_bytes()
    assert raw.count(b"canary canary canary") == 1
    data.write_bytes(raw.replace(b"canary canary canary", b"canary canary cansry"))
    report = verify_folder(tmp_path / "plain")
    assert not report.ok
    assert [problem.seq for problem in report.problems] == [2]


def test_a_damaged_generation_is_found_and_rebuilt(memory, tmp_path):
    memory.store("A note.")
    memory.catalog.publish()
    (file,) = (tmp_path / "store" / "projections").glob("ledger-v*/*/state.msgpack")
    file.write_bytes(b"garbled" + file.read_bytes()[7:])
    report = memory.verify()
    assert [problem.kind for problem in report.problems] == ["projection"]
    memory.rebuild()
    assert memory.verify(projections=True).ok


def test_a_projection_that_is_not_the_fold_is_found(memory):
    memory.store("A note.")
    memory.catalog.beliefs.effectiveness.table["effectiveness"][0] = 0.7
    report = memory.verify(projections=True)
    assert [problem.message.split()[0] for problem in report.problems] == ["effectiveness"]


def test_a_rebuild_gives_what_was_there(memory, tmp_path):
    for number in range(8):
        memory.store(f"note {number} about deploys", tags=["a"], entities=["Ada"])
    memory.feedback(outcome="delivered", ids=[memory.list().memories[0].id], context="deploy")
    before = digests(memory.catalog)
    rebuilt = memory.rebuild()
    assert (rebuilt.digests, rebuilt.seq) == (before, memory.eventlog.head.seq)
    assert np.isfinite(rebuilt.seconds)
    assert memory.health().index_lag == 0
    assert list((tmp_path / "store" / "projections").glob("*/CURRENT"))


def test_the_past_is_not_rebuilt(memory):
    memory.at = memory.point("@1")
    with pytest.raises(ReadOnlyView):
        memory.rebuild()


def test_a_rebuild_of_a_large_store_builds_the_graph(memory, monkeypatch):
    pytest.importorskip("hnswlib")
    monkeypatch.setattr("helixlog.commands.rebuild.GRAPH_FROM", 3)
    for number in range(8):
        memory.store(f"note {number} about deploys")
    assert memory.rebuild().graph_rows == memory.stats().sizes.vectors == memory.stats().sizes.graph_rows
    assert memory.verify(projections=True).ok


def test_a_process_that_lives_on_loads_the_graph_of_whatever_it_asks(memory, monkeypatch):
    pytest.importorskip("hnswlib")
    monkeypatch.setattr("helixlog.commands.rebuild.GRAPH_FROM", 3)
    monkeypatch.setattr("helixlog.projections.catalog.GRAPH_FROM", 3)
    for number in range(8):
        memory.store(f"note {number} about deploys")
    memory.rebuild()
    for _ in range(SETTLED):
        memory.view()
    for _ in range(2):
        memory.drop_projections()
        assert memory.view().vectors.graph_rows == 8


def test_a_graph_that_is_not_there_is_looked_for_once(memory, monkeypatch):
    asked = []
    monkeypatch.setattr("helixlog.projections.vector.index.VectorIndex.load_graph", lambda _: asked.append("graph"))
    monkeypatch.setattr("helixlog.projections.catalog.GRAPH_FROM", 3)
    for number in range(2):
        memory.store(f"note {number} about deploys")
    for _ in range(SETTLED):
        memory.view()
    assert asked == []
    memory.store("note 2 about deploys")
    for _ in range(3):
        memory.view()
    assert asked == ["graph"]
