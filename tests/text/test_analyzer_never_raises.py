"""Any string can be stored and asked for: surrogates, controls, megabytes without a space."""

import unicodedata

import pytest
from helixlog.projections.text.analyzer import LONGEST_TERM, query_terms, tokens
from hypothesis import given
from hypothesis import strategies as st

ANY = st.one_of(st.text(st.characters()), st.text("aZ0_.-/'\u2019#+@:\\ Ⅻ迁ガ\u0301\ud800🎉नि", max_size=40))


@given(ANY)
def test_terms_are_short_storable_and_without_white_space(text):
    for term in tokens(text):
        assert term.encode()
        assert len(term) <= LONGEST_TERM
        assert term.split() == [term]


@given(ANY)
def test_both_normal_forms_of_a_text_give_the_same_terms(text):
    assert tokens(unicodedata.normalize("NFC", text)) == tokens(unicodedata.normalize("NFD", text))


@given(ANY)
def test_the_terms_of_a_query_are_those_of_the_text(text):
    assert set(query_terms(text)) == set(tokens(text))


@given(st.lists(ANY, max_size=5))
def test_what_was_read_before_changes_nothing(texts):
    alone = [tokens(text) for text in texts]
    assert [tokens(text) for text in reversed(texts)] == alone[::-1]


@pytest.mark.parametrize(
    "text", ["a'" * 50_000, "_" * 100_000, "." * 100_000, "x.y" * 30_000, "'s" * 50_000, "迁" * 9_000]
)
def test_long_texts_without_a_space_are_read_quickly(text):
    assert all(len(term) <= LONGEST_TERM for term in tokens(text))
