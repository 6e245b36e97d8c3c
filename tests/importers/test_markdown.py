import os

import pytest
from helixlog.commands.importers import open_source
from helixlog.commands.importers.when import parse_time
from helixlog.errors import InvalidInput, NotFound


def read(path):
    return open_source(path, "markdown")


def test_the_title_is_the_path_of_headings(write):
    (note,) = read(write("a.md", "# Deploy\n## Rollback\n- use the tag")).notes
    assert (note.title, note.text) == ("Deploy > Rollback", "use the tag")


def test_the_front_matter_title_comes_first_and_only_once(write):
    assert read(write("a.md", "---\ntitle: Ops\n---\n# Deploy\nx")).notes[0].title == "Ops > Deploy"
    assert read(write("b.md", "---\ntitle: Ops\n---\n# Ops\nx")).notes[0].title == "Ops"


def test_a_file_without_headings_has_untitled_notes(write):
    assert [(x.title, x.text) for x in read(write("a.txt", "one\n\ntwo")).notes] == [(None, "one"), (None, "two")]


def test_provenance_names_file_lines_bytes_quote_and_state(write):
    path = write("a.md", "# Ü\n\n  - é one\n    two\n")
    (note,) = read(path).notes
    origin = note.provenance
    assert (origin.kind, origin.file, origin.uri) == ("file", "a.md", path.as_uri())
    assert (origin.span.line_from, origin.span.line_to) == (3, 4)
    assert path.read_bytes()[origin.span.byte_from : origin.span.byte_to].decode() == origin.quote == "- é one\n    two"
    assert (len(origin.file_hash), origin.file_mtime) == (32, path.stat().st_mtime_ns)


def test_a_long_block_stays_whole_and_is_not_quoted(write):
    (note,) = read(write("a.md", "word " * 5000)).notes
    assert (len(note.text), note.provenance.quote) == (24_999, None)


def test_a_folder_is_read_in_order_of_name_without_hidden_and_foreign_files(write, tmp_path):
    for name in ["b.md", "a/z.markdown", "a/b.txt", ".git/x.md", ".hidden.md", "a/node_modules/x.md", "c.py", "D.MD"]:
        write(name, name)
    assert [x.provenance.file for x in read(tmp_path).notes] == ["D.MD", "b.md", "a/b.txt", "a/z.markdown"]


