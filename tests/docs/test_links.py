import re

import pytest
from pages import ROOT

PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = [name for name in PAGES if name.startswith("docs/decisions/") and not name.endswith("README.md")]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def prose(path):
    return CODE.sub("", path.read_text("utf-8"))


def anchors(path):
    """The anchors of a page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name):
    page = ROOT / name
    for link in LINK.findall(prose(page)):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{name} links to {link}"
        assert not anchor or anchor in anchors(path), f"{name} links to {link}"


def test_the_index_of_decisions_names_every_page():
    folder = ROOT / "docs" / "decisions"
    linked = {link.partition("#")[0] for link in LINK.findall((folder / "README.md").read_text("utf-8"))}
    assert linked == {path.name for path in folder.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_begins_with_a_title_and_says_what_was_decided(name):
    text = (ROOT / name).read_text("utf-8")
    assert text.startswith("# ")
    assert "**Decision.**" in text


def test_a_broken_link_would_be_noticed():
    assert LINK.findall("see [it](nowhere.md#part)") == ["nowhere.md#part"]
    assert not (ROOT / "nowhere.md").exists()
