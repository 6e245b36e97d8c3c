"""Every benchmark runs, at a tiny size, and prints what the documentation promises."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = ROOT / "tools" / "bench" / "run.py"
PROMISED = {
    "recall": ["recall of 10, scans", "recall of 10, exact", "overlap@10 of scans with exact"],
    "past": ["first view at 50% of the log, scans", "recall of 10, as of 50%, scans", "as of 50% to live, scans"],
    "peers": ["sqlite-vec + FTS5 + RRF", "LanceDB hybrid"],
    "append": ["append to raw, one event", "append to raw, batch of 100", "16 threads to 1"],
    "store": ["store of one text, scans", "raw write + fdatasync of it, scans", "store to raw, scans"],
    "import": ["import of 80 vectors, evidence", "publishing it"],
    "rebuild": ["all answered", "beliefs alone"],
    "refold": ["first re-fold from saved columns", "each further set of constants"],
    "elsewhere": ["recall right after a store elsewhere", "the difference", "found"],
    "cold": ["helix recall", "helix --help", "python, nothing"],
    "memory": ["RssAnon after 100 recalls, scans"],
    "vectors": ["10 nearest of 100%, scans", "10 nearest of 100%, overlap", "evidence of all"],
    "words": ["100 best, live, postings", "100 best, half the past, tantivy"],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What one run of everything printed, and its JSON."""
    place = tmp_path_factory.mktemp("bench")
    sizes = ["--size", "80", "--runs", "2", "--cache", str(place / "cache"), "--json", str(place / "figures.json")]
    done = subprocess.run([sys.executable, RUN, *PROMISED, *sizes], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((place / "figures.json").read_text())


def test_no_benchmark_is_left_out():
    done = subprocess.run([sys.executable, RUN, "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sorted(done.stderr.partition("choose from ")[2].strip().split(", ")) == sorted(PROMISED)


@pytest.mark.parametrize("name", PROMISED)
def test_a_benchmark_prints_what_it_promises(report, name):
    printed, saved = report
    for what in PROMISED[name]:
        assert what in printed
        assert any(what in figure["what"] for figure in saved["figures"][name]), (name, what)


def test_figures_come_with_the_machine(report):
    printed, saved = report
    assert {"date", "processor", "filesystem", "fsync", "load", "python", "packages"} <= set(saved["machine"])
    assert saved["machine"]["fsync"] in printed


def test_a_text_stored_by_another_process_is_found(report):
    found = [figure for figure in report[1]["figures"]["elsewhere"] if figure["what"] == "found"]
    assert found[0]["value"] == 1.0


def test_the_scans_of_a_small_store_are_exact(report):
    overlap = [figure for figure in report[1]["figures"]["recall"] if figure["what"].startswith("overlap")]
    assert overlap[0]["value"] == 1.0


def test_every_benchmark_is_known_and_documented():
    done = subprocess.run([sys.executable, RUN, "--help"], capture_output=True, text=True, check=True)
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for name in PROMISED:
        assert f"\n  {name} " in done.stdout
        assert f"`{name}`" in page


def test_an_unknown_benchmark_is_refused():
    done = subprocess.run([sys.executable, RUN, "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nonsense" in done.stderr
