"""One command does all of it for as long as one likes, counts, and fails if anything was lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from crash import run as command
from crash import sources
from crash.sources import Source
from crash.tally import Tally

RUN = Path(command.__file__)


def run(*words):
    return subprocess.run([sys.executable, RUN, *map(str, words)], capture_output=True, text=True, check=False)


def test_it_prints_a_table_of_what_was_tried_and_lost(tmp_path):
    done = run("--seed", 4, "--minutes", 0, "--only", "growth,rights", "--json", tmp_path / "figures.json")
    assert done.returncode == 0, done.stdout + done.stderr
    header, *rows = [line.split() for line in done.stdout.splitlines()[1:5]]
    assert header[0] == "source"
    assert [row[0] for row in rows] == ["growth", "rights", "all"]
    assert [dict(zip(header, row, strict=True))["losses"] for row in rows] == ["0", "0", "0"]
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["seed"] == 4
    assert all(source["rounds"] == 1 and source["tally"]["promises"] for source in figures["sources"])


def test_a_loss_is_printed_with_how_to_see_it_again_and_is_a_failure(monkeypatch, capsys):
    def lossy(seed, scratch):
        assert list(scratch.iterdir()) == []
        return Tally(kills=1, losses=[f"event 7 is gone, seed {seed}"])

    monkeypatch.setattr(command, "sources", lambda: {"lossy": Source("lossy", "loses", lossy)})
    assert command.main(["--minutes", "0", "--seed", "1"]) == 1
    said = capsys.readouterr().out
    seed = command.seed_of(1, "lossy", 0)
    assert f"LOSS event 7 is gone, seed {seed}\n     again: python tools/crash/run.py --replay lossy:{seed}" in said
    assert command.main(["--replay", f"lossy:{seed}"]) == 1


def test_a_round_that_breaks_off_is_a_loss(monkeypatch, capsys):
    def broken(_seed, _scratch):
        raise ValueError("the harness is broken")

    monkeypatch.setattr(command, "sources", lambda: {"broken": Source("broken", "breaks", broken)})
    assert command.main(["--minutes", "0"]) == 1
    assert "the harness is broken" in capsys.readouterr().out


def test_an_unknown_source_is_refused_and_the_known_are_named():
    done = run("--only", "nothing")
    assert done.returncode == 2
    assert "kills, steps, images, full, rights, growth" in done.stderr


def test_other_folders_of_tests_are_sources_as_well(tmp_path, monkeypatch):
    (tmp_path / "museum").mkdir()
    (tmp_path / "museum" / "test_one.py").write_text(
        "def test_one():\n    assert True\n\ndef test_two():\n    assert 0\n"
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "faults.py").write_text(
        "from crash.sources import Source\nfrom crash.tally import Tally\n"
        "SOURCES = [Source('other', 'more', lambda seed, scratch: Tally(inputs=seed))]\n"
    )
    monkeypatch.setattr(sources, "TESTS", tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    found = sources.sources()
    assert found["other"].round(9, tmp_path).inputs == 9
    tally = found["museum"].round(1, tmp_path)
    assert tally.faults == 2
    assert len(tally.losses) == 1
    assert "test_two" in tally.losses[0]


@pytest.mark.long
def test_a_minute_of_everything_of_our_own_loses_nothing():
    done = run("--seed", 11, "--minutes", 1, "--only", "kills,steps,images,full,rights,growth")
    assert done.returncode == 0, done.stdout
