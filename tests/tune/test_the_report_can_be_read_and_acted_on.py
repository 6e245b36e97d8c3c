"""The report says what was found and what it rests on; its plot is whole; its line is one that `helix adopt` takes."""

from __future__ import annotations

import re
import shlex
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner
from helixlog.commands.cli.app import helix
from helixlog.errors import PackageMissing
from helixlog.replay.tuning.plot import Axis
from hypothesis import given
from hypothesis import strategies as st

KEYS = ["objective", "split", "before", "after", "gain", "constants", "evidence", "verdict", "adopt"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(drifting, optuna, tmp_path_factory):  # noqa: ARG001 - skipped without it
    """The report of a search that found something."""
    place = tmp_path_factory.mktemp("report") / "new"
    assert drifting.tune(trials=64, report=place).verdict == "improved"
    return place


@pytest.fixture(scope="module")
def answer(folder):
    return msgspec.json.decode((folder / "tune.json").read_bytes())


def test_the_answer_beside_the_report_is_the_answer(answer):
    assert list(answer) == KEYS
    assert list(answer["split"]) == ["learn", "report", "at"]
    assert {*answer["before"]} == {*answer["after"]} == {*answer["gain"]} == {"ndcg", "mrr", "calibration"}
    for gain in answer["gain"].values():
        low, high = gain["interval"]
        assert low <= gain["value"] <= high


def test_the_page_shows_every_figure_and_its_limits(folder, answer):
    page = (folder / "tune.md").read_text("utf-8")
    for name, (_, value) in answer["constants"].items():
        assert re.search(rf"^\| `{name}` \|.*\| {value:g} \|$", page, re.MULTILINE)
    for gain in answer["gain"].values():
        assert f"{gain['value']:+.4f}" in page
    assert answer["adopt"] in page
    assert answer["split"]["at"] in page
    assert "What a log cannot say" in page
    assert "(tune.svg)" in page


def test_what_became_worse_is_said(folder, answer):
    page = (folder / "tune.md").read_text("utf-8")
    worse = [name for name, gain in answer["gain"].items() if gain["interval"][1] < 0]
    assert ("Mind that it makes worse" in page) == bool(worse)


def test_the_plot_is_whole_in_light_and_dark(folder):
    tree = ET.parse(folder / "tune.svg").getroot()  # noqa: S314 - our own
    assert tree.find(f"{SVG}title").text
    style = tree.find(f"{SVG}style").text
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    used = {name for node in tree.iter() for name in node.get("class", "").split()} - {"small", "head"}
    for name in used:
        assert f".{name} " in light
        assert f".{name} " in dark
    width, height = map(float, tree.get("viewBox").split()[2:])
    for node in tree.iter(f"{SVG}text"):
        assert 0 <= float(node.get("x")) <= width
        assert 0 <= float(node.get("y")) <= height
    for node in tree.iter(f"{SVG}circle"):
        assert 0 <= float(node.get("cx")) <= width


@given(st.floats(-1.0, 1.0), st.floats(1e-6, 2.0))
def test_an_axis_has_a_few_round_ticks_within(low, span):
    axis = Axis(low, low + span, 0.0, 100.0)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 7
    assert all(-1e-6 <= axis.at(tick) <= 100.0 + 1e-6 for tick in ticks)


@pytest.mark.usefixtures("optuna")
def test_a_report_without_evidence_has_a_reason_and_no_plot(pump, tmp_path):
    (tmp_path / "tune.svg").write_text("of an earlier report")
    pump.memory.tune(report=tmp_path)
    page = (tmp_path / "tune.md").read_text("utf-8")
    assert "Not enough evidence" in page
    assert "are needed" in page
    assert "tune.svg" not in page
    assert not (tmp_path / "tune.svg").exists()


def run(memory, *words, code=0, **extra):
    result = CliRunner().invoke(helix, ["--store", str(memory.folder), *words], **extra)
    assert result.exit_code == code, result.output
    return result


def test_the_line_to_run_is_one_that_adopt_takes(drifting, answer, tmp_path):
    """On a copy: the constants it names are in force afterwards, and the evaluation is in the log."""
    drifting.backup(tmp_path / "copy")
    words = shlex.split(answer["adopt"])
    assert words[:2] == ["helix", "adopt"]
    result = CliRunner().invoke(helix, ["--json", "--store", str(tmp_path / "copy"), *words[1:]])
    assert result.exit_code == 0, result.output
    adopted = msgspec.json.decode(result.stdout)
    assert adopted["constants"] == answer["constants"]
    assert adopted["evaluation"]["verdict"] == "improved"


@pytest.mark.usefixtures("optuna")
def test_the_command_answers_with_the_same_keys(drifting):
    found = msgspec.json.decode(run(drifting, "--json", "tune", "--trials", "8").stdout)
    assert list(found) == KEYS


@pytest.mark.usefixtures("optuna")
def test_the_command_says_it_in_words_and_draws_no_bar_off_a_terminal(drifting, tmp_path):
    result = run(drifting, "tune", "--trials", "64", "--report", str(tmp_path))
    assert result.stdout.startswith("better constants found\n")
    assert "helix adopt --set" in result.stdout
    assert result.stderr == f"note: the report is in {tmp_path}\n"


@pytest.mark.usefixtures("optuna")
def test_a_young_store_is_told_so_with_exit_code_0(pump):
    result = run(pump.memory, "tune")
    assert result.stdout.startswith("not enough evidence\n")


def test_without_the_package_the_extra_is_named(pump, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    with pytest.raises(PackageMissing) as missing:
        pump.memory.tune()
    assert missing.value.remedy == 'pip install "helixlog[tune]"'
    fault = msgspec.json.decode(run(pump.memory, "--json", "tune", code=1).stdout)
    assert fault["error"]["code"] == "package_missing"


@pytest.mark.usefixtures("optuna")
def test_a_report_that_cannot_be_written_is_refused_before_the_search(pump, tmp_path):
    from helixlog.errors import StorageError

    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError):
        pump.memory.tune(report=tmp_path / "file")


def test_what_ci_installs_includes_the_package():
    """So that nothing here is skipped there."""
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    assert extras["tune"][0] in extras["dev"]
    assert "[dev" in (Path(__file__).parents[2] / ".ci" / "run").read_text("utf-8")
