import tempfile
from pathlib import Path

from helixlog.commands.importers import open_source
from helixlog.commands.importers.gather import printable
from hypothesis import given
from hypothesis import strategies as st

PIECES = st.sampled_from([
    "# Head {}", "## Sub {} ##", "- item {}", "  - nested {}", "\t* tabbed {}", "1. first {}", "7) seventh {}",
    "plain {}",
    "    indented {}", "```", "~~~~", "```py", "- ```", "---", "===", "***", "| {} | b |", "|---|---|", "> quoted {}",
    "Lead {}:", "**Bold {}**", "- [x] done {}", "text {} <!-- note -->", "`<!-- {} -->`", "", "", "", "  ", "-", "<br>",
    "é ü 数据 🎉 {}", "\u2028 {}", "\x0c {}", "trailing {}  ",
])  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
HEADS = st.sampled_from(["", "---\ntitle: t\ntags: [a]\n---\n"])


@st.composite
def documents(draw):
    """A document in which every piece of text carries a word of its own."""
    lines = [piece.format(f"w{i}w") for i, piece in enumerate(draw(st.lists(PIECES, max_size=30)))]
    end = draw(ENDS)
    bom = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return bom + (draw(HEADS) + end.join(lines)).replace("\n", end if end != "\r" else "\n").encode()


def read(data, name="a.md"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return open_source(path, "markdown")


@given(documents())
def test_every_span_slices_back_to_its_quote(data):
    for note in read(data).notes:
        span = note.provenance.span
        piece = data[span.byte_from : span.byte_to]
        assert piece.strip(b" \t\r\n\x0c") != b""
        if note.provenance.quote is not None:
            assert piece.decode() == note.provenance.quote


@given(documents())
def test_lines_and_bytes_of_a_span_name_the_same_place(data):
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for note in read(data).notes:
        span = note.provenance.span
        piece = data[span.byte_from : span.byte_to].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        there = lines[span.line_from - 1 : span.line_to]
        assert len(piece) == len(there)
        assert all(part in whole for part, whole in zip(piece, there, strict=True))


@given(documents())
def test_a_text_is_its_source_but_for_markers_indentation_and_comments(data):
    for note in read(data).notes:
        span = note.provenance.span
        source = printable(data[span.byte_from : span.byte_to].decode())
        assert all(line.strip() in source for line in note.text.split("\n"))


@given(documents())
def test_no_word_is_lost_unless_it_heads_nothing(data):
    source = read(data)
    kept = {word for x in source.notes for word in f"{x.text} {x.title}".split()}
    kept = {word.strip("*:") for word in kept}
    headings = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for before, line in zip(["", *headings], [*headings, ""], strict=True):
        for word in before.split():
            underlined = line.strip() != "" and set(line.strip()) in ({"-"}, {"="})
            if word.startswith("w") and word.endswith("w") and not before.lstrip().startswith("#") and not underlined:
                assert word in kept


@given(documents())
def test_no_two_notes_share_a_key_or_a_local_id(data):
    notes = read(data).notes
    assert len({x.source_key for x in notes}) == len({x.local_id for x in notes}) == len(notes)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_by_name(data):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.md").write_bytes(data)
        source = open_source(Path(folder))
        assert source.notes == () or not any(w.startswith("left out") for w in source.warnings)
        for note in source.notes:
            note.text.encode()


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    data = text.encode("utf-8", "replace").replace(b"\0", b"")
    for note in read(data).notes:
        assert printable(note.text) == note.text.strip() != ""
