"""A guard byte is recorded for ever, so it may depend on nothing but the two texts."""

from helixlog.projections.ledger.guards import features, guard, guard_features, mark
from hypothesis import given
from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        *("not", "no", "longer", "any", "more", "never", "don't", "used", "to", "w/o", "un", "enable", "disable"),
        *("3", "3rd", "three", "thousand", "hundred", "second", "10ms", "4,000", "€5", "1.5k", "15-16", "3-day", "#12"),
        *("am", "pm", "May", "9:30", "2026-10-15", "`x", "y`", "Dana", "A", "VPN", "getUser", "src/a.ts"),
        *("--", ".", ",", "!", "<", ">", "不", "迁移", "is", "the"),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS, TEXTS)
def test_the_order_of_the_two_texts_does_not_matter(one, other):
    assert guard(one, other) == guard(other, one)
    assert 0 <= guard(one, other) < 128


@given(TEXTS)
def test_a_text_may_always_merge_with_itself(text):
    assert guard(text, text) == 0


@given(TEXTS, TEXTS)
def test_features_read_once_give_the_same_answer_as_features_read_again(one, other):
    first = guard_features(features(one), features(other))
    features.cache_clear()
    assert guard(one, other) == first


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=2))
def test_what_may_merge_has_a_mark_in_common(words, more):
    one, other = " ".join([*words, *more]), " ".join([*more, *words])
    for pair in ((one, other), (one, " ".join(words)), (one, one.upper())):
        if guard(*pair) == 0:
            assert mark(pair[0]) == mark(pair[1]) or None in map(mark, pair)


def test_marks_tell_numbers_and_dates_apart_and_nothing_else():
    assert mark("Job 17 failed on Monday") == mark("On Monday job 17 passed") != mark("Job 18 failed on Monday")
    assert mark("Job 17 failed on Monday") != mark("Job 17 failed on Friday")
    assert mark("One job failed") is None


def test_hostile_texts_are_read_in_linear_time():
    for text in (
        "_" * 100_000,
        "." * 100_000,
        "9" * 100_000,
        "a'" * 50_000,
        "`" * 100_000,
        "A." * 50_000,
        "1," * 50_000,
    ):
        assert guard(text, "x") == guard("x", text)
