import re

import pytest
from pages import ROOT, Page, Step

PAGES = ["README.md", "docs/guide.md"]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_a_page_does_what_the_page_shows(name, tmp_path):
    steps = Page(ROOT / name, tmp_path).run()
    wrong = [step for step in steps if not step.agrees]
    assert not wrong, "".join(f"$ {step.command}\n{step.actual}" for step in wrong)
    assert len(steps) > 10


def test_a_page_that_shows_something_else_is_noticed():
    assert not Step("helix count", "live  3\n", "live  4\n").agrees
    assert not Step(
        "helix list",
        "01kb3v9q0000000000000000aa 01kb3v9q0000000000000000aa\n",
        "01kb3v9q0000000000000000aa 01kb3v9q0000000000000000bb\n",
    ).agrees
    assert Step("helix log", "a\n...\nd\n", "a\nb\nc\nd\n").agrees


def test_ci_runs_the_two_commands_of_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^python3 -m venv \.venv && .* && (.*)$", readme, re.MULTILINE)
    assert commands == [".venv/bin/helix demo", ".venv/bin/python -m pytest -n auto"]


def test_the_readme_shows_how_the_demo_ends():
    readme = (ROOT / "README.md").read_text("utf-8")
    source = (ROOT / "commands/cli/demo.py").read_text("utf-8")
    (line,) = re.findall(r"^It learned: .*$", readme, re.MULTILINE)
    assert line.split(" rose ")[0] in source
