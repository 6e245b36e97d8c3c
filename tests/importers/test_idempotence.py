import json

from helixlog.commands.importers import open_source
from helixlog.commands.importers.gather import source_key


def keys(path):
    return [note.source_key for note in open_source(path).notes]


def test_reading_twice_yields_the_same(write, tmp_path):
    write("a.md", "# H\n- one\n- two\n")
    assert open_source(tmp_path) == open_source(tmp_path)


def test_a_note_that_moves_within_its_section_keeps_its_key(write):
    before = keys(write("a.md", "# H\n- one\n- two\n"))
    after = keys(write("a.md", "Intro\n\n# G\nx\n\n# H\n\n- new\n- two\n- one\n"))
    assert set(before) < set(after)


def test_another_text_place_or_file_is_another_key(write):
    first = keys(write("a.md", "# H\n- one\n"))
    assert not set(first) & set(keys(write("a.md", "# H\n- one!\n")) + keys(write("a.md", "# G\n- one\n")))
    assert not set(first) & set(keys(write("b.md", "# H\n- one\n")))


def test_a_repeated_line_is_one_note_and_is_reported(write):
    source = open_source(write("a.md", "# H\n- one\n- one\n"))
    assert [x.text for x in source.notes] == ["one"]
    assert "1 notes repeat" in source.warnings[0]


def test_keys_do_not_run_parts_together():
    assert source_key("x", "ab", "c") != source_key("x", "a", "bc") != source_key("x", "abc")


def test_an_observation_keeps_its_key_when_the_graph_is_written_anew(write):
    ada = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["a", "b"]}
    before = keys(write("m.jsonl", json.dumps(ada)))
    after = keys(write("other.jsonl", json.dumps({**ada, "observations": ["new", "b", "a"]})))
    assert set(before) < set(after)
