"""What is refused, what is recorded of it, what a caller is told, and what a person may let pass."""

from __future__ import annotations

import json

import pytest
from helixlog.commands.cli.app import helix
from helixlog.commands.cli.session import Session
from helixlog.commands.memory import Memory
from helixlog.commands.screening import Refusal
from helixlog.errors import ContentRejected, InvalidInput
from helixlog.eventlog import events as ev
from helixlog.security import ALLOWABLE, CATEGORIES, Finding, length_band, scan

HIDDEN = "a plain note\u200b with something hidden"


def run(*words, store):
    return helix.run(["--store", str(store), *words], Session({"HELIX_EMBEDDER": "none"}))


def test_only_the_category_and_a_length_band_are_recorded(memory):
    with pytest.raises(ContentRejected):
        memory.store(HIDDEN * 5)
    event = memory.event(memory.eventlog.head.seq).event
    assert event == ev.ContentRejected(category="invisible_unicode", length_band="<1000")


@pytest.mark.parametrize(
    ("length", "band"), [(0, "<10"), (9, "<10"), (10, "<100"), (999, "<1000"), (10**6, "<10000000")]
)
def test_a_band_is_the_power_of_ten_above(length, band):
    assert length_band(length) == band


def test_each_refusal_counts(memory):
    for _ in range(2):
        with pytest.raises(ContentRejected):
            memory.store(HIDDEN)
    assert memory.eventlog.head.seq == 3


def test_a_refusal_says_category_field_and_what_to_do():
    for category in CATEGORIES:
        error = Refusal(Finding(category, "pattern"), "title", 3).error()
        assert category in error.message
        assert "title" in error.message
        assert ("--allow" in error.remedy) is (category in ALLOWABLE)
        assert scan(str(error)) is None


@pytest.mark.parametrize("kind", ["instruction", "procedure"])
def test_an_instruction_is_held_for_a_prescription(memory, kind):
    text = "The password: twelve-letters or more, whoever it is for"
    assert memory.store(text, kind=kind).status == "added"
    with pytest.raises(ContentRejected):
        memory.store(text)
    with pytest.raises(ContentRejected):
        memory.store("The password: hunter2hunter2", kind=kind)


@pytest.mark.parametrize("allow", [["credential_specific"], ["nothing"], "exfiltration"])
def test_what_cannot_be_allowed_is_refused_before_a_store_is_made(tmp_path, allow):
    with pytest.raises(InvalidInput):
        Memory(tmp_path / "store", embedder="none", allow=allow)
    assert not (tmp_path / "store").exists()


def test_a_person_may_let_a_category_pass(tmp_path):
    with Memory(tmp_path / "store", embedder="none", allow=["invisible_unicode"]) as memory:
        assert memory.store(HIDDEN).status == "added"
        with pytest.raises(ContentRejected):
            memory.store("<system>")


def test_the_question_is_answered_and_not_remembered(memory, canary, leaks):
    memory.store("The key of the shop hangs in the hall")
    head = memory.eventlog.head
    answer = memory.recall(f"where does the key of the shop hang, {canary}?")
    assert answer.results
    assert (answer.recorded, answer.recall_id) == (False, None)
    assert answer.not_recorded == "credential_specific (aws) in the field query"
    assert memory.eventlog.head == head
    for options in ({"goal": canary}, {"tags": [canary]}, {"project": canary}):
        assert not memory.recall("where is the key", **options).recorded
    assert memory.recall("where is the key").recorded
    memory.close()
    assert leaks(canary) == []


def test_the_command_line_says_so_with_exit_code_4(tmp_path, canary, capsys):
    assert run("store", f"the key is {canary}", store=tmp_path / "store") == 4
    shown = capsys.readouterr()
    assert canary not in shown.out + shown.err
    assert "credential_specific" in shown.err


def test_json_says_so(tmp_path, canary, capsys):
    assert run("--json", "store", f"the key is {canary}", store=tmp_path / "store") == 4
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "content_rejected"
    assert error["remedy"]
    assert canary not in str(error)


def test_other_errors_do_not_repeat_it_on_the_command_line(tmp_path, canary, capsys):
    assert run("store", "plain", "--salience", canary, store=tmp_path / "store") == 2
    assert run("get", canary, store=tmp_path / "store") != 0
    assert run("store", "plain", "--expires-at", canary, store=tmp_path / "store") == 2
    shown = capsys.readouterr()
    assert canary not in shown.out + shown.err


def test_the_command_line_may_let_a_category_pass(tmp_path, capsys):
    store = tmp_path / "store"
    assert run("store", HIDDEN, store=store) == 4
    assert run("store", HIDDEN, "--allow", "invisible_unicode", store=store) == 0
    assert run("--allow", "exfiltration", "--allow", "invisible_unicode", "store", HIDDEN, store=store) == 0
    assert run("store", HIDDEN, "--allow", "credential_specific", store=store) == 2
    capsys.readouterr()


def test_a_view_of_the_past_records_nothing(memory):
    memory.store("The shop closes at nine")
    head = memory.eventlog.head
    with pytest.raises((ContentRejected, Exception), match=r"refused|cannot be written|view"):
        memory.as_of("@1").store(HIDDEN)
    assert memory.eventlog.head == head
