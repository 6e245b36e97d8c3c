"""Exact repeats and names are found by these forms; they are on disk and may not drift."""

from helixlog.projections.ledger.normal import exact_form, name_key
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
