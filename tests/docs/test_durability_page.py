"""Every promise of docs/durability.md names tests that exist, and every test of crashes is named there."""

import re

import pytest
from pages import ROOT

PAGE = (ROOT / "docs" / "durability.md").read_text("utf-8")
ROW = re.compile(r"^\|(?!-|\s*(?:promise|safety taken away) \|)(.*)\|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+/test_\w+\.py)(?:::(\w+))?`")
ROWS = [[cell.strip() for cell in row.split("|")] for row in ROW.findall(PAGE)]


def missing(name, test, root=ROOT / "tests"):
    """What is not there of a test's name; empty if all of it is."""
    path = root / name
    if not path.is_file():
        return f"tests/{name}"
    found = test is None or re.search(rf"^def {test}\(", path.read_text("utf-8"), re.MULTILINE)
    return "" if found else f"tests/{name}::{test}"


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:60] for row in ROWS])
def test_a_promise_names_tests_that_exist(row):
    promise, how, tests = row
    named = TEST.findall(tests)
    assert promise
    assert how
    assert named, f"no test holds: {promise}"
    assert [gone for name, test in named if (gone := missing(name, test or None))] == []


def test_the_page_has_promises():
    assert len(ROWS) > 20


def test_every_test_of_crashes_is_named():
    named = {name for name, _test in TEST.findall(PAGE)}
    there = {f"crash/{path.name}" for path in (ROOT / "tests" / "crash").glob("test_*.py")}
    assert there - named == {"crash/test_the_command.py"}


def test_a_test_that_is_gone_would_be_noticed():
    assert missing("crash/test_nothing.py", None)
    assert missing("crash/test_kill_9.py", "test_nothing")
    assert not missing("crash/test_kill_9.py", "test_what_was_acknowledged_survives")
