"""What `doctor` finds in a store whose bytes are all as they were written."""

from __future__ import annotations

import msgspec
import pytest
from helixlog.commands.doctor import doctor
from helixlog.commands.memory import Memory
from helixlog.embedding import tensors
from helixlog.errors import EmbedderUnavailable, NewerFormat, StoreMissing
from helixlog.eventlog import record
from helixlog.eventlog.events import DecayTicked
from helixlog.eventlog.transaction import FORMAT


def named(said):
    return [(one.name, one.level, one.where) for one in said.findings]


def test_a_sound_store_is_sound_and_left_alone(memory, tmp_path, clock):
    memory.store("A note.")
    before = {
        path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.name in ("data.mdb", "secret")
    }
    said = doctor(tmp_path / "store", fix=True, clock=clock)
    assert (said.status, said.findings, said.problems, said.salvaged, said.head) == ("sound", (), (), None, 2)
    assert {path: path.read_bytes() for path in before} == before


def test_an_event_far_ahead_of_what_came_after_is_named(memory, tmp_path, clock):
    memory.store("A note of today.")
    clock.at(26_000)
    memory.store("A note of a machine whose clock was wrong.")
    clock.at(1)
    memory.append([DecayTicked(clock=1)])
    said = doctor(tmp_path / "store", clock=clock)
    assert named(said) == [("clock", "warning", "@3")]
    assert "25,999 days after" in said.findings[0].message or "25,998 days" in said.findings[0].message
    assert "@2" in said.findings[0].remedy


def test_a_head_in_the_future_is_named_before_anybody_writes_again(memory, tmp_path, clock):
    clock.at(30)
    memory.store("A note.")
    clock.at(1)
    assert named(doctor(tmp_path / "store", clock=clock)) == [("clock", "warning", "@2")]


@pytest.mark.parametrize("days", [0.5, 40])
def test_a_pause_and_a_small_step_back_are_nothing(memory, tmp_path, clock, days):
    memory.store("A note.")
    clock.at(days)
    memory.store("Another, after a pause.")
    clock.at(days - 0.5)
    memory.append([DecayTicked(clock=1)])
    assert doctor(tmp_path / "store", clock=clock).status == "sound"


def test_missing_weights_are_named_with_what_brings_them(memory, tmp_path, clock, monkeypatch):
    memory.store("A note.")

    def gone(*_args, **_options):
        raise EmbedderUnavailable("cannot read the weights", remedy="install helixlog again")

    monkeypatch.setattr("helixlog.commands.opened.for_fingerprint", gone)
    said = doctor(tmp_path / "store", clock=clock)
    assert [(one.name, one.level, one.remedy) for one in said.findings] == [
        ("embedder", "warning", "install helixlog again")
    ]
    assert said.status == "attention"
    assert tensors.EmbedderUnavailable is EmbedderUnavailable


def test_a_secret_that_others_may_read_is_closed(memory, tmp_path, clock):
    memory.store("A note.")
    (tmp_path / "store" / "secret").chmod(0o644)
    assert named(doctor(tmp_path / "store", clock=clock))[0][:2] == ("secret", "warning")
    assert doctor(tmp_path / "store", fix=True, clock=clock).status == "sound"
    assert (tmp_path / "store" / "secret").stat().st_mode & 0o777 == 0o600


def test_a_lost_secret_is_made_anew_only_where_nothing_was_keyed_with_it(memory, tmp_path, clock):
    memory.store("A note.")
    secret = tmp_path / "store" / "secret"
    secret.write_bytes(b"cut short")
    said = doctor(tmp_path / "store", fix=True, clock=clock)
    assert (said.status, said.findings[0].fixed) == ("sound", True)
    assert (tmp_path / "store" / "secret.damaged").read_bytes() == b"cut short"
    memory.eventlog._secret = None
    memory.store("With a key.", key="k")
    secret.unlink()
    said = doctor(tmp_path / "store", fix=True, clock=clock)
    assert (said.status, said.findings[0].fixed) == ("damaged", False)
    assert not secret.exists()


def test_no_store_and_a_newer_one_are_refused_by_name(memory, tmp_path, clock):
    with pytest.raises(StoreMissing):
        doctor(tmp_path / "nowhere", clock=clock)
    store = tmp_path / "store"
    memory.eventlog.environment.write(lambda txn: txn.put(FORMAT, str(record.FORMAT + 1).encode()))
    memory.close()
    with pytest.raises(NewerFormat, match=f"format {record.FORMAT + 1}"):
        doctor(store, fix=True, clock=clock)
    mark = msgspec.json.decode((store / "helixlog.json").read_bytes())
    (store / "helixlog.json").write_bytes(msgspec.json.encode({**mark, "format": record.FORMAT + 1}))
    with pytest.raises(NewerFormat, match=f"format {record.FORMAT + 1}"):
        doctor(store, fix=True, clock=clock)


def test_a_fix_is_repeated_without_harm(memory, tmp_path, clock):
    memory.store("A note.")
    memory.catalog.publish()
    memory.close()
    for file in (tmp_path / "store" / "projections").glob("*/CURRENT"):
        file.write_text("garbled")
    assert doctor(tmp_path / "store", clock=clock).status == "damaged"
    for _again in range(2):
        assert doctor(tmp_path / "store", fix=True, clock=clock).status == "sound"
    with Memory(tmp_path / "store", clock=clock) as again:
        assert again.recall("note").results
