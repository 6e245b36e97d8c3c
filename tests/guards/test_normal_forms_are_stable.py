"""Exact repeats and names are found by these forms; they are on disk and may not drift."""

from helixlog.projections.ledger.normal import exact_form, exact_hash, name_key
from hypothesis import given
from hypothesis import strategies as st

ANY = st.text(st.characters())


@given(ANY)
def test_forms_are_idempotent(text):
    assert exact_form(exact_form(text)) == exact_form(text)
    assert name_key(name_key(text)) == name_key(text)


def test_white_space_and_normal_form_do_not_make_another_text_but_case_does():
    assert exact_form(" nai\u0308ve \n\t text ") == "naïve text"
    assert exact_form("Text") != exact_form("text")


def test_names_are_matched_over_case_width_and_space():
    assert name_key("  \uff23\uff41\uff46\uff45\u0301  Müller ") == name_key("café müller")
    assert name_key("STRASSE") == name_key("straße")


@given(ANY, ANY, ANY, ANY)
def test_partition_and_text_cannot_be_mistaken_for_one_another(text, partition, text2, partition2):
    same = (exact_form(text), partition) == (exact_form(text2), partition2)
    assert (exact_hash(text, partition) == exact_hash(text2, partition2)) == same


def test_the_hash_is_pinned_and_keyed():
    assert exact_hash("a  b", "p").hex() == exact_hash("a b", "p").hex() == "ee4f9139711de6b6c44e2a33e9bf0989"
    assert exact_hash("a b", "p", key=b"secret") != exact_hash("a b", "p")
    assert len(exact_hash("", "")) == 16
