import os

import pytest
from helixlog.commands.importers import KINDS, detect, open_source
from helixlog.errors import InvalidInput, NotFound

TOPIC = "---\nname: a\nmetadata:\n  type: user\n---\nx"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.md", "# x", "markdown"),
        ("a.TXT", "", "markdown"),
        ("MEMORY.md", "- x", "claude"),
        ("memory.jsonl", '{"type":"entity","name":"a","observations":[]}\n', "mcp"),
        ("memory.json", '\n{\n "entities": [], "relations": []\n}', "mcp"),
        ("m.jsonl", '{torn\n{"type":"relation","from":"a","to":"b","relationType":"c"}', "mcp"),
        ("export.jsonl", '{"format":"helixlog-log","version":1}\n', "helixlog"),
    ],
)
def test_a_file_is_known_by_its_content(write, name, content, kind):
    assert detect(write(name, content)) == kind


def test_a_database_is_known_by_its_content(helix_db):
    path = helix_db({})
    assert detect(path.rename(path.with_name("copy.txt"))) == "helix-db"


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a.md": "x"}, "markdown"),
        ({"MEMORY.md": "- x"}, "claude"),
        ({"MEMORY.md": "", "a.md": TOPIC, "b.md": "prose"}, "claude"),
        ({"MEMORY.md": "- x", "README.md": "# A project"}, "markdown"),
        ({}, "markdown"),
    ],
)
def test_a_folder_is_known_by_what_lies_in_it(write, tmp_path, files, kind):
    for name, content in files.items():
        write(name, content)
    assert detect(tmp_path) == kind


@pytest.mark.parametrize(("name", "content"), [("a.jsonl", ""), ("a.json", '{"x": 1}'), ("a.pdf", b"%PDF"), ("a", "x")])
def test_what_is_not_recognised_is_refused_with_the_kinds_named(write, name, content):
    with pytest.raises(InvalidInput) as caught:
        detect(write(name, content))
    assert all(kind in caught.value.remedy for kind in KINDS)


def test_an_unknown_kind_is_refused_with_the_kinds_named(write):
    with pytest.raises(InvalidInput, match="markdown, claude, mcp, helix-db"):
        open_source(write("a.md", "x"), "notion")


def test_a_store_is_no_source(write, tmp_path):
    write("helixlog.json", "{}")
    with pytest.raises(InvalidInput, match="export"):
        detect(tmp_path)


def test_our_own_export_is_not_read_as_notes(write):
    with pytest.raises(InvalidInput, match="export of Helixlog"):
        open_source(write("e.jsonl", '{"format":"helixlog-log"}'))


def test_nothing_there_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        detect(tmp_path / "gone")
    with pytest.raises(NotFound):
        open_source(tmp_path / "gone")


def test_a_kind_that_was_named_wins(write):
    assert open_source(write("notes.log", "one\n\ntwo"), "markdown").total == 2


def test_a_first_line_of_megabytes_is_still_recognised(write):
    line = '{"type":"entity","name":"a","observations":["' + "x" * 3_000_000 + '"]}\n'
    assert detect(write("m.jsonl", line)) == "mcp"


def test_a_path_that_leads_in_a_circle_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_source(tmp_path / "loop")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(InvalidInput, match="is not a file"):
        open_source(tmp_path / "pipe.md")
    assert open_source(tmp_path).notes == ()
