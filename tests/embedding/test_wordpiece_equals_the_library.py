"""The fixture holds ids made once by the `tokenizers` library, for texts of every kind that has broken a tokenizer."""

import json
from pathlib import Path

import pytest
from helixlog.embedding.bundled import VOCABULARY
from helixlog.embedding.wordpiece import WordPiece
from hypothesis import given, settings
from hypothesis import strategies as st

FIXTURE = json.loads((Path(__file__).parent / "wordpiece_fixture.json").read_text(encoding="utf-8"))
TOKENIZER = WordPiece(VOCABULARY)


@pytest.mark.parametrize(("text", "ids"), FIXTURE)
def test_ids_are_those_of_the_library(text, ids):
    assert TOKENIZER.ids(text) == ids


def test_a_lone_surrogate_is_dropped():
    assert TOKENIZER.ids("a\ud800b") == TOKENIZER.ids("ab")


def test_the_name_of_a_special_token_is_ordinary_text():
    assert TOKENIZER.start not in TOKENIZER.ids("[CLS] [SEP]")


@settings(deadline=None)
@given(st.text(st.characters(codec=None), max_size=60))
def test_any_text_has_ids_and_the_second_time_the_same(text):
    ids = TOKENIZER.ids(text)
    assert ids == TOKENIZER.ids(text)
    assert all(0 <= one < len(TOKENIZER) for one in ids)


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_space_separates(left, right):
    assert TOKENIZER.ids(f"{left} {right}") == TOKENIZER.ids(left) + TOKENIZER.ids(right)