def test_symbolic_links_are_not_followed(write, tmp_path):
    write("docs/a.md", "kept")
    write("outside.md", "secret")
    (tmp_path / "docs/loop").symlink_to(tmp_path / "docs")
    (tmp_path / "docs/out.md").symlink_to(tmp_path / "outside.md")
    source = read(tmp_path / "docs")
    assert [x.text for x in source.notes] == ["kept"]
    assert "out.md is a symbolic link" in source.warnings[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"a\ncaf\xe9", "bad.md:2 is not UTF-8"), (b"\xff\xfea\0", "UTF-16"), (b"a\0b", "binary")],
)
def test_an_unreadable_file_is_a_warning_in_a_folder_and_an_error_alone(write, tmp_path, content, reason):
    write("good.md", "good")
    path = write("bad.md", content)
    source = read(tmp_path)
    assert [x.text for x in source.notes] == ["good"]
    assert reason in source.warnings[0]
    with pytest.raises(InvalidInput, match=reason):
        read(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_forbidden_file_is_a_warning(write, tmp_path):
    write("a.md", "a").chmod(0)
    assert "cannot be read" in read(tmp_path).warnings[0]


def test_windows_files_give_the_same_notes_with_exact_quotes(write):
    unix = read(write("a.md", "# H\n- one\n  two\n")).notes[0]
    path = write("a.md", b"\xef\xbb\xbf# H\r\n- one\r\n  two\r\n")
    (note,) = read(path).notes
    assert (note.text, note.title, note.source_key) == (unix.text, unix.title, unix.source_key)
    assert note.provenance.quote == "- one\r\n  two"
    assert note.provenance.span.byte_from == 8


@pytest.mark.parametrize("content", ["", "\n\n", "# Only\n", "---\ntitle: x\n---\n"])
def test_a_file_without_text_has_no_notes(write, content):
    assert read(write("a.md", content)).notes == ()


def test_a_folder_without_text_files_says_so(tmp_path):
    assert "no file in" in read(tmp_path).warnings[0]


def test_nothing_there_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        read(tmp_path / "a.md")


@pytest.mark.parametrize(
    ("name", "content", "date"),
    [
        ("a.md", "# Log\n## 2026-03-01 Monday\n### Standup\nx", "2026-03-01"),
        ("journal/2026-03-02.md", "x", "2026-03-02"),
        ("2026_03_03-notes.md", "x", "2026-03-03"),
        ("a.md", "---\ndate: 2026-03-04T10:00:00+09:00\n---\nx", "2026-03-04T10:00:00+09:00"),
        ("2026-01-01.md", "---\ncreated: 2026-03-05\nmodified: 2026-04-01\n---\nx", "2026-03-05"),
        ("2026-01-01.md", "---\ndate: 2026-02-02\n---\n# 2026-03-06\nx", "2026-03-06"),
    ],
)
def test_the_nearest_date_is_when_it_was_observed(write, name, content, date):
    (note,) = read(write(name, content)).notes
    # A file named alone is known by its name, whatever folder it is in.
    assert (note.temporal_text, note.observed_at) == (date, parse_time(date))


@pytest.mark.parametrize("name", ["2026-13-45.md", "12026-03-01.md", "2026-03-011.md"])
def test_what_is_no_date_is_passed_over(write, name):
    assert read(write(name, "# 1999-99-99\nx")).notes[0].observed_at is None


def test_a_time_without_a_zone_is_utc_and_one_with_a_zone_its_instant():
    assert parse_time("2026-03-01T09:00") == parse_time("2026-03-01T10:00+01:00") == parse_time("2026-03-01 09:00Z")
    assert parse_time("1970-01-01") == 0
    assert parse_time("9999-12-31") is parse_time("soon") is parse_time("7d") is None


def test_front_matter_gives_tags_kind_and_expiry(write):
    content = "---\ntags: [ops, '#db', ops]\ntype: procedure\nexpires: 1970-01-01\n---\nx"
    (note,) = read(write("a.md", content)).notes
    assert (note.tags, note.kind, note.expires_at) == (("ops", "db"), "procedure", 86_400 * 10**9 - 1)


def test_a_long_title_keeps_its_inner_end(write):
    (note,) = read(write("a.md", "# Outer " + "x" * 200 + "\n## Inner " + "y" * 100 + "\ntext")).notes
    assert note.title == "Inner " + "y" * 100
    (note,) = read(write("a.md", "# " + "x" * 300 + "\ntext")).notes
    assert (len(note.title), note.title[-1]) == (256, "…")


def test_a_block_longer_than_a_memory_may_be_is_left_out_with_its_place(write):
    source = read(write("a.md", "# Log\n\n" + "x" * 1_100_000 + "\n\nkept"))
    assert [x.text for x in source.notes] == ["kept"]
    assert "a.md:3 has 1,100,000 bytes" in source.warnings[0]


def test_a_tag_longer_than_a_name_may_be_is_left_out(write):
    source = read(write("a.md", "---\ntags: [ok, " + "x" * 300 + "]\n---\ntext"))
    assert source.notes[0].tags == ("ok",)
    assert "1 tags are longer" in source.warnings[0]


def test_a_malformed_date_is_a_warning(write):
    source = read(write("a.md", "---\ndate: yesterday\nexpires: never\n---\nx"))
    assert source.notes[0].observed_at is None
    assert ["yesterday" in source.warnings[1], "never" in source.warnings[0]] == [True, True]


def test_a_checkbox_is_kept_as_metadata_too(write):
    assert [x.metadata for x in read(write("a.md", "- [x] a\n- [ ] b\n- c")).notes] == [
        {"checked": True},
        {"checked": False},
        {},
    ]


def test_imported_notes_are_marked_so(write):
    assert read(write("a.md", "x")).notes[0].origin == "imported"
