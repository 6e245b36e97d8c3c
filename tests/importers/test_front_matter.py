import pytest
from helixlog.commands.importers.frontmatter import read_front_matter


def fields(text):
    return read_front_matter(["---", *text.split("\n"), "---", "body"]).fields


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: deploy  # why", {"name": "deploy"}),
        ('name: "a: b \\"c\\""', {"name": 'a: b "c"'}),
        ("name: 'it''s'", {"name": "it's"}),
        ("url: https://example.org/#x", {"url": "https://example.org/#x"}),
        ("tags: [a, 'b c', \"d\"]", {"tags": ("a", "b c", "d")}),
        ("tags:\n  - a\n  - b", {"tags": ("a", "b")}),
        ("tags:\n- a\n- b", {"tags": ("a", "b")}),
        (
            "metadata: \n  type: user\n  node: x\nafter: y",
            {"metadata": "", "metadata.type": "user", "metadata.node": "x", "after": "y"},
        ),
        ("text: |\n  one\n  two\nafter: y", {"text": "one\ntwo", "after": "y"}),
        ("text: >-\n  one\n  two", {"text": "one two"}),
        ("text: one\n  two", {"text": "one two"}),
        ("# comment\n\nkey:", {"key": ""}),
    ],
)
def test_the_subset_is_understood(text, expected):
    assert fields(text) == expected


@pytest.mark.parametrize("text", ["Just a sentence.", "- a list\n- of things", "key: value\nand then prose"])
def test_what_is_no_front_matter_is_text(text):
    front = read_front_matter(["---", *text.split("\n"), "---", "body"])
    assert (front.fields, front.body) == ({}, 0)


@pytest.mark.parametrize("lines", [[], ["---"], ["---", "a: b"], ["", "---", "a: b", "---"]])
def test_a_head_must_begin_the_file_and_end(lines):
    assert read_front_matter(lines).body == 0


def test_the_body_begins_after_the_head():
    assert read_front_matter(["---", "a: b", "...", "body"]).body == 3


def test_words_may_be_written_with_commas():
    assert read_front_matter(["---", "tags: a, b,, c", "---"]).words("tags") == ("a", "b", "c")


def test_a_head_of_blanks_is_read_in_linear_time():
    assert read_front_matter(["---", "a" + " " * 500_000, "---"]).body == 0
