import json

import pytest
from helixlog.commands.importers import open_source
from helixlog.commands.importers.gather import Gatherer, printable

BROKEN = ["a\ud83db", "a\x00b", "a\x1bb", "a\x7fb", "a\x85b"]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_text_is_replaced(text):
    assert printable(text) == "a\ufffdb"


def test_tabs_newlines_and_whole_pairs_stay():
    assert printable("a\tb\nc\r\nd\re 🎉") == "a\tb\nc\nd\ne 🎉"


@pytest.mark.parametrize("text", BROKEN)
def test_a_replacement_is_reported_with_its_place(text):
    out = Gatherer("x")
    assert out.text(text, "a.md:3") == "a\ufffdb"
    assert out.source().warnings[0].startswith("a.md:3: ")


def test_half_an_emoji_in_json_is_replaced_and_a_whole_one_kept(write):
    source = open_source(write("m.jsonl", '{"type":"entity","name":"A","observations":["x\\ud83d","\\ud83c\\udf78"]}'))
    assert [x.text for x in source.notes] == ["x\ufffd", "🍸"]
    assert len(source.warnings) == 1


def test_a_control_character_in_markdown_leaves_the_note_unquoted(write):
    (note,) = open_source(write("a.md", "colour \x1b[1m")).notes
    assert (note.text, note.provenance.quote) == ("colour \ufffd[1m", None)


def test_names_of_entities_and_files_are_valid_too(write, tmp_path):
    record = {"type": "entity", "name": "A\x00", "entityType": "t\x1b", "observations": ["x"]}
    (note,) = open_source(write("m.jsonl", json.dumps(record))).notes
    assert (note.title, note.entities[0].name, note.entities[0].type) == ("A\ufffd", "A\ufffd", "t\ufffd")
    (tmp_path / "docs").mkdir()
    try:
        (tmp_path / "docs" / "caf\udce9.md").write_text("x")
    except (OSError, UnicodeError):
        pytest.skip("the file system refuses such names")
    assert open_source(tmp_path / "docs").notes[0].provenance.file == "caf\ufffd.md"
