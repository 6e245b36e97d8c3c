import time

import pytest
from helixlog.commands.importers.blocks import split_blocks


def texts(source):
    return [block.text for block in split_blocks(source.split("\n"))]


def test_a_bullet_with_its_nested_lines_is_one_block():
    assert texts("- one\n  - inner\n    deeper\n- two") == ["one\n- inner\n  deeper", "two"]


def test_two_columns_nest_under_a_number_too():
    assert texts("1. one\n  - inner\n2. two") == ["one\n- inner", "two"]


def test_a_paragraph_is_one_block_however_many_lines():
    assert texts("a\nb\n\nc") == ["a\nb", "c"]


def test_a_heading_alone_is_no_block():
    assert texts("# Title\n\n## Sub\n\nOther\n===\n") == []


@pytest.mark.parametrize("heading", ["## Deploy", "## Deploy ##", "  ## Deploy", "Deploy\n---"])
def test_headings_are_recognised_in_every_form(heading):
    (block,) = split_blocks(["# Guide", *heading.split("\n"), "", "text"])
    assert block.headings == ("Guide", "Deploy")


def test_a_heading_of_the_same_level_replaces_the_one_before():
    blocks = split_blocks(["# A", "## B", "x", "# C", "y"])
    assert [block.headings for block in blocks] == [("A", "B"), ("C",)]


@pytest.mark.parametrize("line", ["#hashtag is text", "####### seven"])
def test_what_only_looks_like_a_heading_is_text(line):
    assert texts(line) == [line]


def test_a_break_under_several_lines_does_not_swallow_them_as_a_heading():
    assert texts("first\nsecond\n---\nthird") == ["first\nsecond", "third"]


def test_fenced_code_belongs_to_the_paragraph_before_it():
    source = "Run this:\n\n```sh\n# not a heading\n\n- not a bullet\n```"
    assert texts(source) == [source]


def test_fenced_code_belongs_to_the_bullet_before_it_and_keeps_its_indentation():
    assert texts("- step\n```\nif x:\n    y\n```\n- next") == ["step\n```\nif x:\n    y\n```", "next"]
    assert texts("- step\n  ```\n  if x:\n      y\n  ```\n- next") == ["step\n```\nif x:\n    y\n```", "next"]


def test_a_bullet_may_begin_with_code():
    assert texts("- ```\n  - a\n  ```\n- b") == ["```\n- a\n```", "b"]


def test_code_does_not_cross_a_heading():
    assert texts("before\n# H\n```\ncode\n```") == ["before", "```\ncode\n```"]


def test_a_fence_without_an_end_hides_nothing_below_it():
    assert texts("```\ntext\n\n# H\n- a\n- b") == ["```\ntext", "a", "b"]


def test_a_shorter_fence_does_not_end_a_longer_one():
    assert texts("````\n```\n\nx\n````") == ["````\n```\n\nx\n````"]


def test_indented_code_belongs_to_the_paragraph_before_it():
    assert texts("Run\n\n    make\n\n    make install\n\nThen") == ["Run\n\n    make\n\n    make install", "Then"]


def test_a_table_stays_whole():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    assert texts(f"before\n\n{table}\n\nafter") == ["before", table, "after"]


def test_comments_are_taken_out():
    assert texts("a <!-- x --> b\n<!-- y\n- hidden\n-->\nc <!-- z") == ["a  b", "c <!-- z"]


def test_comments_stay_where_they_are_code():
    assert texts("use `<!-- x -->` here\n```\n<!-- y -->\n```") == ["use `<!-- x -->` here\n```\n<!-- y -->\n```"]


def test_a_comment_without_an_end_hides_nothing():
    assert texts("a <!-- b <i>\n\nc") == ["a <!-- b <i>", "c"]


@pytest.mark.parametrize(
    ("line", "text", "checked"),
    [("- [ ] open", "[ ] open", False), ("* [x] done", "[x] done", True), ("1. [X] done", "[X] done", True)],
)
def test_a_checkbox_keeps_its_state(line, text, checked):
    (block,) = split_blocks([line])
    assert (block.text, block.checked) == (text, checked)


def test_a_line_ending_in_a_colon_heads_the_list_below_it():
    blocks = split_blocks(["# Git", "Never do this:", "", "- push", "- rebase", "", "End", "", "- other"])
    assert [(b.headings, b.text) for b in blocks] == [
        (("Git", "Never do this"), "push"),
        (("Git", "Never do this"), "rebase"),
        (("Git",), "End"),
        (("Git",), "other"),
    ]


@pytest.mark.parametrize("line", ["Steps:", "**Steps:**", "**Steps**:", "  Steps:", "**Steps**", "__Steps__"])
def test_a_bold_lead_is_a_heading_without_its_marks(line):
    (block,) = split_blocks([line, "- one"])
    assert block.headings == ("Steps",)


@pytest.mark.parametrize("line", ["A fact.", "**A fact.**", "a\nb:", "x" * 120 + ":"])
def test_any_other_line_above_a_list_is_a_block_of_its_own(line):
    assert texts(f"{line}\n- one") == [line, "one"]


def test_a_wrapped_number_does_not_begin_a_list():
    assert texts("It holds about\n14. That is all.") == ["It holds about\n14. That is all."]


def test_a_list_may_follow_its_paragraph_without_a_blank_line():
    assert texts("Some rules apply.\n- one\n- two") == ["Some rules apply.", "one", "two"]


def test_a_loose_list_is_still_one_block_an_item():
    assert texts("- one\n\n  more\n\n- two\n\nend") == ["one\n\nmore", "two", "end"]


def test_tabs_indent():
    assert texts("-\tone\n\t- inner\n-\ttwo") == ["one\n- inner", "two"]


@pytest.mark.parametrize("line", ["", "-", "***", "<br>", '<div class="x">', "| --- |", "- [ ]", "#"])
def test_markup_without_words_is_no_block(line):
    assert texts(line) == []


@pytest.mark.parametrize("line", ["<https://example.org>", "a < b", "C++", "- ok", "数"])
def test_anything_with_words_is_one(line):
    assert len(texts(line)) == 1


@pytest.mark.parametrize(
    "line", ["```x", "# " + " " * 60_000 + "x", "<!-- ", "> " * 30_000, "- " * 30_000, "`" * 60_000]
)
def test_a_megabyte_of_anything_is_split_in_seconds(line):
    lines = [line] * max(1, 1_000_000 // len(line))
    before = time.process_time()
    split_blocks(lines)
    assert time.process_time() - before < 10
