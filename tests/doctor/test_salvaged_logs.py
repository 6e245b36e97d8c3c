"""A salvaged log has holes where texts were that later ones were measured by; both folds make the same of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helixlog.commands.doctor import doctor
from helixlog.commands.memory import Memory
from helixlog.errors import NotFound
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.projections.catalog import constants_in
from helixlog.projections.reference import Reference

LAWS = Path(__file__).parents[1] / "laws"
TEXTS = [
    f"The {thing} of the depot is painted {colour} each spring"
    for thing in ("crane", "gate")
    for colour in ("red", "blue", "green")
]
LOST = 3
"""The seq of the text that is damaged; those behind it have it in their evidence."""


@pytest.fixture
def snapshot(monkeypatch):
    """`snapshot(log)`: what each of the two folds believes at the end of a log."""
    monkeypatch.syspath_prepend(str(LAWS))
    import production
    import snapshots

    def both(events):
        constants, now = constants_in(events[:1]), events[-1].recorded_at
        plain = Reference(constants)
        for recorded in events:
            plain.apply(recorded)
        columns = production.Production(events, constants, batch=3).beliefs
        return snapshots.snapshot(plain, now), production.snapshot(columns, now)

    return both


@pytest.fixture
def salvaged(memory, tmp_path, clock):
    """The salvaged log of a store that lost one text, and what was salvaged."""
    ids = [memory.store(text, tags=[text.split()[1]], key=f"k{number}").id for number, text in enumerate(TEXTS)]
    memory.feedback(ids=ids[:3], outcome="delivered", used=ids[:2])
    memory.link(ids[1], ids[4], relation="led_to")
    memory.supersede(ids[1], "The crane is not painted at all")
    memory.annotate(ids[1], add_tags=["kept"])
    memory.close()
    data = tmp_path / "store" / "log" / "g1" / "data.mdb"
    raw = data.read_bytes()
    data.write_bytes(raw.replace(TEXTS[LOST - 2].encode(), TEXTS[LOST - 2].replace("depot", "devot").encode()))
    done = doctor(tmp_path / "store", fix=True, into=tmp_path / "saved", clock=clock).salvaged
    assert done.lost == (LOST,)
    with LmdbLog.open(tmp_path / "saved", read_only=True) as log:
        yield list(log.read()), ids


def test_both_folds_believe_the_same_of_it(salvaged, snapshot):
    events, _ = salvaged
    plain, columns = snapshot(events)
    assert plain["memories"].keys() == columns["memories"].keys()
    for root, memory in plain["memories"].items():
        assert {**columns["memories"][root], "members": 0, "partition": 0} == {**memory, "members": 0, "partition": 0}


def test_later_texts_were_measured_by_the_lost_one(salvaged):
    """Guard: the evidence of a text behind the hole names the hole."""
    from helixlog.projections.vector.evidence import unpack

    events, _ = salvaged
    named = {int(seq) for one in events[LOST + 1 : 7] for seq in unpack(one.event.evidence.near)["seq"]}
    assert LOST in named


def test_what_spoke_of_the_lost_one_is_passed_over(salvaged, tmp_path, clock):
    _, ids = salvaged
    with Memory(tmp_path / "saved", embedder="static", clock=clock) as saved:
        texts = {one.text for one in saved.list(limit=50).memories}
        assert texts == {*TEXTS, "The crane is not painted at all"} - {TEXTS[LOST - 2]}
        assert saved.get(ids[0]).uses == 1
        assert saved.store(TEXTS[LOST - 2]).status == "added", "the lost text may be told again"
        with pytest.raises(NotFound, match="erased"):
            saved.get(ids[1])
