import pytest
from helixlog.commands.importers import LinkNote, open_source
from helixlog.commands.importers.when import parse_time

TOPIC = """---
name: run-tests-first
description: "Run the tests before a commit"
metadata:
  node_type: memory
  type: feedback
  originSessionId: 5da1-x
  modified: 2026-09-03T00:00:00.000Z
---

Run the tests first.

**Why:** a broken main costs everyone.
"""


def topic(name, kind, body):
    return f"---\nname: {name}\ndescription: about {name}\ntype: {kind}\n---\n{body}\n"


def test_a_topic_file_is_one_note(write, tmp_path):
    write("MEMORY.md", "- [Tests](feedback_tests.md) — run them\n")
    path = write("feedback_tests.md", TOPIC)
    source = open_source(tmp_path)
    (note,) = source.notes
    assert source.name == "claude"
    assert note.text == "Run the tests first.\n\n**Why:** a broken main costs everyone."
    assert (note.title, note.metadata) == (
        "Run the tests before a commit",
        {"name": "run-tests-first", "description": note.title},
    )
    assert (note.observed_at, note.provenance.session_id) == (parse_time("2026-09-03"), "5da1-x")
    span = note.provenance.span
    assert path.read_bytes()[span.byte_from : span.byte_to].decode() == note.provenance.quote == note.text
    assert source.warnings == ()


@pytest.mark.parametrize(
    ("kind", "expected", "tags"),
    [
        ("feedback", "preference", ("feedback", "user-preference")),
        ("user", "fact", ("user",)),
        ("project", "fact", ("project",)),
        ("reference", "reference", ("reference",)),
    ],
)
def test_only_feedback_is_protected(write, tmp_path, kind, expected, tags):
    write("MEMORY.md", "")
    write("a.md", topic("a", kind, "text"))
    (note,) = open_source(tmp_path).notes
    assert (note.kind, note.tags) == (expected, tags)


def test_links_lead_to_topics_by_name_or_file(write, tmp_path):
    write("MEMORY.md", "")
    write("a.md", topic("first", "project", "see [[second]], [[c]], [[B|again]], [[gone]], [[first]], `[[c]]`"))
    write("b.md", topic("second", "project", "```\n[[first]]\n```"))
    write("c.md", topic("third", "project", "x"))
    source = open_source(tmp_path)
    assert source.links == (
        LinkNote(source_local="a", target_local="b", relation="relates_to"),
        LinkNote(source_local="a", target_local="c", relation="relates_to"),
    )
    assert source.warnings == ("1 links lead to no memory of this folder: [[gone]]",)


def test_an_old_index_of_prose_is_imported_as_prose(write, tmp_path):
    path = write("MEMORY.md", "# Notes\n- uses pnpm\n\nThe build is slow.\n")
    for where in (tmp_path, path):
        source = open_source(where)
        assert (source.name, [x.text for x in source.notes]) == ("claude", ["uses pnpm", "The build is slow."])


def test_prose_beside_index_lines_is_kept_and_so_is_a_line_without_its_file(write, tmp_path):
    write("MEMORY.md", "# Index\n- [A](a.md) — hook\n- [Gone](gone.md) — we moved to Postgres\n- Ask before a push\n")
    write("a.md", topic("a", "project", "text"))
    source = open_source(tmp_path)
    assert [x.text for x in source.notes] == ["text", "[Gone](gone.md) — we moved to Postgres", "Ask before a push"]
    assert "gone.md is not there" in source.warnings[0]


def test_a_topic_file_without_front_matter_is_split(write, tmp_path):
    write("MEMORY.md", "- [Debug](debugging.md)\n")
    write("a.md", topic("a", "user", "text"))
    write("debugging.md", "# Debugging\n- one\n- two\n")
    assert [x.text for x in open_source(tmp_path).notes] == ["text", "one", "two"]


def test_a_topic_without_a_body_is_its_description_and_one_without_both_is_reported(write, tmp_path):
    write("MEMORY.md", "")
    write("a.md", topic("a", "user", ""))
    write("b.md", "---\nname: b\ntype: user\n---\n")
    source = open_source(tmp_path)
    assert [(x.title, x.text) for x in source.notes] == [("a", "about a")]
    assert "b.md says nothing" in source.warnings[0]


def test_a_topic_may_be_long(write, tmp_path):
    write("MEMORY.md", "")
    write("a.md", topic("a", "project", "word " * 4000))
    (note,) = open_source(tmp_path).notes
    assert len(note.text) == 19_999


def test_an_index_of_any_brackets_is_read_in_linear_time(write, tmp_path):
    write("MEMORY.md", "[" * 200_000 + "\n" + "[a](" * 50_000 + "\n")
    assert open_source(tmp_path).total == 1
