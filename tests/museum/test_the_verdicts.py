"""Every specimen has its pinned verdict, from `verify` and from `doctor`, and nobody dies of looking."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from catalogue import DATA, MUSEUM, TEXTS, VICTIM, Ticking, change, flip, in_text, opened, tags_of, text_of, unnamed
from helixlog.commands.doctor import doctor
from helixlog.commands.verify import differences, verify_folder
from helixlog.errors import Conflict
from helixlog.eventlog import record
from helixlog.eventlog.lmdb_log import LmdbLog
from helixlog.eventlog.verify import verify

BURIED = [name for name, one in MUSEUM.items() if one.lost is not None]


@pytest.fixture(params=MUSEUM)
def specimen(request, made):
    return MUSEUM[request.param], made(request.param)


def test_verify_names_what_is_wrong_and_where(specimen):
    one, store = specimen
    report = verify_folder(store)
    found = tuple((problem.seq, problem.kind) for problem in report.problems)
    assert report.ok == (not found)
    if one.verdict is None:
        assert {kind for _, kind in found} <= {"crash", "unreadable"}
        assert {seq for seq, _ in found} - {0} == set(unnamed(store))
        assert len(found) > 2
    else:
        assert found == one.verdict
    assert all(problem.message for problem in report.problems)


def test_doctor_says_what_to_do_and_does_it(specimen, tmp_path):
    one, store = specimen
    lost = one.losses(store)
    before = (store / DATA).read_bytes() if (store / DATA).is_file() else None
    said = doctor(store, fix=True, into=tmp_path / "saved", clock=Ticking())
    assert tuple(finding.name for finding in said.findings) == one.finds
    assert all(finding.remedy and finding.message and finding.where for finding in said.findings)
    assert (said.status == "sound") == one.fixed
    if before is not None:
        assert (store / DATA).read_bytes() == before, "the log is as it was"
    assert (said.salvaged is not None) == (lost is not None)
    if said.salvaged is not None:
        assert said.salvaged.lost == lost
        assert verify(tmp_path / "saved").ok
    if one.fixed:
        assert verify_folder(store).ok
        with opened(store) as memory:
            text = memory.list(limit=1).memories[0].text
            assert text in [result.text for result in memory.recall(text, limit=TEXTS).results]


@pytest.mark.parametrize("name", BURIED)
def test_what_was_salvaged_answers(name, made, tmp_path):
    store = made(name)
    lost = MUSEUM[name].losses(store)
    saved = doctor(store, fix=True, into=tmp_path / "saved", clock=Ticking()).salvaged
    with opened(tmp_path / "saved") as memory:
        live = [seq for seq in range(2, TEXTS + 2) if seq not in lost]
        assert memory.count().count == len(live)
        for seq in (live[0], live[-1]):
            assert text_of(seq) in [
                result.text for result in memory.recall(text_of(seq), limit=TEXTS, record=False).results
            ]
        assert memory.store(text_of(last := live[-1]), tags=tags_of(last), key=f"key-{last}").repeated
        assert saved.kept + len(lost) == saved.head == TEXTS + 4
        assert differences(memory) == []


HELIX = [sys.executable, "-m", "helixlog"]


@pytest.mark.parametrize("name", ["zeroed-page", "garbled-graph"])
def test_no_command_dies_by_signal(name, made):
    store = made(name)
    env = {**os.environ, "HELIX_STORE": str(store)}
    for words in (["verify", "--projections"], ["doctor"], ["doctor", "--fix"]):
        done = subprocess.run([*HELIX, *words, "--json"], env=env, capture_output=True, timeout=60, check=False)
        expected = 0 if words == ["doctor", "--fix"] and MUSEUM[name].fixed else 5
        assert done.returncode == expected, (words, done.stderr)
        assert json.loads(done.stdout)
        assert b"Traceback" not in done.stderr


def test_the_museum_covers_what_it_should():
    words = " ".join(MUSEUM)
    for needed in ("cut", "zeroed", "text", "key", "chain", "swapped", "older", "graph", "keyword", "log-put-back"):
        assert needed in words
    assert len(MUSEUM) >= 30


# -- teeth: without each safety a specimen passes for sound, or kills -----------------------


def test_without_the_chain_a_flipped_bit_passes_for_sound(made):
    """What is missed without the digests: the process below checks with a chain that always agrees."""
    store = made("flipped-bit-in-a-text")
    blind = (
        "import sys\n"
        "from helixlog.eventlog import record, verify\n"
        "record.Record.follows = lambda self, previous: True\n"
        "verify.main([sys.argv[1], '1', '256'], sys.stdout)\n"
    )
    out = subprocess.run([sys.executable, "-c", blind, store], capture_output=True, text=True, check=True).stdout
    assert "problem" not in out


def test_without_a_process_of_its_own_a_zeroed_page_kills_the_caller(made):
    code = "import sys; from helixlog.eventlog import verify; verify.main([sys.argv[1], '1', '1'], sys.stdout)"
    command = [sys.executable, "-c", code, made("zeroed-page")]
    assert subprocess.run(command, capture_output=True, check=False).returncode < 0


def test_without_the_comparison_of_checkpoints_an_older_log_passes_for_sound(made, monkeypatch):
    store = made("older-log-put-back")
    assert not verify_folder(store).ok
    monkeypatch.setattr("helixlog.commands.verify.estranged", lambda _root, _log: iter(()))
    assert verify_folder(store).ok


def test_a_salvage_that_trusts_what_it_finds_keeps_the_flipped_bit(made, tmp_path, monkeypatch):
    store = made("flipped-bit-in-a-text")
    monkeypatch.setattr(record.Record, "follows", lambda _self, _previous: True)
    saved = doctor(store, fix=True, into=tmp_path / "saved", clock=Ticking()).salvaged
    assert saved.lost == (), "the damaged text was taken in"


def test_a_salvage_never_overwrites(made, tmp_path):
    store = made("flipped-bit-in-a-text")
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "mine").touch()
    with pytest.raises(Conflict):
        doctor(store, fix=True, into=tmp_path / "saved", clock=Ticking())
    assert [path.name for path in (tmp_path / "saved").iterdir()] == ["mine"]


def test_several_wounds_at_once_are_each_named(told, tmp_path):
    store = shutil.copytree(told / "today", tmp_path / "store")
    for seq in (5, VICTIM, 33):
        change(store / DATA, flip(in_text(store, seq)))
    assert [problem.seq for problem in verify_folder(store).problems] == [5, VICTIM, 33]
    saved = doctor(store, fix=True, into=tmp_path / "saved", clock=Ticking()).salvaged
    assert (saved.lost, saved.unproven) == ((5, VICTIM, 33), ())
    with LmdbLog.open(tmp_path / "saved") as log:
        listed = log.get(log.head.seq).event
        assert [entry.seq for entry in listed.rewritten] == [5, VICTIM, 33]
        assert len(listed.memories) == 3
